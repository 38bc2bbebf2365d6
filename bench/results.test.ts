import { expect, test } from 'vitest';
import type { Params } from './job.ts';
import { describeCase, encodeResults, summarise } from './results.ts';

const params: Params = { threads: 10, turns: 3, llmMs: 100 };

test.each([
  { values: [3], median: 3, spread: [3, 3] },
  { values: [9, 1, 5], median: 5, spread: [1, 9] },
  { values: [4, 1, 3, 2], median: 2.5, spread: [1, 4] },
])('the median of $values is $median', ({ values, median, spread }) => {
  const runs = values.map((wall) => ({ metrics: { wall }, problems: [] }));
  expect(summarise({ scenario: 's', contender: 'c', params, runs })).toEqual([
    { scenario: 's', contender: 'c', params, metric: 'wall', value: median, unit: 's', spread, runs: values.length },
  ]);
});

test('a metric that only some runs report is summed up over those', () => {
  const runs = [
    { metrics: { wall: 1 }, problems: [] },
    { metrics: { wall: 3, peak_rss: 7 }, problems: [] },
  ];
  const rss = summarise({ scenario: 's', contender: 'c', params, runs }).find(({ metric }) => metric === 'peak_rss');
  expect(rss).toMatchObject({ value: 7, runs: 1 });
});

test.each([
  [params, '10 threads × 3 turns, 100 ms model'],
  [{ threads: 5, turns: 1, llmMs: 60_000 }, '5 threads'],
  [{ threads: 5, turns: 1, llmMs: 60_000, variant: 'tree' }, 'tree, 5 threads'],
  [{ threads: 0, turns: 0, llmMs: 0, items: 10_000 }, '10000 items'],
])('a case is described in words', (one, text) => {
  expect(describeCase(one)).toBe(text);
});

test('encoded results are JSON with spreads on one line', () => {
  const machine = { cores: 2, processor: 'p', memoryGb: 8, platform: 'linux x64', node: 'v24' };
  const runs = [{ metrics: { wall: 1.5 }, problems: [] }];
  const results = summarise({ scenario: 's', contender: 'c', params, runs });
  const text = encodeResults(machine, results);
  expect(text).toContain('"spread": [1.5, 1.5]');
  expect(JSON.parse(text)).toEqual({ machine, results });
});

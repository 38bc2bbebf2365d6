import { expect, test } from 'vitest';
import type { Params } from './job.ts';
import { describeCase, summarise } from './results.ts';

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
  [{ ...params, llmMs: 0 }, '10 threads × 3 turns, 0 ms model'],
  [{ threads: 5, turns: 1, llmMs: 60_000 }, '5 threads, 60000 ms model'],
  [{ threads: 5, turns: 1, llmMs: 0 }, '5 threads'],
  [{ threads: 5, turns: 1, llmMs: 0, variant: 'tree' }, 'tree, 5 threads'],
  [{ threads: 0, turns: 0, llmMs: 0, items: 10_000 }, '10000 items'],
])('a case is described in words', (one, text) => {
  expect(describeCase(one)).toBe(text);
});

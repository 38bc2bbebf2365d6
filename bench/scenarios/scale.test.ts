import { expect, test } from 'vitest';
import { measureLive, scale } from './scale.ts';

const LATE = ['the first calls had ended before all threads were live and counted'];

test.each([
  { machine: 'is quick', needsMs: 1_200, calls: [1_500], problems: [] },
  { machine: 'is slow', needsMs: 5_000, calls: [1_500, 6_000], problems: [] },
  { machine: 'is far too slow', needsMs: 60_000, calls: [1_500, 6_000, 24_000], problems: LATE },
])('where a machine $machine calls take $calls ms in turn', async ({ needsMs, calls, problems }) => {
  const tried: number[] = [];
  const measured = await measureLive(100, (llmMs) => {
    tried.push(llmMs);
    return Promise.resolve({ measured: { metrics: { wall: llmMs }, problems: [] }, isLate: llmMs < needsMs });
  });
  expect(tried).toEqual(calls);
  expect(measured).toEqual({ metrics: { wall: calls.at(-1) }, problems });
});

test.each([
  { which: 'the only one', faulty: 1_500, needsMs: 1_200, calls: [1_500], problems: ['of the work'] },
  {
    which: 'the first of a slow machine',
    faulty: 1_500,
    needsMs: 5_000,
    calls: [1_500],
    problems: ['of the work', ...LATE],
  },
  { which: 'the second', faulty: 6_000, needsMs: 5_000, calls: [1_500, 6_000], problems: ['of the work'] },
])('a try in which something went wrong is the last one: $which', async ({ faulty, needsMs, calls, problems }) => {
  const tried: number[] = [];
  const measured = await measureLive(100, (llmMs) => {
    tried.push(llmMs);
    const found = { metrics: {}, problems: llmMs === faulty ? ['of the work'] : [] };
    return Promise.resolve({ measured: found, isLate: llmMs < needsMs });
  });
  expect(tried).toEqual(calls);
  expect(measured.problems).toEqual(problems);
});

test.each([
  { asked: { threads: [], isLong: false }, runs: ['100 skein', '1000 skein', '10000 skein'] },
  {
    asked: { threads: [], isLong: true },
    runs: ['100 skein plain mastra', '1000 skein plain mastra', '10000 skein plain', '100000 skein'],
  },
  { asked: { threads: [10_000, 20_000], isLong: false }, runs: ['10000 skein plain mastra', '20000 skein'] },
])('with $asked there run $runs', ({ asked, runs }) => {
  const names = ['skein', 'plain', 'p-limit', 'mastra'];
  const scenario = scale({ names, create: () => Promise.reject(new Error('nobody asked for it')) });
  const sizes = { turns: 3, llmMs: [], ...asked };
  const planned = scenario.cases(sizes).map((params) => {
    const takers = scenario.contenders.filter((name) => scenario.takesPart?.(name, params, sizes));
    return `${params.threads} ${takers.join(' ')}`;
  });
  expect(planned).toEqual(runs);
});

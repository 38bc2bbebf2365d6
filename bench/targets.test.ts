import { describe, expect, test } from 'vitest';
import type { Result } from './results.ts';
import { checkTargets, markOf } from './targets.ts';

function result(contender: string, metric: string, value: number, threads = 2_000): Result {
  const params = { threads, turns: 3, llmMs: 0 };
  const scenario = metric === 'cpu_per_turn' ? 'fanout' : 'spawn';
  return { scenario, contender, params, metric, value, unit: '', spread: [value, value], runs: 1 };
}

test.each([
  { skein: 100, langgraph: 1_200, reached: true },
  { skein: 100, langgraph: 1_199, reached: false },
])('LangGraph.js at $langgraph against $skein: reached is $reached', ({ skein, langgraph, reached }) => {
  const lines = checkTargets([result('skein', 'cpu_per_turn', skein), result('langgraph', 'cpu_per_turn', langgraph)]);
  expect(lines).toEqual([expect.objectContaining({ reached })]);
});

test('contenders are compared within the same case only', () => {
  const lines = checkTargets([
    result('skein', 'cpu_per_turn', 100, 2_000),
    result('langgraph', 'cpu_per_turn', 1_200, 10_000),
  ]);
  expect(lines).toEqual([]);
});

test.each([
  { perSecond: 5000, reached: true },
  { perSecond: 4999, reached: false },
])('$perSecond cached prompts a second: reached is $reached', ({ perSecond, reached }) => {
  const prompts = { ...result('skein', 'prompts_cached', perSecond), scenario: 'prompt' };
  expect(checkTargets([prompts])).toEqual([
    expect.objectContaining({ reached, text: expect.stringContaining('at least 5000') }),
  ]);
});

test.each([
  { ratio: 1.2, reached: true },
  { ratio: 1.21, reached: false },
])('a late spawn at $ratio times an early one: reached is $reached', ({ ratio, reached }) => {
  expect(checkTargets([result('skein', 'spawn_ratio', ratio)])).toEqual([expect.objectContaining({ reached })]);
});

test.each([
  ['tree', 'host_task_max', 10, [true]],
  ['tree', 'host_task_max', 10.1, [false]],
  ['tree-busy', 'host_task_max', 10.1, [false]],
  // There the caller's own loop is a task.
  ['roots', 'host_task_max', 60, []],
  ['roots-busy', 'host_task_max', 60, []],
  ['roots', 'host_task_after_loop', 10, [true]],
  ['roots', 'host_task_after_loop', 10.1, [false]],
  ['roots-busy', 'host_task_after_loop', 10.1, [false]],
])('cancel of %s with a %s of %d ms: reached is %j', (variant, metric, value, reached) => {
  const params = { threads: 10_000, turns: 1, llmMs: 60_007, variant };
  const lines = checkTargets([{ ...result('skein', metric, value), scenario: 'cancel', params }]);
  expect(lines.map((line) => line.reached)).toEqual(reached);
});

test('each resumption is held against its target: the first after a start, and the slowest of the others', () => {
  const ms = { resume_first: 123, resume_p50: 8, resume_max: 9 };
  const found = Object.entries(ms).map(([metric, value]) => ({ ...result('skein', metric, value), scenario: 'idle' }));
  expect(checkTargets(found).map(({ text, reached }) => [text.split(':')[0], reached])).toEqual([
    ['first resumption after a start', false],
    ['resumption of a suspended thread, slowest of the others', true],
  ]);
});

test.each([
  ['messages_ratio', 1.01, true],
  ['messages_ratio', 1.011, false],
  ['posts_ratio', 1.2, true],
  ['posts_ratio', 1.21, false],
])('workers with a viewer and a %s of %d: reached is %s', (metric, value, reached) => {
  const lines = ['watching', 'full'].map((contender) => ({ ...result(contender, metric, value), scenario: 'viewer' }));
  expect(checkTargets(lines).map((line) => line.reached)).toEqual([reached, reached]);
});

test('what was not measured is not judged', () => {
  expect(checkTargets([])).toEqual([]);
});

test.each([
  { heap: 5_120, reached: true, goalReached: true, mark: 'goal reached' },
  { heap: 5_121, reached: true, goalReached: false, mark: 'reached' },
  { heap: 8_193, reached: false, goalReached: false, mark: 'MISSED' },
])('$heap bytes of heap a thread are marked: $mark', ({ heap, reached, goalReached, mark }) => {
  const lines = checkTargets([{ ...result('skein', 'heap_per_thread', heap), scenario: 'parked' }]);
  expect(lines).toEqual([expect.objectContaining({ reached, goalReached })]);
  expect(lines.map(markOf)).toEqual([mark]);
});

describe.each(['parked', 'scale'])('Heap in %s', (scenario) => {
  test.each([
    { small: 5_000, large: 6_000, reached: true },
    { small: 5_000, large: 6_001, reached: false },
    { small: 6_001, large: 5_000, reached: false },
  ])('$small bytes at 1,000 threads and $large at 100,000: flat is $reached', ({ small, large, reached }) => {
    const live = (value: number, threads: number): Result => {
      return { ...result('skein', 'heap_per_thread', value, threads), scenario };
    };
    const lines = checkTargets([live(small, 1_000), live(large, 100_000)]);
    expect(lines.filter(({ text }) => text.includes('against'))).toEqual([expect.objectContaining({ reached })]);
  });
});

test('the slope of RSS is taken between 10,000 and 100,000 live threads', () => {
  const live = (value: number, threads: number): Result => {
    return { ...result('skein', 'live_rss', value, threads), scenario: 'scale' };
  };
  expect(checkTargets([live(400, 10_000), live(400 + 90_000 * 10 * 0.001_024, 100_000)])).toEqual([
    expect.objectContaining({ reached: true, text: expect.stringContaining(': 10.00, at most 12 (goal 8)') }),
  ]);
});

import { expect, test } from 'vitest';
import type { Result } from './results.ts';
import { checkTargets } from './targets.ts';

function result(contender: string, metric: string, value: number, threads = 2_000): Result {
  const params = { threads, turns: 3, llmMs: 0 };
  const scenario = metric === 'cpu_per_turn' ? 'fanout' : 'spawn';
  return { scenario, contender, params, metric, value, unit: '', spread: [value, value], runs: 1 };
}

test.each([
  { skein: 100, langgraph: 800, reached: true },
  { skein: 100, langgraph: 799, reached: false },
])('LangGraph.js at $langgraph against $skein: reached is $reached', ({ skein, langgraph, reached }) => {
  const lines = checkTargets([result('skein', 'cpu_per_turn', skein), result('langgraph', 'cpu_per_turn', langgraph)]);
  expect(lines).toEqual([expect.objectContaining({ reached })]);
});

test('contenders are compared within the same case only', () => {
  const lines = checkTargets([
    result('skein', 'cpu_per_turn', 100, 2_000),
    result('langgraph', 'cpu_per_turn', 800, 10_000),
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
  ['tree', 'host_task_max', 20, [true]],
  ['tree', 'host_task_max', 20.1, [false]],
  ['tree-busy', 'host_task_max', 20.1, [false]],
  // There the caller's own loop is a task.
  ['roots', 'host_task_max', 60, []],
  ['roots-busy', 'host_task_max', 60, []],
  ['roots', 'host_task_after_loop', 20, [true]],
  ['roots', 'host_task_after_loop', 20.1, [false]],
  ['roots-busy', 'host_task_after_loop', 20.1, [false]],
])('cancel of %s with a %s of %d ms: reached is %j', (variant, metric, value, reached) => {
  const params = { threads: 10_000, turns: 1, llmMs: 60_007, variant };
  const lines = checkTargets([{ ...result('skein', metric, value), scenario: 'cancel', params }]);
  expect(lines.map((line) => line.reached)).toEqual(reached);
});

test('what was not measured is not judged', () => {
  expect(checkTargets([])).toEqual([]);
});

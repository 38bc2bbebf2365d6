import { afterEach, expect, test, vi } from 'vitest';
import type { Library } from './contenders/contender.ts';
import { createPlain } from './contenders/plain.ts';
import { answerIn, measureRounds, nestedThreads, runNested, toolRunning } from './nested-threads.ts';
import { fanOutWork, modelDelay } from './workload.ts';

afterEach(() => void vi.useRealTimers());

/** A thread that runs three others at once, and how many have ended. */
function family(library: Library) {
  const count = { ended: 0 };
  const child = nestedThreads(library, fanOutWork({ turns: 2, llmMs: 0 }), count);
  const inputs = ['one', 'two', 'three'].map((word) => ({ word }));
  const work = {
    turns: 2,
    callModel: () => modelDelay(0),
    answerOf: (turn: number) => (turn === 1 ? answerIn(turn, 'Three.', inputs) : answerIn(turn, 'All ended.')),
    callTool: toolRunning(child),
  };
  const run = nestedThreads(library, work, count);
  return { count, phase: { threads: 4, roots: 1, run: () => run('Start.') } };
}

test('what a thread runs in its tool is run, held against its work and counted', async () => {
  const { count, phase } = family(createPlain());
  expect(await phase.run()).toEqual({ answers: 2, toolResults: 3, text: 'All ended.' });
  expect(count.ended).toBe(4);
});

test('a library that does not call the tool has not won', async () => {
  const lazy: Library = { threadsOf: () => async () => ({ answers: 2, toolResults: 3, text: 'All ended.' }) };
  const { count, phase } = family(lazy);
  await expect(runNested(lazy, count, phase)).rejects.toThrow('1 of 4 threads');
});

test('a library whose thread does not do its work has not won', async () => {
  const plain = createPlain();
  const hasty: Library = {
    threadsOf: (work) => plain.threadsOf({ ...work, answerOf: (turn) => answerIn(turn, 'Hm.') }),
  };
  const { count, phase } = family(hasty);
  await expect(runNested(hasty, count, phase)).rejects.toThrow('ended with 2 of 2 answers and 0 of 3 tool results');
});

test('a library is told after each round how many runs it may forget', async () => {
  const forgotten: number[] = [];
  const library: Library = { ...createPlain(), forget: (runs) => void forgotten.push(Number(runs)) };
  const { count, phase } = family(library);
  const two = { threads: 8, roots: 2, run: () => Promise.all([phase.run(), phase.run()]) };
  await runNested(library, count, phase);
  await runNested(library, count, two);
  expect(forgotten).toEqual([1, 2]);
});

test.each([
  [1, 1_500],
  [1_499, 2],
  [1_500, 1],
  [60_000, 1],
])('rounds of %i ms: %i to warm up, and as many that are measured', async (ms, rounds) => {
  vi.useFakeTimers({ toFake: ['performance'] });
  let ran = 0;
  const { wallMs } = await measureRounds(async () => {
    ran++;
    vi.advanceTimersByTime(ms);
  });
  expect(ran).toBe(2 * rounds);
  expect(wallMs).toBeCloseTo(ms, 9);
});

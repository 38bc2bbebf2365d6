import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Library } from './contenders/contender.ts';
import { plain } from './contenders/plain.ts';
import { answerIn, measureNested, nestedThreads, toolRunning } from './nested-threads.ts';
import { fanOutWork } from './workload.ts';

beforeEach(() => void vi.stubGlobal('gc', () => undefined));
afterEach(() => void vi.unstubAllGlobals());

/** A thread that runs three others at once, and how many have ended. */
function family(library: Library) {
  const count = { ended: 0 };
  const child = nestedThreads(library, fanOutWork({ turns: 2, llmMs: 0 }), count);
  const inputs = ['one', 'two', 'three'].map((word) => ({ word }));
  const work = {
    turns: 2,
    llmMs: 0,
    answerOf: (turn: number) => (turn === 1 ? answerIn(turn, 'Three.', inputs) : answerIn(turn, 'All ended.')),
    callTool: toolRunning(child),
  };
  return { count, run: nestedThreads(library, work, count) };
}

test('what a thread runs in its tool is run, held against its work and counted', async () => {
  const { count, run } = family(plain);
  expect(await run('Start.')).toEqual({ answers: 2, toolResults: 3, text: 'All ended.' });
  expect(count.ended).toBe(4);
});

test('a library that does not call the tool has not won', async () => {
  const lazy: Library = { threadsOf: () => async () => ({ answers: 2, toolResults: 3, text: 'All ended.' }) };
  const { count, run } = family(lazy);
  const phase = { threads: 4, roots: 1, run: () => run('Start.') };
  await expect(measureNested(lazy, { count, warmUp: phase, measured: phase })).rejects.toThrow('1 of 4 threads');
});

test('a library whose child has not done its work has not won', async () => {
  const hasty: Library = {
    threadsOf: (work) =>
      work.turns === 2
        ? plain.threadsOf({ ...work, answerOf: (turn) => answerIn(turn, 'Hm.') })
        : plain.threadsOf(work),
  };
  await expect(family(hasty).run('Start.')).rejects.toThrow('ended with 2 of 2 answers and 0 of 3 tool results');
});

test('a library is told after each phase how many runs it may forget', async () => {
  const forgotten: number[] = [];
  const library: Library = { ...plain, forget: (runs) => void forgotten.push(runs) };
  const { count, run } = family(library);
  const warmUp = { threads: 4, roots: 1, run: () => run('Start.') };
  const measured = { threads: 8, roots: 2, run: () => Promise.all([run('One.'), run('Two.')]) };
  const { wallMs } = await measureNested(library, { count, warmUp, measured });
  expect(forgotten).toEqual([1, 2]);
  expect(wallMs).toBeGreaterThan(0);
});

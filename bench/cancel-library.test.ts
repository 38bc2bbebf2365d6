import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { cancelLive, cancelOfLibrary } from './cancel-library.ts';
import type { Finished, RunThread } from './contenders/contender.ts';

beforeEach(() => void vi.stubGlobal('gc', () => undefined));
afterEach(() => void vi.unstubAllGlobals());

const DONE: Finished = { answers: 1, toolResults: 0, text: 'Done.' };

/** Threads that are rejected when they are aborted, but for the fifth. */
function threadsWhere(fifth: (signal: AbortSignal) => Promise<Finished>): RunThread {
  return (prompt, signal) => {
    if (!signal) throw new Error('every thread has one');
    return prompt === 'Wait: 4' ? fifth(signal) : rejected(signal);
  };
}

const rejected = (signal: AbortSignal): Promise<Finished> =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));

const resolved =
  (ending: Finished) =>
  (signal: AbortSignal): Promise<Finished> =>
    new Promise((resolve) => signal.addEventListener('abort', () => resolve(ending)));

test.each<[string, RunThread, number]>([
  ['is rejected like the others', threadsWhere(rejected), 0],
  ['ends without an answer', threadsWhere(resolved({ ...DONE, answers: 0, text: '' })), 0],
  ['completes all the same', threadsWhere(resolved(DONE)), 1],
  ['has failed before', threadsWhere(() => Promise.reject(new Error('out of luck'))), 1],
])('of threads of which one %s', async (_what, run, missed) => {
  for (const isShared of [true, false]) {
    expect(await cancelLive(run, 5, isShared)).toMatchObject({ missed });
  }
});

test('a library whose thread completes all the same is told as a problem', async () => {
  const library = { threadsOf: () => threadsWhere(resolved(DONE)) };
  const params = { threads: 5, turns: 1, llmMs: 600_007, variant: 'roots' };
  expect(await cancelOfLibrary(library, params)).toMatchObject({
    problems: ['1 of 5 threads were not cancelled'],
    metrics: { events_per_thread: 0, ledger_rows_per_thread: 0 },
  });
});

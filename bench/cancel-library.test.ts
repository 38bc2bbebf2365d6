import { expect, test } from 'vitest';
import { cancelOfLibrary } from './cancel-library.ts';
import type { Library, RunThread } from './contenders/contender.ts';
import { createPlain } from './contenders/plain.ts';

/** Plain promises, but for the fifth of all threads, which does as it is told. */
function plainWhere(fifth: (run: RunThread, signal: AbortSignal | undefined) => ReturnType<RunThread>): Library {
  return {
    threadsOf(work) {
      const run = createPlain().threadsOf(work);
      const also: RunThread = (prompt, signal) =>
        prompt === 'Wait: 4' ? fifth(() => run(prompt, signal), signal) : run(prompt, signal);
      return also;
    },
  };
}

const cancelSix = (library: Library, variant: string) =>
  cancelOfLibrary(library, { threads: 6, llmMs: 600_007, variant }, { round: 6, settle: () => Promise.resolve() });

const afterwards = (signal: AbortSignal | undefined, then: () => void): void =>
  signal?.addEventListener('abort', () => setImmediate(then));

test.each(['tree', 'roots'])('%s of threads that are all cancelled are right', async (variant) => {
  const { metrics, problems } = await cancelSix(createPlain(), variant);
  expect(problems).toEqual([]);
  expect(metrics).toMatchObject({ cancel_latency: expect.any(Number), events_per_thread: 0 });
});

test.each(['tree', 'roots'])(
  '%s: a thread that completes all the same is told, whichever pass it is in',
  async (variant) => {
    const library = plainWhere(
      (run, signal) =>
        new Promise((resolve) => {
          void run('').catch(() => undefined);
          afterwards(signal, () => resolve({ answers: 1, toolResults: 0, text: 'Done.' }));
        }),
    );
    // Three rounds, one as large as what is measured, and that.
    expect((await cancelSix(library, variant)).problems).toEqual(['5 threads completed all the same']);
  },
);

test.each(['tree', 'roots'])('%s: a call that goes on is told', async (variant) => {
  const kept = new AbortController();
  const deaf: Library = {
    threadsOf(work) {
      const run = createPlain().threadsOf({ ...work, callModel: () => work.callModel(kept.signal) });
      // Its promise is rejected, and nothing else happens.
      return (prompt, signal) =>
        Promise.race([
          run(prompt, signal),
          new Promise<never>((_, reject) => afterwards(signal, () => reject(new Error('aborted')))),
        ]);
    },
  };
  const { problems } = await cancelSix(deaf, variant).finally(() => kept.abort());
  // In each of five passes.
  expect(problems).toEqual(['30 calls of the model went on']);
});

test.each(['tree', 'roots'])(
  '%s: what a thread fails with before it is cancelled is what the run fails with',
  async (variant) => {
    const library = plainWhere(() => Promise.reject(new Error('out of luck')));
    await expect(cancelSix(library, variant)).rejects.toThrow('out of luck');
  },
);

import { fanOutWork } from '../workload.ts';
import type { Contender, ContenderSetup, Library, RunThread } from './contender.ts';
import { checkThread, outcomeOf } from './outcome.ts';

/** How a contender does its work. */
type InMemory = {
  readonly runThread: RunThread;
  /** Called after each run of so many threads. */
  readonly afterRuns?: (threads: number) => void;
  readonly close?: () => Promise<unknown>;
};

/** What is read back of who stores nothing. */
export const NOTHING_STORED = { events_per_thread: 0, ledger_rows_per_thread: 0 };

/** The prompt where the driver has taken no sample of Skein's. */
const PROMPT = 'Look the words up, and say what you found.';

/** A library as a contender. */
export function withLibrary(setup: ContenderSetup, library: Library): Contender {
  const runThread = library.threadsOf(fanOutWork(setup.params));
  return createInMemory(setup, { runThread, afterRuns: (threads) => library.forget?.(threads) });
}

/**
 * A contender that keeps neither a log nor a ledger. Its threads have the prompt that Skein renders, each with a number
 * behind it, and what each has come to is held against the workload.
 */
export function createInMemory(
  { params, sample }: ContenderSetup,
  { runThread, afterRuns, close }: InMemory,
): Contender {
  const expected = outcomeOf(fanOutWork(params));
  const prompt = sample?.prompt ?? PROMPT;
  let started = 0;
  return {
    async run(threads) {
      const first = started;
      started += threads;
      const prompts = Array.from({ length: threads }, (_, index) => `${prompt}${first + index}`);
      const finished = await Promise.all(prompts.map((one) => runThread(one)));
      for (const thread of finished) checkThread(thread, expected);
      afterRuns?.(threads);
    },
    inspect: async () => ({ metrics: NOTHING_STORED, problems: [] }),
    async [Symbol.asyncDispose]() {
      await close?.();
    },
  };
}

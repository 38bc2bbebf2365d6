import { answerOf } from '../workload.ts';
import type { Contender, ContenderSetup } from './contender.ts';

/** What a thread has come to. */
export type Finished = { readonly answers: number; readonly toolResults: number; readonly text: string };

/** How a contender does its work. */
export type InMemory = {
  /** Runs one thread per prompt, all at once. */
  readonly runThreads: (prompts: readonly string[]) => Promise<readonly Finished[]>;
  readonly close?: () => Promise<unknown>;
};

/** The prompt where the driver has taken no sample of Skein's. */
const PROMPT = 'Look the words up, and say what you found.';

/**
 * A contender that keeps neither a log nor a ledger. Its threads have the prompt that Skein renders, each with a number
 * behind it, and what each has come to is held against the workload.
 */
export function createInMemory({ params, sample }: ContenderSetup, { runThreads, close }: InMemory): Contender {
  const { turns } = params;
  const prompt = sample?.prompt ?? PROMPT;
  let started = 0;
  return {
    async run(threads) {
      const first = started;
      started += threads;
      const finished = await runThreads(Array.from({ length: threads }, (_, index) => `${prompt}${first + index}`));
      if (finished.length !== threads) throw new Error(`${finished.length} of ${threads} threads came to an end`);
      for (const thread of finished) checkThread(thread, turns);
    },
    inspect: async () => ({ metrics: { events_per_thread: 0, ledger_rows_per_thread: 0 }, problems: [] }),
    async [Symbol.asyncDispose]() {
      await close?.();
    },
  };
}

/** Holds what a thread has come to against the workload. @throws Error if it has not done all of it */
export function checkThread(finished: Finished, turns: number): void {
  const problem = problemOf(finished, turns);
  if (problem !== undefined) throw new Error(`a thread ${problem}`);
}

/** What a thread has not done of the workload. */
export function problemOf({ answers, toolResults, text }: Finished, turns: number): string | undefined {
  if (answers !== turns || toolResults !== turns - 1)
    return `ended with ${answers} answers and ${toolResults} tool results, of ${turns} turns`;
  return text === answerOf(turns, turns).text ? undefined : `ended with "${text}"`;
}

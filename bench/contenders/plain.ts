/*
 * The arithmetic only: plain promises that wait for the same simulated model, call the same function, keep their
 * messages, and reserve and settle money in memory, as `plain-encode` does without its events. Hardly anything that does
 * this work can be cheaper in this language; Skein with log and ledger off (`skein-bare`) is held against it.
 */
import type { Work } from '../workload.ts';
import type { Library, RunThread } from './contender.ts';
import { afterCall, afterTools, beforeCall, callTools, endThread, startThread } from './plain-thread.ts';

/** Makes the contender. */
export function createPlain(): Library {
  return { threadsOf: (work) => plainThreads(work, work.callModel) };
}

/** Threads whose model is waited for as `callModel` says. */
export function plainThreads(work: Work, callModel: Work['callModel']): RunThread {
  const { turns } = work;
  return async (prompt, signal) => {
    const thread = startThread(prompt);
    for (let turn = 1; turn <= turns; turn++) {
      const answer = work.answerOf(turn);
      beforeCall(thread, answer);
      await callModel(signal);
      afterCall(thread, answer);
      const found = callTools(work, answer, signal);
      afterTools(thread, found instanceof Promise ? await found : found);
    }
    return endThread(thread);
  };
}

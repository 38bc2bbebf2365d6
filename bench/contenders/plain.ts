/*
 * The arithmetic only: plain promises that wait for the same simulated model, call the same function, keep their
 * messages, and reserve and settle money in memory, as `plain-encode` does without its events. Hardly anything that does
 * this work can be cheaper in this language; Skein with log and ledger off (`skein-bare`) is held against it.
 */
import { modelDelay } from '../workload.ts';
import type { Contender, ContenderSetup } from './contender.ts';
import { createInMemory, type Finished } from './in-memory.ts';
import { afterCall, beforeCall, endThread, startThread } from './plain-thread.ts';

/** Makes the contender. */
export async function createPlain(setup: ContenderSetup): Promise<Contender> {
  const { turns, llmMs } = setup.params;
  const callModel = (): Promise<void> => modelDelay(llmMs);
  return createInMemory(setup, {
    runThreads: (prompts) => Promise.all(prompts.map((prompt) => runThread(prompt, turns, callModel))),
  });
}

/** The loop, with a model that is waited for as `callModel` says. */
export async function runThread(prompt: string, turns: number, callModel: () => Promise<void>): Promise<Finished> {
  const thread = startThread(prompt, turns);
  for (let turn = 1; turn <= turns; turn++) {
    beforeCall(thread, turn);
    await callModel();
    afterCall(thread, turn);
  }
  return endThread(thread);
}

/*
 * Effect, as its guide "Running Effects" has it: a generator is the program of a thread, and `Effect.runPromise` at the
 * edge runs it in a fiber of its own, once a thread.
 *
 * Why this is fair: the work of a turn is that of `plain`, and the model is waited for through the same primitives
 * (`Effect.promise` around them, made once). Of the documented forms this was the cheapest: `Effect.forEach` over all
 * threads with `concurrency: 'unbounded'` took about twice as much, forking and joining them three times. A fiber can be
 * interrupted and its failures are typed, which a promise lacks; there is no event log, no limit and nothing durable.
 */
import { Effect } from 'effect';
import { modelDelay } from '../workload.ts';
import type { Contender, ContenderSetup } from './contender.ts';
import { createInMemory, type Finished } from './in-memory.ts';
import { afterCall, beforeCall, endThread, startThread } from './plain-thread.ts';

/** Makes the contender. */
export async function createEffect(setup: ContenderSetup): Promise<Contender> {
  const { turns, llmMs } = setup.params;
  const callModel = Effect.promise(() => modelDelay(llmMs));
  const runThread = (prompt: string): Effect.Effect<Finished> =>
    Effect.gen(function* () {
      const thread = startThread(prompt, turns);
      for (let turn = 1; turn <= turns; turn++) {
        beforeCall(thread, turn);
        yield* callModel;
        afterCall(thread, turn);
      }
      return endThread(thread);
    });
  return createInMemory(setup, {
    runThreads: (prompts) => Promise.all(prompts.map((prompt) => Effect.runPromise(runThread(prompt)))),
  });
}

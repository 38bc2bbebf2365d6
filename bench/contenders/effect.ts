/*
 * Effect, as its guide "Running Effects" has it: a generator is the program of a thread, and `Effect.runPromise` at the
 * edge runs it in a fiber of its own, once a thread.
 *
 * Why this is fair: the work of a turn is that of `plain`, and the model is waited for through the same primitives
 * (`Effect.promise` around them, made once). Of the documented forms this was the cheapest: `Effect.forEach` over all
 * threads with `concurrency: 'unbounded'` took about twice as much, forking and joining them three times. A fiber can be
 * interrupted and its failures are typed, which a promise lacks; there is no event log, no limit and nothing durable. A tool is a
 * function that answers with a promise, for Effect as for everybody: a thread that runs others in it starts a fiber of its own for each, and
 * hands its signal on. A call that may be cancelled is given the signal of its effect, as the guide has it.
 */
import { Effect } from 'effect';
import type { Work } from '../workload.ts';
import type { Finished, Library } from './contender.ts';
import { afterCall, afterTools, beforeCall, callTools, endThread, startThread } from './plain-thread.ts';

/** Makes the contender. */
export function createEffect(): Library {
  return {
    threadsOf(work) {
      const callModel = Effect.promise(() => work.callModel());
      // Only where somebody may cancel: an effect that is told has a controller for each call.
      const callAbortable = Effect.promise((signal) => work.callModel(signal));
      return (prompt, signal) => {
        if (!signal) return Effect.runPromise(threadOf(prompt, { work, callModel }));
        return Effect.runPromise(threadOf(prompt, { work, callModel: callAbortable, signal }), { signal });
      };
    },
  };
}

type Doing = { readonly work: Work; readonly callModel: Effect.Effect<void>; readonly signal?: AbortSignal };

function threadOf(prompt: string, { work, callModel, signal }: Doing): Effect.Effect<Finished> {
  return Effect.gen(function* () {
    const thread = startThread(prompt);
    for (let turn = 1; turn <= work.turns; turn++) {
      const answer = work.answerOf(turn);
      beforeCall(thread, answer);
      yield* callModel;
      afterCall(thread, answer);
      const found = callTools(work, answer, signal);
      afterTools(thread, found instanceof Promise ? yield* Effect.promise(() => found) : found);
    }
    return endThread(thread);
  });
}

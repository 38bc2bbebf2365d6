import { answerOf, modelDelay, type Answer } from '../workload.ts';

/** One call of the model, as a task of a pool is given it. */
export type ModelCall = { readonly messages: readonly unknown[]; readonly turns: number; readonly llmMs: number };

/** Answers a call in a worker. An answer and a tool's result stand between two turns. */
export default async function callModel({ messages, turns, llmMs }: ModelCall): Promise<Answer> {
  await modelDelay(llmMs);
  return answerOf((messages.length + 1) / 2, turns);
}

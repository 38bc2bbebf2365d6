import type { Answer, Found, Work } from '../workload.ts';
import type { Finished } from './contender.ts';
import { priceOf, reserve, rootNode, settle, worstCase, type LedgerNode } from './ledger-node.ts';

/** Something a thread has said or heard. */
export type Message = { readonly role: string; readonly text: string; readonly toolInputs?: unknown };

/** A thread without a runtime: what it has said and what it has spent. How it waits for the model is up to its contender. */
export type PlainThread = { readonly ledger: LedgerNode; readonly messages: Message[] };

/** A thread before its first turn. */
export function startThread(prompt: string): PlainThread {
  return { ledger: rootNode(), messages: [{ role: 'user', text: prompt }] };
}

/** Before a call of the model: reserves what it may cost. */
export function beforeCall({ ledger }: PlainThread, answer: Answer): void {
  reserve(ledger, worstCase(answer));
}

/** After it: records what it has cost, and keeps the answer. */
export function afterCall({ ledger, messages }: PlainThread, answer: Answer): void {
  settle(ledger, worstCase(answer), priceOf(answer));
  messages.push({ role: 'assistant', text: answer.text, toolInputs: answer.toolInputs });
}

/** Calls the tool with all that the model asks for. What answers at once is not waited for. */
export function callTools(
  { callTool }: Work,
  { toolInputs }: Answer,
  signal?: AbortSignal,
): readonly Found[] | Promise<readonly Found[]> {
  const results = toolInputs.map((input) => callTool(input, signal));
  return results.every(isThere) ? results : Promise.all(results.map((result) => Promise.resolve(result)));
}

function isThere(result: Found | Promise<Found>): result is Found {
  return !(result instanceof Promise);
}

/** Keeps what the tool has answered. */
export function afterTools({ messages }: PlainThread, found: readonly Found[]): void {
  for (const one of found) messages.push({ role: 'tool', text: JSON.stringify(one) });
}

/** What the thread has come to. */
export function endThread({ ledger, messages }: PlainThread): Finished {
  if (ledger.committed !== ledger.actual) throw new Error('a thread has money reserved at its end');
  let answers = 0;
  let toolResults = 0;
  for (const { role } of messages) {
    if (role === 'assistant') answers++;
    else if (role === 'tool') toolResults++;
  }
  return { answers, toolResults, text: messages.at(-1)?.text ?? '' };
}

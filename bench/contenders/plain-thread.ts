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
export function callTools({ callTool }: Work, { toolInputs }: Answer): readonly Found[] | Promise<readonly Found[]> {
  const found: Found[] = [];
  const awaited: Promise<Found>[] = [];
  for (const input of toolInputs) {
    const result = callTool(input);
    if (result instanceof Promise) awaited.push(result);
    else found.push(result);
  }
  return awaited.length > 0 ? Promise.all(awaited) : found;
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

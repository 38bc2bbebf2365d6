import { answerOf, lookUp } from '../workload.ts';
import type { Finished } from './in-memory.ts';
import { priceOf, reserve, rootNode, settle, worstCase, type LedgerNode } from './ledger-node.ts';

/** Something a thread has said or heard. */
export type Message = { readonly role: string; readonly text: string; readonly toolInput?: unknown };

/** A thread without a runtime: what it has said and what it has spent. How it waits for the model is up to its contender. */
export type PlainThread = { readonly turns: number; readonly ledger: LedgerNode; readonly messages: Message[] };

/** A thread before its first turn. */
export function startThread(prompt: string, turns: number): PlainThread {
  return { turns, ledger: rootNode(), messages: [{ role: 'user', text: prompt }] };
}

/** Before a call of the model: reserves what it may cost. */
export function beforeCall({ turns, ledger }: PlainThread, turn: number): void {
  reserve(ledger, worstCase(answerOf(turn, turns)));
}

/** After it: records what it has cost, keeps the answer, and calls the tool that the model asks for. */
export function afterCall({ turns, ledger, messages }: PlainThread, turn: number): void {
  const answer = answerOf(turn, turns);
  settle(ledger, worstCase(answer), priceOf(answer));
  messages.push({ role: 'assistant', text: answer.text, toolInput: answer.toolInput });
  if (answer.toolInput) messages.push({ role: 'tool', text: JSON.stringify(lookUp(answer.toolInput)) });
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

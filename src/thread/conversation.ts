import { addText } from './context-size.ts';
import type { Services } from './services.ts';
import type { Thread } from './thread.ts';

/** A thread and its worker. */
export type InWorker = { readonly thread: Thread; readonly services: Services };

/** Appends a user message to the conversation and the log. */
export function addUserMessage({ thread, services }: InWorker, text: string): void {
  thread.messages.push({ role: 'user', text });
  addText(thread, text);
  services.journal.record(thread, 'cognition_in', { text, role: 'user', directive: thread.plan.directive.id });
}

/** Delivers what was sent to the thread since the last turn (`ThreadHandle.send`). */
export function deliverInbox(worker: InWorker): void {
  const { inbox, assembly, modelFailure } = worker.thread;
  // A request in tiers that failed is sent again as it was laid out: what was said since waits for the next one.
  if (inbox.length === 0 || (assembly && modelFailure)) return;
  for (const text of inbox.splice(0)) addUserMessage(worker, text);
}

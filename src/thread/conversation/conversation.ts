import type { ContentPart, MediaPart } from '../../core/content-part.ts';
import { estimateMediaTokens } from '../../providers/media-tokens.ts';
import { addText, addTokens } from './context-size.ts';
import type { Services } from '../services/services.ts';
import type { Thread } from '../thread.ts';

/** A thread and its worker. */
export type InWorker = { readonly thread: Thread; readonly services: Services };

/** Appends a user message to the conversation and the log; images, files and audio stand behind its text. */
export function addUserMessage({ thread, services }: InWorker, text: string, media: readonly MediaPart[] = []): void {
  const parts = messageParts(text, media);
  thread.messages.push({ role: 'user', text, ...parts });
  addText(thread, text);
  if (media.length > 0) addTokens(thread, estimateMediaTokens(media));
  const directive = thread.plan.directive.id;
  services.journal.record(thread, 'cognition_in', { text, role: 'user', ...parts, directive });
}

/** A message's parts, where it is not text alone. */
export function messageParts(
  text: string,
  media: readonly MediaPart[] = [],
): { readonly parts?: readonly ContentPart[] } {
  return media.length > 0 ? { parts: [{ kind: 'text', value: text }, ...media] } : {};
}

/** Delivers what was sent to the thread since the last turn (`ThreadHandle.send`). */
export function deliverInbox(worker: InWorker): void {
  const { inbox, assembly, modelFailure } = worker.thread;
  // A request in tiers that failed is sent again as it was laid out: what was said since waits for the next one.
  if (inbox.length === 0 || (assembly && modelFailure)) return;
  for (const text of inbox.splice(0)) addUserMessage(worker, text);
  // The last checkpoint may have them in it, and they would be said once more.
  worker.thread.checkpointDue = true;
}

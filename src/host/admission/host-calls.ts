import type { HostContext } from '../host-context.ts';
import type { ThreadEntry } from '../rest/thread-table.ts';
import { answerThread, assignThreads, goOnUnanswered } from './admission.ts';
import { lendSlot } from './lend-slot.ts';

/** A thread has called a function of the embedder's, which may wait for what was spawned below the thread before. */
export function beginHostCall(host: HostContext, entry: ThreadEntry, key: string): void {
  (entry.hostCalls ??= new Set()).add(key);
  if (lendSlot(host, entry)) assignThreads(host);
}

/** The function has answered: the thread hears that with its slot, unless it waits for something else anyway. */
export function answerHostCall(
  host: HostContext,
  entry: ThreadEntry,
  { key, tell }: { readonly key: string; readonly tell: () => void },
): void {
  entry.hostCalls?.delete(key);
  if (goesOn(entry)) answerThread(host, entry, tell);
  else tell();
}

/** The thread goes on without its answer. One that is stopped takes no further step. */
export function giveUpHostCall(host: HostContext, entry: ThreadEntry, key: string): void {
  entry.hostCalls?.delete(key);
  const isStopped = entry.cancelReason !== undefined || entry.suspendAsked !== undefined;
  if (!isStopped && goesOn(entry)) goOnUnanswered(host, entry);
}

function goesOn({ hostCalls, openWaits, joining }: ThreadEntry): boolean {
  return !hostCalls?.size && !openWaits?.size && !joining;
}

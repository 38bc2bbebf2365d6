import { isTakenAlong } from '../admission/child-policy.ts';
import type { HostContext } from '../host-context.ts';
import type { ThreadEntry } from '../rest/thread-table.ts';

/**
 * A thread and those below it that are being cancelled and have not ended: who cancels waits for all of them, since they
 * end in several workers. Also those that a cancellation in slices has not reached. They are looked for as they are asked for:
 * who has ended meanwhile is not among them.
 */
export function* beingCancelled(
  host: Pick<HostContext, 'config' | 'table'>,
  entry: ThreadEntry,
): Generator<ThreadEntry, undefined> {
  const isMeant = entry.cancelReason !== undefined || isTakenAlong(host, entry);
  if (isMeant && entry.phase !== 'ended') yield entry;
  // What a policy spares goes on, with everything below it.
  if (!isMeant && entry.phase !== 'ended') return;
  // The last ends last: who waits for it finds most of the others ended.
  for (const thread of [...(entry.children ?? [])].toReversed()) {
    const child = entry.children?.has(thread) ? host.table.recall(thread) : undefined;
    if (child) yield* beingCancelled(host, child);
  }
}

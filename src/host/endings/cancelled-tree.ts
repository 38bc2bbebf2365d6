import { isTakenAlong } from '../admission/child-policy.ts';
import type { HostContext } from '../host-context.ts';
import type { ThreadEntry } from '../rest/thread-table.ts';

/**
 * A thread and those below it that are being cancelled and have not ended: who cancels waits for all of them, since they
 * end in several workers. Also those that a cancellation in slices has not reached. O(threads below).
 */
export function beingCancelled(host: Pick<HostContext, 'config' | 'table'>, entry: ThreadEntry): ThreadEntry[] {
  const open = [entry];
  const found: ThreadEntry[] = [];
  for (let one = open.pop(); one; one = open.pop()) {
    const isOver = one.phase === 'ended';
    const isMeant = one.cancelReason !== undefined || isTakenAlong(host, one);
    if (!isOver && isMeant) found.push(one);
    // What a policy spares goes on, with everything below it.
    if (isOver || isMeant) for (const child of host.table.childrenOf(one)) open.push(child);
  }
  return found;
}

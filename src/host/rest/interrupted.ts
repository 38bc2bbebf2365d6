import type { HostContext } from '../host-context.ts';
import type { ThreadEntry } from './thread-table.ts';

/** Whether the end of a runtime has interrupted a thread, and nobody has done anything about it yet. */
export function isInterrupted(entry: ThreadEntry): boolean {
  const isAsked = entry.cancelReason !== undefined || entry.suspendAsked !== undefined || entry.resuming;
  return entry.phase === 'suspended' && entry.suspendReason === 'shutdown' && !isAsked;
}

/** Whether a thread in no worker goes on by itself: in its turn, or once it is taken up after the end of a runtime. */
export function isPaused(entry: ThreadEntry): boolean {
  return entry.phase === 'queued' || isInterrupted(entry);
}

/** A thread and everything open below it, parents before their children. */
export function withBelow(top: ThreadEntry, { table }: Pick<HostContext, 'table'>): ThreadEntry[] {
  const tree = [top];
  for (let at = 0; at < tree.length; at++) {
    const one = tree[at];
    // One by one: a thread may have more than a call takes arguments.
    if (one) for (const child of table.childrenOf(one)) tree.push(child);
  }
  return tree;
}

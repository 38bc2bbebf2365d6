import type { HostContext } from '../host-context.ts';
import type { ThreadEntry } from './thread-table.ts';

/** Whether the end of a runtime has interrupted a thread, and nobody has done anything about it yet. */
export function isInterrupted({ phase, suspendReason, cancelReason, resuming }: ThreadEntry): boolean {
  return phase === 'suspended' && suspendReason === 'shutdown' && cancelReason === undefined && !resuming;
}

/** A thread and everything open below it, parents before their children. */
export function withBelow(top: ThreadEntry, { table }: Pick<HostContext, 'table'>): ThreadEntry[] {
  const tree = [top];
  for (let at = 0; at < tree.length; at++) {
    const one = tree[at];
    if (one) tree.push(...table.childrenOf(one));
  }
  return tree;
}

import type { HostContext } from '../host-context.ts';
import type { ThreadEntry } from '../rest/thread-table.ts';

/**
 * A function of the embedder's that a thread has called may wait for any child of the thread, and nobody is told that it does: others
 * may have the slot meanwhile, the child among them. The thread goes on with a slot once no such call is open. Whether it has given
 * it back.
 */
export function lendSlot({ slots }: Pick<HostContext, 'slots'>, entry: ThreadEntry): boolean {
  if (entry.phase !== 'running' || !entry.hostCalls?.size || entry.liveChildren === 0) return false;
  entry.phase = 'waiting';
  slots.yieldSlot();
  return true;
}

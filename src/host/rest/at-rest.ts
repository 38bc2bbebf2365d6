import type { ThreadEntry } from './thread-table.ts';

/** A thread that has or had more below it stays in memory: reading it back counts all of them. */
const SMALL_FAMILY = 100;

/**
 * Whether the rows, and the line of those that wait for a slot, say everything there is to know of a thread: nobody waits for
 * it, nothing is being written or asked of it, it is not suspected of a lost worker, and it is suspended or in line as its row says.
 */
export function isAtRest(entry: ThreadEntry): boolean {
  if (entry.waiters?.size || entry.cancelReason !== undefined || entry.heldEnd || entry.handOverAsked) return false;
  if (entry.resuming || entry.openWaits?.size || entry.heirOf.length > 0 || entry.worker >= 0) return false;
  if (entry.apart || entry.lostAlone > 0) return false;
  if (entry.treeSpawned > SMALL_FAMILY) return false;
  return entry.phase === 'suspended' ? !entry.inLine : entry.inLine && isPlain(entry);
}

/** Whether it waits for its turn, and that is all that its order says. */
function isPlain({ phase, order }: ThreadEntry): boolean {
  return phase === 'queued' && order?.kind === 'resume';
}

import type { HostContext } from '../host-context.ts';
import type { ThreadEntry } from '../rest/thread-table.ts';

/**
 * Puts a thread in line for a slot, to start or to be resumed as its order says. One that left the line before its turn
 * has its place still, and takes it again.
 */
export function standInLine({ slots, table }: Pick<HostContext, 'slots' | 'table'>, entry: ThreadEntry): void {
  table.keep(entry);
  if (entry.inLine) return;
  entry.inLine = true;
  slots.enqueue(entry.owner, entry.lineage.thread);
}

/**
 * How many threads wait for their turn. One that was cancelled or suspended in line has a place there still, which is passed over
 * when its turn comes: those who wait are counted, if there are any. O(threads in memory).
 */
export function countInLine({ slots, table }: Pick<HostContext, 'slots' | 'table'>): number {
  if (slots.queued() === 0) return 0;
  let count = 0;
  for (const _ of table.inLine()) count++;
  for (const { phase, order, inLine, lineage } of table.live())
    if (inLine && order && phase === 'queued' && !table.isInLine(lineage.thread)) count++;
  return count;
}

/** Threads in line whose entries are kept ready; the others are read back when their turn comes. */
const KEPT_READY = 1_000;

/**
 * Lets go of a thread that stands far behind in line. All that its order says beyond its turn is in its row: it goes on like
 * one that was suspended before its first step.
 */
export function restInLine({ slots, table }: Pick<HostContext, 'slots' | 'table'>, entry: ThreadEntry): void {
  if (entry.phase !== 'queued' || !entry.order || slots.queued() <= KEPT_READY) return;
  entry.order = { kind: 'resume' };
  table.rest(entry);
}

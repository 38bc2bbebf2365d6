import type { HostContext } from '../host-context.ts';
import type { ThreadEntry } from '../rest/thread-table.ts';

/**
 * Puts a thread in line for a slot, to start or to be resumed as its order says. One that left the line before its turn
 * has its place still, and takes it again.
 */
export function standInLine({ slots, table }: Pick<HostContext, 'slots' | 'table'>, entry: ThreadEntry): void {
  table.keep(entry);
  if (entry.inLine) return slots.waitAgain(entry.lineage.thread);
  entry.inLine = true;
  slots.enqueue(entry.owner, entry.lineage.thread);
}

/** One that has ended or is suspended, or whose end is held back, waits for no turn: if it has a place in line, that is passed over. */
export function stopWaiting({ slots }: Pick<HostContext, 'slots'>, { inLine, lineage }: ThreadEntry): void {
  if (inLine) slots.passOver(lineage.thread);
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

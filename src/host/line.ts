import type { HostContext } from './host-context.ts';
import type { ThreadEntry } from './thread-table.ts';

/**
 * Puts a thread in line for a slot, to start or to be resumed as its order says. One that left the line before its turn
 * has its place still, and takes it again.
 */
export function standInLine({ slots }: Pick<HostContext, 'slots'>, entry: ThreadEntry): void {
  if (entry.inLine) return;
  entry.inLine = true;
  slots.enqueue(entry.owner, entry.lineage.thread);
}

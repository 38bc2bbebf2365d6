import type { HostContext } from './host-context.ts';
import { ROOT_OWNER } from './slots.ts';
import type { ThreadEntry } from './thread-table.ts';

/** Puts a thread in line for a slot, to start or to be resumed as its order says. */
export function standInLine({ slots }: Pick<HostContext, 'slots'>, entry: ThreadEntry): void {
  entry.inLine = true;
  slots.enqueue(entry.lineage.parent ?? ROOT_OWNER, entry.lineage.thread);
}

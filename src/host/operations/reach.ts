import type { ThreadNo } from '../../core/ids.ts';
import type { StoreReader, ThreadRow } from '../../core/store.ts';
import { predecessorsOf } from './stored-threads.ts';

/** Which threads a thread may name: those `below` it, or `self` as well. */
export type Reach = 'self' | 'below';

/**
 * Whether a thread is within the reach of the one that asks: least capability is its own subtree (ADR 19). What its
 * predecessors were and started is its own, too: it has taken over from them.
 */
export function isInReach(target: ThreadRow, { caller, reach, reader }: ReachOf): boolean {
  const lineage = new Set(lineOf(reach === 'self' ? target : parentOf(target, reader), { caller, reader }));
  if (lineage.has(caller)) return true;
  const row = reader.threadByNo(caller);
  return row !== undefined && predecessorsOf(reader, row).some(({ thread }) => lineage.has(thread));
}

/** Who asks, and for what. */
export type ReachOf = { readonly caller: ThreadNo; readonly reach: Reach; readonly reader: StoreReader };

/** A thread and those above it, up to the one that asks. */
function* lineOf(
  from: ThreadRow | undefined,
  { caller, reader }: Pick<ReachOf, 'caller' | 'reader'>,
): Generator<ThreadNo, void> {
  for (let row = from; row; row = parentOf(row, reader)) {
    yield row.thread;
    if (row.thread === caller) return;
  }
}

function parentOf({ parent }: ThreadRow, reader: StoreReader): ThreadRow | undefined {
  return parent === undefined ? undefined : reader.threadByNo(parent);
}

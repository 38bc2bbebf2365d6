import type { LoadOp, StoredThread } from '../core/store.ts';
import { toStoredChild, toThreadRow, type RawThread } from './rows.ts';
import type { Statements } from './statements.ts';
import { readLedger } from './stored-ledger.ts';

/** A thread as it is read back from the rows that are written; `raw` is its registry row. */
export function loadStored(
  sql: Statements,
  raw: RawThread,
  { thread, withChildren = false, onlyRaises = false }: LoadOp,
): StoredThread | undefined {
  const spec = sql.spec.get(thread);
  if (spec === undefined) return undefined;
  const reserved = readLedger(sql, thread)?.reserved ?? 0;
  return {
    row: toThreadRow(raw),
    spec,
    checkpoint: sql.checkpoint.get(thread),
    lines: (onlyRaises ? sql.raises.all(thread, thread) : sql.lines.all(thread)).join(''),
    lastSequence: sql.lastSequence.get(thread) ?? 0,
    ...(reserved > 0 && { reserved }),
    children: withChildren ? sql.children.all(thread).map(toStoredChild) : [],
  };
}

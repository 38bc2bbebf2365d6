import { childLines } from '../core/child-events.ts';
import type { LoadOp, StoredThread } from '../core/store.ts';
import { toStoredChild, toThreadRow, type RawThread } from './rows.ts';
import type { Statements } from './statements.ts';
import { readLedger } from './stored-ledger.ts';

/** A thread as it is read back from the rows that are written; `raw` is its registry row. */
export function loadStored(sql: Statements, raw: RawThread, op: LoadOp): StoredThread | undefined {
  const { thread, withChildren = false } = op;
  const spec = sql.spec.get(thread);
  if (spec === undefined) return undefined;
  const reserved = readLedger(sql, thread)?.reserved ?? 0;
  return {
    row: toThreadRow(raw),
    spec,
    checkpoint: sql.checkpoint.get(thread),
    lines: linesFor(op, sql),
    lastSequence: sql.lastSequence.get(thread) ?? 0,
    ...(reserved > 0 && { reserved }),
    children: withChildren ? sql.children.all(thread).map(toStoredChild) : [],
  };
}

function linesFor({ thread, withChildren, onlyRaises = false }: LoadOp, sql: Statements): string {
  if (onlyRaises) return sql.raises.all(thread, thread).join('');
  if (withChildren === 'only') return childLines(sql.aboutChildren.all(thread).join(''));
  return sql.lines.all(thread).join('');
}

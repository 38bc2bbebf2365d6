import type { ThreadNo } from '../core/ids.ts';
import type { LedgerRow } from '../core/store.ts';
import type { Unwritten } from './budget-node.ts';
import { toLedgerRow } from './rows.ts';
import type { Statements } from './statements.ts';

/** A node's row, if there is one. */
export function readLedger(sql: Statements, thread: ThreadNo): LedgerRow | undefined {
  const raw = sql.ledger.get(thread);
  return raw && toLedgerRow(raw);
}

/** A changed node, what of it has to be written, and when it changed: milliseconds since the epoch. */
export type LedgerChange = { readonly row: LedgerRow; readonly unwritten: Unwritten; readonly at: number };

/** Writes a node's row, or what of it has changed. */
export function writeLedger(sql: Statements, { row, unwritten, at }: LedgerChange): void {
  const { thread, parent, reserved, extra, actual, committed, max, status } = row;
  if (unwritten === 'amounts') return void sql.updateLedger.run(reserved, actual, committed, max, at, thread);
  if (unwritten === 'all') {
    sql.insertLedger.run(reserved, actual, committed, status, at, thread, parent ?? null, max, at, extra);
    return;
  }
  sql.restateLedger.run(reserved, actual, committed, max, at, status, extra, thread);
  if (unwritten === 'parent') sql.moveLedger.run(parent ?? null, thread);
}

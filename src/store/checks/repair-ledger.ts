import { isEnded } from '../../core/ending.ts';
import type { ThreadNo } from '../../core/ids.ts';
import type { Connection } from '../connection.ts';
import { LEDGER_FACTS, type LedgerFacts } from './check-ledger.ts';

/**
 * Makes the books of the tree that a thread is in from what they rest on: threads that have ended reserve nothing, nobody
 * reserves for a call that is not made, and what a node holds is the sum of what is below it. What was spent never falls.
 * Returns how many nodes were changed.
 */
export function repairTree(db: Connection, thread: ThreadNo): number {
  const nodes = db.prepare<[ThreadNo], ThreadNo>(DEEPEST_FIRST).pluck().all(thread);
  const facts = db.prepare<[ThreadNo], LedgerFacts>(`${LEDGER_FACTS} WHERE l.thread = ?`);
  const update = db.prepare(UPDATE);
  const closeEntries = db.prepare("UPDATE budget_entries SET open_amount = 0 WHERE thread = ? AND open_amount <> '0'");
  let changed = 0;
  for (const node of nodes) {
    const found = facts.get(node);
    if (!found) continue;
    if (isEnded(found.status)) closeEntries.run(node);
    const { status, reserved, extra, actual } = nodeOf(found);
    const committed = reserved + extra + actual + found.below_held;
    const values = [status, reserved, extra, actual, committed];
    changed += update.run(...values, node, ...values).changes;
  }
  return changed;
}

/** What a node should say of itself. */
function nodeOf(facts: LedgerFacts) {
  const isOver = isEnded(facts.status);
  const wasReleased = facts.node === 'released' ? 'active' : facts.node;
  return {
    status: isOver ? 'released' : wasReleased,
    reserved: isOver || (facts.status === 'suspended' && facts.is_kept === 0) ? 0 : facts.reserved_spend,
    extra: isOver ? 0 : facts.open_entries,
    actual: Math.max(facts.actual_spend, facts.own + facts.below_actual),
  };
}

const UPDATE = `UPDATE budget_ledger SET status = ?, reserved_spend = ?, extra_reserved = ?, actual_spend = ?, committed = ?
  WHERE thread = ? AND (status, reserved_spend, extra_reserved, actual_spend, committed) <> (?, ?, ?, ?, ?)`;

const DEEPEST_FIRST = `
  WITH RECURSIVE
    above(thread, parent) AS (
      SELECT thread, parent_thread FROM budget_ledger WHERE thread = ?
      UNION SELECT l.thread, l.parent_thread FROM above a JOIN budget_ledger l ON l.thread = a.parent
    ),
    below(thread, depth) AS (
      SELECT thread, 0 FROM above WHERE parent IS NULL
      UNION SELECT c.thread, b.depth + 1 FROM below b CROSS JOIN budget_ledger c ON c.parent_thread = b.thread
    )
  SELECT thread FROM below ORDER BY depth DESC`;

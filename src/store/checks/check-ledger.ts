import { isEnded } from '../../core/ending.ts';
import type { Finding } from '../../core/finding.ts';
import type { ThreadNo } from '../../core/ids.ts';
import { INTERRUPTED } from '../../core/interruption.ts';
import type { RawLedger, RawThread } from '../rows.ts';
import type { CheckedDatabase } from './checked-database.ts';

/** A node with what its row in the registry and the nodes below it say. */
export type LedgerFacts = RawLedger &
  Pick<RawThread, 'thread_id' | 'status' | 'spend' | 'root_thread'> & {
    readonly node: RawLedger['status'];
    /** What its own calls have cost: without those of the thread that handed over to it. */
    readonly own: number;
    readonly open_entries: number;
    readonly below_actual: number;
    readonly below_held: number;
    /** 1: it was interrupted in a call, whose reservation stays until it makes that call again. */
    readonly is_kept: 0 | 1;
  };

/** `held` of `src/store/budget-node.ts`. */
const HELD = "CASE WHEN c.status = 'active' THEN MAX(c.max_spend, c.committed) ELSE c.committed END - c.actual_spend";

/** What a thread's own calls have cost, `t` being its row and `p` that of its predecessor. */
const OWN = "t.spend - CASE WHEN p.status = 'continued' THEN p.spend ELSE 0 END";

/** Whether the log of the suspended thread `t` has been interrupted since the last call that was settled. */
const IS_KEPT = `l.reserved_spend > 0 AND t.status = 'suspended' AND EXISTS (
      SELECT 1 FROM events e WHERE e.thread = t.thread
        AND (instr(e.lines, '"message":"${INTERRUPTED.runtime}"') OR instr(e.lines, '"message":"${INTERRUPTED.worker}"'))
        AND NOT EXISTS (SELECT 1 FROM events u WHERE u.thread = e.thread AND u.first_sequence > e.first_sequence
          AND instr(u.lines, '"event_type":"usage"')))`;

/** The facts of nodes; indexes lead to everything that is summed. */
export const LEDGER_FACTS = `
  SELECT l.thread, l.parent_thread, l.reserved_spend, l.extra_reserved, l.actual_spend, l.committed, l.max_spend,
    l.status AS node, t.thread_id, t.status, t.spend, t.root_thread, ${OWN} AS own,
    (SELECT COALESCE(SUM(e.open_amount), 0) FROM budget_entries e WHERE e.thread = l.thread) AS open_entries,
    (SELECT COALESCE(SUM(c.actual_spend), 0) FROM budget_ledger c WHERE c.parent_thread = l.thread) AS below_actual,
    (SELECT COALESCE(SUM(${HELD}), 0) FROM budget_ledger c WHERE c.parent_thread = l.thread) AS below_held,
    ${IS_KEPT} AS is_kept
  FROM budget_ledger l JOIN threads t USING (thread) LEFT JOIN threads p ON p.thread = t.predecessor`;

/** B1 to B4 over all trees. Of B2 a file shows that nothing below a node was forgotten. */
export function* checkLedger(database: CheckedDatabase): Generator<Finding> {
  const facts = database.db.prepare<[], LedgerFacts>(`${LEDGER_FACTS} ORDER BY l.thread`);
  for (const node of facts.iterate()) {
    if (database.isMoved(node.thread)) continue;
    for (const finding of nodeFindings(node, database)) yield { ...finding, threadId: node.thread_id };
  }
  yield* checkSums(database);
}

type Found = Pick<Finding, 'invariant' | 'message'>;

function* nodeFindings(node: LedgerFacts, database: CheckedDatabase): Generator<Found> {
  const { committed, reserved_spend: reserved, extra_reserved: extra, actual_spend: actual, max_spend: max } = node;
  if (Math.min(committed, reserved, extra, actual, max) < 0)
    yield { invariant: 'B2', message: 'an amount is negative' };
  const sum = reserved + extra + actual + node.below_held;
  if (committed !== sum)
    yield { invariant: 'B1', message: `committed is ${committed}, and what it consists of ${sum}` };
  if (committed > max && !hasOverspent(node.thread, database)) {
    yield { invariant: 'B1', message: `committed is ${committed}, over the maximum of ${max}, and no call overspent` };
  }
  if (actual < node.own + node.below_actual) {
    const least = node.own + node.below_actual;
    yield { invariant: 'B2', message: `actual is ${actual}, and what was spent at least ${least}` };
  }
  yield* reservationFindings(node);
}

/** B3: no reservation outlives its thread. */
function* reservationFindings(node: LedgerFacts): Generator<Found> {
  const { status, reserved_spend: reserved, extra_reserved: extra, open_entries: entries, is_kept: isKept } = node;
  const isOver = isEnded(status);
  if (isOver !== (node.node === 'released')) {
    yield { invariant: 'B3', message: `the thread is ${status}, and its node ${node.node}` };
  }
  if (isOver && reserved + extra > 0)
    yield { invariant: 'B3', message: `it has ended and reserves ${reserved + extra}` };
  if (status === 'suspended' && reserved > 0 && isKept === 0) {
    yield { invariant: 'B3', message: `it is suspended and reserves ${reserved} for a call` };
  }
  if (extra !== entries)
    yield { invariant: 'B3', message: `hooks reserved ${extra}, and their entries say ${entries}` };
}

/** Only a call that cost more than was reserved, or a hook's report, takes a node over its maximum. */
function hasOverspent(thread: ThreadNo, { db }: CheckedDatabase): boolean {
  return db.prepare<[ThreadNo], number>(OVERSPENT).pluck().get(thread) !== undefined;
}

const OVERSPENT = `
  WITH RECURSIVE below(thread) AS (
    SELECT ? UNION SELECT c.thread FROM below b CROSS JOIN budget_ledger c ON c.parent_thread = b.thread
  )
  SELECT 1 FROM below WHERE
    EXISTS (SELECT 1 FROM events e WHERE e.thread = below.thread AND instr(e.lines, '"event_type":"budget_overspend"'))
    OR EXISTS (SELECT 1 FROM budget_entries n WHERE n.thread = below.thread AND n.operation = 'report_actual')
  LIMIT 1`;

type TreeSum = { readonly root: ThreadNo; readonly charged: number; readonly actual: number };

/** B4: what the roots of a tree have spent is all that was settled in it. Hooks' reports move along a chain. */
function* checkSums(database: CheckedDatabase): Generator<Finding> {
  for (const { root, charged, actual } of database.db.prepare<[], TreeSum>(TREE_SUMS).iterate()) {
    if (charged === actual || database.isMoved(root)) continue;
    const message = `the tree has spent ${charged}, and its books say ${actual}`;
    const threadId = database.thread(root)?.thread_id;
    yield { invariant: 'B4', message, ...(threadId !== undefined && { threadId }) };
  }
}

const TREE_SUMS = `
  SELECT t.root_thread AS root,
    SUM(${OWN} + (SELECT COALESCE(SUM(e.amount), 0) FROM budget_entries e
      WHERE e.thread = t.thread AND e.operation = 'report_actual')) AS charged,
    SUM(CASE WHEN l.parent_thread IS NULL THEN l.actual_spend ELSE 0 END) AS actual
  FROM threads t JOIN budget_ledger l USING (thread) LEFT JOIN threads p ON p.thread = t.predecessor
  GROUP BY t.root_thread HAVING charged <> actual`;

import type { Finding, Repair } from '../../core/finding.ts';
import type { ThreadId, ThreadNo } from '../../core/ids.ts';
import type { Connection } from '../connection.ts';
import { checkFile } from './check-file.ts';
import { checkedDatabase, type CheckedDatabase } from './checked-database.ts';
import type { DatabaseCheck } from './check-database.ts';
import { numberOf, repairRow } from './repair-log-rows.ts';
import { repairTree } from './repair-ledger.ts';

/**
 * Repairs what findings are about, where nothing is lost by it, and says what it did: indexes from their tables, registry rows
 * from their logs, the books of a tree from its rows, questions to people that nobody needs an answer to. No event is ever
 * changed. One transaction; whether all is well now, another check says.
 */
export function repairDatabase(db: Connection, findings: readonly Finding[], check: DatabaseCheck): Repair[] {
  const indexes = findings.some(({ invariant }) => invariant === 'file') ? rebuildIndexes(db) : [];
  // What SQLite can't read is nothing to reckon with.
  if (isDamaged(db)) return indexes;
  const database = checkedDatabase(db, check);
  return db.transaction(() => [...indexes, ...repairThreads(database, findings, check)]).immediate();
}

function rebuildIndexes(db: Connection): Repair[] {
  const before = [...checkFile(db)];
  if (before.length === 0 || before.some(({ message }) => !/\bindex\b/i.test(message))) return [];
  db.exec('REINDEX');
  return isDamaged(db) ? [] : [{ message: 'the indexes were made anew' }];
}

function isDamaged(db: Connection): boolean {
  return [...checkFile(db)].length > 0;
}

function repairThreads(database: CheckedDatabase, findings: readonly Finding[], check: DatabaseCheck): Repair[] {
  const { db } = database;
  const repairs: Repair[] = [];
  const trees = new Map<ThreadNo, ThreadId>();
  for (const [threadId, invariants] of threadsIn(findings)) {
    const thread = numberOf(database, threadId);
    const row = thread === undefined ? undefined : database.thread(thread);
    if (!row) continue;
    const done = invariants.has('E5') || invariants.has('rows') ? repairRow(database, row, check) : undefined;
    if (done !== undefined) repairs.push({ threadId, message: done });
    const isBooked = BOOKS.some((invariant) => invariants.has(invariant));
    if (isBooked || done !== undefined) trees.set(row.thread, threadId);
  }
  for (const [thread, threadId] of trees) {
    const nodes = repairTree(db, thread);
    if (nodes > 0) repairs.push({ threadId, message: `the books of its tree were made anew: ${nodes} changed` });
  }
  return [...repairs, ...closeQuestions(database)];
}

const BOOKS = ['B1', 'B2', 'B3', 'B4'] as const;

function threadsIn(findings: readonly Finding[]): ReadonlyMap<ThreadId, ReadonlySet<Finding['invariant']>> {
  const threads = new Map<ThreadId, Set<Finding['invariant']>>();
  for (const { threadId, invariant } of findings) {
    if (threadId === undefined) continue;
    const known = threads.get(threadId) ?? new Set();
    threads.set(threadId, known.add(invariant));
  }
  return threads;
}

function closeQuestions({ db }: CheckedDatabase): Repair[] {
  const { changes } = db.prepare(CLOSE).run();
  return changes === 0 ? [] : [{ message: `${changes} questions of ended threads were withdrawn` }];
}

const CLOSE = `UPDATE approvals SET status = 'cancelled' WHERE status = 'pending'
  AND thread IN (SELECT thread FROM threads WHERE ended_at IS NOT NULL)`;

import type { Finding, Invariant } from '../../core/finding.ts';
import type { ThreadId } from '../../core/ids.ts';
import { foreignSchema, type Connection } from '../connection.ts';
import { checkedDatabase, type Beside, type CheckedDatabase } from './checked-database.ts';
import { checkFile, fileFinding, whileReadable } from './check-file.ts';
import { checkLedger } from './check-ledger.ts';
import { checkLogs, type LogCheck } from './check-logs.ts';
import { checkRows } from './check-rows.ts';

/** What a database is checked with. */
export type DatabaseCheck = LogCheck &
  Beside & {
    /** Events that somebody was told are on disk (E1): the last one of each thread. */
    readonly acknowledged?: ReadonlyMap<ThreadId, number>;
    /** Findings of one invariant that are told; default 100. */
    readonly limit?: number;
  };

const DEFAULT_LIMIT = 100;

/**
 * Everything that does not hold in a database, as far as a file shows it: an empty list means that it is clean. Needs a
 * connection that can read, and reads in one transaction, so that a runtime may go on writing. Memory does not grow with
 * the number of threads; time does.
 */
export function checkDatabase(db: Connection, check: DatabaseCheck): Finding[] {
  return db.transaction(() => atMost(whileReadable(db, findingsIn(db, check)), check.limit ?? DEFAULT_LIMIT))();
}

function* findingsIn(db: Connection, check: DatabaseCheck): Generator<Finding> {
  yield* checkFile(db);
  const foreign = foreignSchema(db);
  if (foreign !== undefined) yield fileFinding(db.name, foreign);
  const database = checkedDatabase(db, check);
  yield* checkRows(database);
  yield* checkLogs(database, check);
  yield* checkAcknowledged(database, check.acknowledged);
  // Books are kept where threads can still spend; a tree comes to the archive thread by thread.
  if (!check.isArchive) yield* checkLedger(database);
}

/** E1. */
function* checkAcknowledged({ db }: CheckedDatabase, acknowledged: DatabaseCheck['acknowledged']): Generator<Finding> {
  if (!acknowledged) return;
  const last = db.prepare<[string], number | null>(
    'SELECT MAX(last_sequence) FROM threads LEFT JOIN events USING (thread) WHERE thread_id = ?',
  );
  for (const [threadId, sequence] of acknowledged) {
    const found = last.pluck().get(threadId) ?? 0;
    if (found >= sequence) continue;
    yield {
      invariant: 'E1',
      threadId,
      sequence,
      message: `event ${sequence} was acknowledged, and the last is ${found}`,
    };
  }
}

/** The first ones of each kind. */
function atMost(findings: Iterable<Finding>, limit: number): Finding[] {
  const counts = new Map<Invariant, number>();
  const kept: Finding[] = [];
  for (const finding of findings) {
    const count = (counts.get(finding.invariant) ?? 0) + 1;
    counts.set(finding.invariant, count);
    if (count <= limit) kept.push(finding);
  }
  const more = [...counts].filter(([, count]) => count > limit);
  return [
    ...kept,
    ...more.map(([invariant, count]): Finding => ({ invariant, message: `and ${count - limit} more of ${invariant}` })),
  ];
}

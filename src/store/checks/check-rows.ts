import { isEnded, THREAD_STATUSES } from '../../core/ending.ts';
import type { Finding } from '../../core/finding.ts';
import type { ThreadNo } from '../../core/ids.ts';
import { circularLink, type RawThread } from '../rows.ts';
import type { CheckedDatabase } from './checked-database.ts';

/** Tables whose rows belong to a thread. */
const OWNED = ['events', 'budget_ledger', 'checkpoints', 'approvals', 'budget_entries'] as const;

/** That every row belongs to a thread, links lead somewhere, and the columns of a row fit each other. */
export function* checkRows(database: CheckedDatabase): Generator<Finding> {
  yield* strayRows(database);
  for (const row of database.threads()) {
    for (const message of [...linkProblems(row, database), ...columnProblems(row)]) {
      yield { invariant: 'rows', threadId: row.thread_id, message };
    }
  }
  yield* rowsOf(database, UNBOOKED, 'it has no row in the budget ledger');
  yield* rowsOf(database, ASKED_AFTER_END, 'it has ended, and a person is still asked');
}

const UNBOOKED = 'SELECT thread FROM threads t WHERE NOT EXISTS (SELECT 1 FROM budget_ledger WHERE thread = t.thread)';
const ASKED_AFTER_END = `SELECT thread FROM approvals a JOIN threads t USING (thread)
  WHERE a.status = 'pending' AND t.ended_at IS NOT NULL`;

function* rowsOf(database: CheckedDatabase, sql: string, message: string): Generator<Finding> {
  for (const thread of database.db.prepare<[], ThreadNo>(sql).pluck().iterate()) {
    const threadId = database.thread(thread)?.thread_id;
    if (database.isMoved(thread) || threadId === undefined) continue;
    yield { invariant: 'rows', threadId, message };
  }
}

/** A thread comes to the archive in slices, its own row last, and leaves the database in slices. */
function* strayRows(database: CheckedDatabase): Generator<Finding> {
  for (const table of OWNED) {
    const stray = database.db.prepare<[], ThreadNo>(
      `SELECT DISTINCT thread FROM ${table} o WHERE NOT EXISTS (SELECT 1 FROM threads WHERE thread = o.thread)`,
    );
    for (const thread of stray.pluck().iterate()) {
      if (database.thread(thread) !== undefined) continue;
      yield { invariant: 'rows', message: `${table} has rows of thread ${thread}, and there is no such thread` };
    }
  }
}

function linkProblems(row: RawThread, database: CheckedDatabase): string[] {
  const { parent_thread: parent, root_thread: root, predecessor, successor } = row;
  const lost = Object.entries({ parent, root, predecessor, successor }).filter(
    ([, thread]) => thread !== null && database.thread(thread) === undefined,
  );
  const problems = lost.map(([name, thread]) => `its ${name}, thread ${thread}, is not there`);
  const circular = circularLink(row);
  if (circular !== undefined) problems.push(circular);
  const before = predecessor === null ? undefined : database.thread(predecessor);
  const heir = before && database.successor(before);
  if (before && heir !== row.thread) {
    problems.push(`its predecessor ${before.thread_id} is continued by ${heir === null ? 'nobody' : `thread ${heir}`}`);
  }
  return problems;
}

const STATUSES: ReadonlySet<string> = new Set(THREAD_STATUSES);

function columnProblems({
  status,
  suspend_reason: reason,
  ending,
  thread,
  updated_at: writtenAt,
}: RawThread): string[] {
  const problems: string[] = [];
  // As the one who takes a database over has it (home.ts).
  if (![thread, writtenAt].every(Number.isSafeInteger)) problems.push('its number or its time is no whole number');
  if (!STATUSES.has(status)) problems.push(`${status} is no status`);
  if ((reason !== null) !== (status === 'suspended')) problems.push(`it is ${status} with the reason ${reason}`);
  if ((ending !== null) !== isEnded(status))
    problems.push(`it is ${status} ${ending === null ? 'without' : 'with'} an ending`);
  return problems;
}

import type Database from 'better-sqlite3';
import type { ThreadStatus } from '../core/ending.ts';
import type { ThreadNo } from '../core/ids.ts';
import type { ThreadFilter, ThreadRow } from '../core/store.ts';
import type { LogChunk } from '../core/store-log.ts';
import type { Connection } from './connection.ts';
import {
  APPROVAL_COLUMNS,
  LEDGER_COLUMNS,
  THREAD_COLUMNS,
  type RawApproval,
  type RawLedger,
  type RawThread,
} from './rows.ts';

/**
 * What is asked of a database, live or archived. Each is answered through an index; a test looks at their plans. A child has a
 * higher number than its parent: what says otherwise would lead in a circle.
 */
export const READER_SQL = {
  byId: `SELECT ${THREAD_COLUMNS} FROM threads WHERE thread_id = ?`,
  byNo: `SELECT ${THREAD_COLUMNS} FROM threads WHERE thread = ?`,
  successorOf: `SELECT ${THREAD_COLUMNS} FROM threads WHERE predecessor = ?`,
  children: `SELECT ${THREAD_COLUMNS} FROM threads WHERE parent_thread = ? AND thread > ? ORDER BY thread LIMIT ?`,
  openBelow: `WITH RECURSIVE below (thread) AS (SELECT thread FROM threads WHERE parent_thread = ? AND thread > ?
    UNION ALL SELECT t.thread FROM below CROSS JOIN threads t ON t.parent_thread = below.thread AND t.thread > below.thread)
    SELECT ${THREAD_COLUMNS} FROM below CROSS JOIN threads USING (thread) WHERE ended_at IS NULL LIMIT 1`,
  spec: 'SELECT spec FROM threads WHERE thread = ?',
  checkpoint: 'SELECT state FROM checkpoints WHERE thread = ?',
  // A checkpoint comes with the last event of its step.
  raises: `SELECT lines FROM events WHERE thread = ? AND first_sequence >
    COALESCE((SELECT sequence FROM checkpoints WHERE thread = ?), 0) AND instr(lines, '"limits":') > 0
    ORDER BY first_sequence`,
  // GLOB looks through a long text four times as fast as instr. Quotes within texts are escaped.
  aboutChildren: `SELECT lines FROM events WHERE thread = ? AND lines GLOB '*"event_type":"child_thread_*'
    ORDER BY first_sequence`,
  ledger: `SELECT ${LEDGER_COLUMNS} FROM budget_ledger WHERE thread = ?`,
  events: 'SELECT lines FROM events WHERE thread = ? AND last_sequence >= ? ORDER BY first_sequence',
  eventsBefore: `SELECT first_sequence AS first, lines FROM events WHERE thread = ? AND first_sequence < ?
    ORDER BY first_sequence DESC LIMIT ?`,
  eventsAfter: `SELECT first_sequence AS first, lines FROM events WHERE thread = ? AND first_sequence > ?
    ORDER BY first_sequence LIMIT ?`,
  eventsFrom: `SELECT first_sequence AS first, lines FROM events WHERE thread = ? AND first_sequence >=
    (SELECT COALESCE(MAX(first_sequence), 0) FROM events WHERE thread = ? AND first_sequence <= ?)
    ORDER BY first_sequence LIMIT ?`,
  approval: `SELECT ${APPROVAL_COLUMNS} FROM approvals a JOIN threads t USING (thread) WHERE a.approval_id = ?`,
  // Newest first is by row: in an id there is a time, and a clock may be set back.
  approvals: `SELECT ${APPROVAL_COLUMNS} FROM approvals a CROSS JOIN threads t USING (thread)
    ORDER BY a.rowid DESC LIMIT ?`,
  approvalsOfStatus: `SELECT ${APPROVAL_COLUMNS} FROM approvals a CROSS JOIN threads t USING (thread)
    WHERE a.status = ? ORDER BY a.rowid DESC LIMIT ?`,
  approvalsOfThread: `SELECT ${APPROVAL_COLUMNS} FROM approvals a CROSS JOIN threads t USING (thread)
    WHERE a.thread = ? ORDER BY a.rowid DESC`,
  interrupted: `SELECT thread, thread_id AS threadId FROM threads WHERE suspend_reason = 'shutdown' AND thread > ?
    ORDER BY thread LIMIT ?`,
  isInterrupted: `SELECT 1 FROM threads WHERE suspend_reason = 'shutdown' AND root_thread = ? AND thread > ? LIMIT 1`,
} as const;

/** A statement, one for each form of filter, and what is asked with it. */
export type ThreadsQuery = { readonly sql: string; readonly values: readonly (string | number)[] };

/**
 * Threads of a filter, newest first. Those that are created or running, and those of a parent, are found through an
 * index. For any other filter rows are read until enough of them fit, all of them where few do: an index for it would
 * be written with every thread.
 */
export function threadsQuery({ status, parent, directive, before, after }: ThreadFilter, limit: number): ThreadsQuery {
  const terms: (readonly [sql: string, values: readonly (string | number)[]])[] = [];
  if (status) terms.push([`status IN (${status.map(() => '?').join(', ')})`, status]);
  if (status?.every(isActive)) terms.push(['ended_at IS NULL AND suspend_reason IS NULL', []]);
  if (parent !== undefined) terms.push(['parent_thread = ? AND thread > ?', [parent, parent]]);
  if (directive !== undefined) terms.push(['directive = ?', [directive]]);
  if (before !== undefined) terms.push(['thread < ?', [before]]);
  if (after !== undefined) terms.push(['thread > ?', [after]]);
  const where = terms.length > 0 ? `WHERE ${terms.map(([sql]) => sql).join(' AND ')}` : '';
  return {
    sql: `SELECT ${THREAD_COLUMNS} FROM threads ${where} ORDER BY thread DESC LIMIT ?`,
    values: [...terms.flatMap(([, values]) => values), limit],
  };
}

/** Whether a row with this status says neither when it ended nor why it is suspended. */
function isActive(status: ThreadStatus): boolean {
  return status === 'created' || status === 'running';
}

type InterruptedThread = Pick<ThreadRow, 'thread' | 'threadId'>;

/** The prepared queries of one database. */
export type Queries = {
  readonly byId: Database.Statement<[string], RawThread>;
  readonly byNo: Database.Statement<[ThreadNo], RawThread>;
  readonly successorOf: Database.Statement<[ThreadNo], RawThread>;
  readonly children: Database.Statement<[ThreadNo, after: ThreadNo, limit: number], RawThread>;
  readonly openBelow: Database.Statement<[ThreadNo, after: ThreadNo], RawThread>;
  readonly spec: Database.Statement<[ThreadNo], string>;
  readonly checkpoint: Database.Statement<[ThreadNo], string>;
  readonly raises: Database.Statement<[ThreadNo, ThreadNo], string>;
  readonly aboutChildren: Database.Statement<[ThreadNo], string>;
  readonly ledger: Database.Statement<[ThreadNo], RawLedger>;
  readonly events: Database.Statement<[ThreadNo, from: number], string>;
  readonly eventsBefore: Database.Statement<[ThreadNo, before: number, limit: number], LogChunk>;
  readonly eventsAfter: Database.Statement<[ThreadNo, after: number, limit: number], LogChunk>;
  readonly eventsFrom: Database.Statement<[ThreadNo, ThreadNo, from: number, limit: number], LogChunk>;
  readonly approval: Database.Statement<[string], RawApproval>;
  readonly approvals: Database.Statement<[limit: number], RawApproval>;
  readonly approvalsOfStatus: Database.Statement<[status: string, limit: number], RawApproval>;
  readonly approvalsOfThread: Database.Statement<[ThreadNo], RawApproval>;
  readonly interrupted: Database.Statement<[after: ThreadNo, limit: number], InterruptedThread>;
  readonly isInterrupted: Database.Statement<[root: ThreadNo, after: ThreadNo], number>;
};

/** Prepares them. */
export function prepareQueries(db: Connection): Queries {
  return {
    byId: db.prepare<[string], RawThread>(READER_SQL.byId),
    byNo: db.prepare<[ThreadNo], RawThread>(READER_SQL.byNo),
    successorOf: db.prepare<[ThreadNo], RawThread>(READER_SQL.successorOf),
    children: db.prepare<[ThreadNo, ThreadNo, number], RawThread>(READER_SQL.children),
    openBelow: db.prepare<[ThreadNo, ThreadNo], RawThread>(READER_SQL.openBelow),
    spec: db.prepare<[ThreadNo], string>(READER_SQL.spec).pluck(),
    checkpoint: db.prepare<[ThreadNo], string>(READER_SQL.checkpoint).pluck(),
    raises: db.prepare<[ThreadNo, ThreadNo], string>(READER_SQL.raises).pluck(),
    aboutChildren: db.prepare<[ThreadNo], string>(READER_SQL.aboutChildren).pluck(),
    ledger: db.prepare<[ThreadNo], RawLedger>(READER_SQL.ledger),
    events: db.prepare<[ThreadNo, number], string>(READER_SQL.events).pluck(),
    eventsBefore: db.prepare<[ThreadNo, number, number], LogChunk>(READER_SQL.eventsBefore),
    eventsAfter: db.prepare<[ThreadNo, number, number], LogChunk>(READER_SQL.eventsAfter),
    eventsFrom: db.prepare<[ThreadNo, ThreadNo, number, number], LogChunk>(READER_SQL.eventsFrom),
    approval: db.prepare<[string], RawApproval>(READER_SQL.approval),
    approvals: db.prepare<[number], RawApproval>(READER_SQL.approvals),
    approvalsOfStatus: db.prepare<[string, number], RawApproval>(READER_SQL.approvalsOfStatus),
    approvalsOfThread: db.prepare<[ThreadNo], RawApproval>(READER_SQL.approvalsOfThread),
    interrupted: db.prepare<[ThreadNo, number], InterruptedThread>(READER_SQL.interrupted),
    isInterrupted: db.prepare<[ThreadNo, ThreadNo], number>(READER_SQL.isInterrupted).pluck(),
  };
}

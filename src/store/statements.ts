import type Database from 'better-sqlite3';
import type { ApprovalId, ThreadId, ThreadNo } from '../core/ids.ts';
import type { StoredCheckpoint } from '../core/store.ts';
import type { Connection } from './connection.ts';
import { READER_SQL } from './queries.ts';
import {
  CHECKPOINT_COLUMNS,
  CHILD_COLUMNS,
  LEDGER_COLUMNS,
  THREAD_COLUMNS,
  type RawChild,
  type RawLedger,
  type RawThread,
} from './rows.ts';

/** What the ledger was told under a key. */
type RawEntry = { readonly operation: string; readonly amount: number; readonly granted: number };

/** A reservation of a hook that is not used up. */
type RawOpenEntry = { readonly entry: number; readonly entry_key: string | null; readonly open_amount: number };

type Reading<Row> = Database.Statement<[ThreadNo], Row>;

type ControlName = 'begin' | 'commit' | 'rollback' | 'savepoint' | 'release' | 'undo';
type WriteName =
  | 'insertThread'
  | 'updateThread'
  | 'updateStatus'
  | 'startThread'
  | 'updateCost'
  | 'insertLedger'
  | 'updateLedger'
  | 'restateLedger'
  | 'moveLedger'
  | 'setPredecessor'
  | 'setSuccessor'
  | 'insertEntry'
  | 'updateEntry'
  | 'closeEntries'
  | 'moveEntries'
  | 'insertApproval'
  | 'decideApproval'
  | 'cancelApprovals'
  | 'putCheckpoint';

/** Every statement of the write path, prepared once. Parameters are positional: objects would double a step's cost. */
export type Statements = Readonly<Record<ControlName, Database.Statement<[]>>> &
  Readonly<Record<WriteName, Database.Statement>> & {
    readonly insertEvents: Database.Statement<[ThreadNo, first: number, last: number, lines: string]>;
    readonly thread: Reading<RawThread>;
    readonly spec: Reading<string>;
    readonly ledger: Reading<RawLedger>;
    readonly lastSequence: Reading<number>;
    readonly lines: Reading<string>;
    readonly raises: Database.Statement<[ThreadNo, ThreadNo], string>;
    readonly aboutChildren: Reading<string>;
    readonly checkpoint: Reading<StoredCheckpoint>;
    readonly children: Reading<RawChild>;
    readonly chunk: Database.Statement<[ThreadNo, first: number, last: number], string>;
    readonly successorOf: Reading<ThreadNo>;
    readonly threadNo: Database.Statement<[ThreadId], ThreadNo>;
    readonly entry: Database.Statement<[ThreadNo, key: string], RawEntry>;
    readonly openEntries: Reading<RawOpenEntry>;
    readonly approvalThread: Database.Statement<[ApprovalId], ThreadNo>;
    readonly pendingApprovals: Database.Statement<[], number>;
  };

/** Prepares the statements of the write path. */
export function prepareStatements(db: Connection): Statements {
  return { ...control(db), ...writes(db), ...rareWrites(db), ...reads(db), ...rareReads(db) };
}

function control(db: Connection): Pick<Statements, ControlName> {
  return {
    begin: db.prepare<[]>('BEGIN IMMEDIATE'),
    commit: db.prepare<[]>('COMMIT'),
    rollback: db.prepare<[]>('ROLLBACK'),
    savepoint: db.prepare<[]>('SAVEPOINT operation'),
    release: db.prepare<[]>('RELEASE operation'),
    undo: db.prepare<[]>('ROLLBACK TO operation'),
  };
}

type RareWrite = Exclude<
  WriteName,
  | 'insertThread'
  | 'updateThread'
  | 'updateStatus'
  | 'startThread'
  | 'updateCost'
  | 'insertLedger'
  | 'updateLedger'
  | 'restateLedger'
  | 'putCheckpoint'
>;
type RareRead =
  | 'raises'
  | 'aboutChildren'
  | 'chunk'
  | 'successorOf'
  | 'threadNo'
  | 'entry'
  | 'openEntries'
  | 'approvalThread'
  | 'pendingApprovals';

function rareWrites(db: Connection): Pick<Statements, RareWrite> {
  return {
    moveLedger: db.prepare('UPDATE budget_ledger SET parent_thread = ? WHERE thread = ?'),
    setPredecessor: db.prepare('UPDATE threads SET predecessor = ? WHERE thread = ?'),
    setSuccessor: db.prepare('UPDATE threads SET successor = ? WHERE thread = ?'),
    insertEntry: db.prepare(
      `INSERT INTO budget_entries (thread, entry_key, operation, amount, granted, open_amount, created_at)
       VALUES (?, ?, ?, ?, ?, ?, ?)`,
    ),
    updateEntry: db.prepare('UPDATE budget_entries SET open_amount = ? WHERE entry = ?'),
    closeEntries: db.prepare("UPDATE budget_entries SET open_amount = 0 WHERE thread = ? AND open_amount <> '0'"),
    // What was refused to a step is remembered of the thread that took it.
    moveEntries: db.prepare("UPDATE budget_entries SET thread = ? WHERE thread = ? AND operation <> 'refused_call'"),
    insertApproval: db.prepare(
      `INSERT INTO approvals (approval_id, thread, reason, limit_code, current_value, current_max, suggested, asked_by,
        message, status, requested_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 'pending', ?)`,
    ),
    decideApproval: db.prepare(
      `UPDATE approvals SET status = ?, decided_at = ?, decided_by = ?, granted = ?
       WHERE approval_id = ? AND status = 'pending'`,
    ),
    cancelApprovals: db.prepare(
      "UPDATE approvals SET status = 'cancelled', decided_at = ? WHERE thread = ? AND status = 'pending'",
    ),
  };
}

function rareReads(db: Connection): Pick<Statements, RareRead> {
  return {
    raises: db.prepare<[ThreadNo, ThreadNo], string>(READER_SQL.raises).pluck(),
    aboutChildren: db.prepare<[ThreadNo], string>(READER_SQL.aboutChildren).pluck(),
    chunk: db
      .prepare<[ThreadNo, number, number], string>(
        'SELECT lines FROM events WHERE thread = ? AND first_sequence = ? AND last_sequence = ?',
      )
      .pluck(),
    successorOf: db.prepare<[ThreadNo], ThreadNo>('SELECT thread FROM threads WHERE predecessor = ?').pluck(),
    threadNo: db.prepare<[ThreadId], ThreadNo>('SELECT thread FROM threads WHERE thread_id = ?').pluck(),
    entry: db.prepare<[ThreadNo, string], RawEntry>(
      'SELECT operation, amount, granted FROM budget_entries WHERE thread = ? AND entry_key = ?',
    ),
    openEntries: db.prepare<[ThreadNo], RawOpenEntry>(
      `SELECT entry, entry_key, open_amount FROM budget_entries WHERE thread = ? AND open_amount <> '0' ORDER BY entry`,
    ),
    approvalThread: db.prepare<[ApprovalId], ThreadNo>('SELECT thread FROM approvals WHERE approval_id = ?').pluck(),
    pendingApprovals: db.prepare<[], number>("SELECT count(*) FROM approvals WHERE status = 'pending'").pluck(),
  };
}

function writes(db: Connection): Pick<Statements, Exclude<WriteName, RareWrite> | 'insertEvents'> {
  return {
    insertThread: db.prepare(
      `INSERT INTO threads (thread, thread_id, parent_thread, root_thread, directive, model, spec, status,
        turns, input_tokens, output_tokens, spend, created_at, updated_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, 'created', 0, 0, 0, 0, ?, ?) ON CONFLICT DO NOTHING`,
    ),
    updateThread: db.prepare(
      `UPDATE threads SET status = ?, suspend_reason = ?, ending = ?, ended_at = ?,
        turns = ?, input_tokens = ?, output_tokens = ?, spend = ?, updated_at = ? WHERE thread = ?`,
    ),
    // Of a thread that is not suspended, nor was: without the reason, of which three indexes are, two of them about nothing else.
    updateStatus: db.prepare(
      `UPDATE threads SET status = ?, ending = ?, ended_at = ?,
        turns = ?, input_tokens = ?, output_tokens = ?, spend = ?, updated_at = ? WHERE thread = ?`,
    ),
    // Of a created thread. It names nothing that an index is about: so none of them is written.
    startThread: db.prepare("UPDATE threads SET status = 'running', updated_at = ? WHERE thread = ?"),
    updateCost: db.prepare(
      'UPDATE threads SET turns = ?, input_tokens = ?, output_tokens = ?, spend = ?, updated_at = ? WHERE thread = ?',
    ),
    insertLedger: db.prepare(
      `INSERT INTO budget_ledger (reserved_spend, actual_spend, committed, status, updated_at, thread,
        parent_thread, max_spend, created_at, extra_reserved) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ),
    // Without what rarely changes: this is written with nearly every step.
    updateLedger: db.prepare(
      `UPDATE budget_ledger SET reserved_spend = ?, actual_spend = ?, committed = ?, max_spend = ?, updated_at = ?
       WHERE thread = ?`,
    ),
    restateLedger: db.prepare(
      `UPDATE budget_ledger SET reserved_spend = ?, actual_spend = ?, committed = ?, max_spend = ?, updated_at = ?,
        status = ?, extra_reserved = ? WHERE thread = ?`,
    ),
    insertEvents: db.prepare<[ThreadNo, number, number, string]>(
      'INSERT INTO events (thread, first_sequence, last_sequence, lines) VALUES (?, ?, ?, ?)',
    ),
    putCheckpoint: db.prepare(
      'INSERT OR REPLACE INTO checkpoints (thread, sequence, turn, state, updated_at) VALUES (?, ?, ?, ?, ?)',
    ),
  };
}

function reads(db: Connection): Omit<Statements, ControlName | WriteName | RareRead | 'insertEvents'> {
  return {
    thread: db.prepare<[ThreadNo], RawThread>(`SELECT ${THREAD_COLUMNS} FROM threads WHERE thread = ?`),
    spec: db.prepare<[ThreadNo], string>('SELECT spec FROM threads WHERE thread = ?').pluck(),
    ledger: db.prepare<[ThreadNo], RawLedger>(`SELECT ${LEDGER_COLUMNS} FROM budget_ledger WHERE thread = ?`),
    lastSequence: db
      .prepare<[ThreadNo], number>(
        'SELECT last_sequence FROM events WHERE thread = ? ORDER BY first_sequence DESC LIMIT 1',
      )
      .pluck(),
    lines: db.prepare<[ThreadNo], string>('SELECT lines FROM events WHERE thread = ? ORDER BY first_sequence').pluck(),
    checkpoint: db.prepare<[ThreadNo], StoredCheckpoint>(
      `SELECT ${CHECKPOINT_COLUMNS} FROM checkpoints WHERE thread = ?`,
    ),
    children: db.prepare<[ThreadNo], RawChild>(
      `SELECT ${CHILD_COLUMNS} FROM threads WHERE parent_thread = ? ORDER BY thread`,
    ),
  };
}

import type Database from 'better-sqlite3';
import type { ThreadNo } from '../core/ids.ts';
import type { Connection } from './connection.ts';
import type { RawChild, RawLedger, RawThread } from './rows.ts';
import { CHILD_COLUMNS, LEDGER_COLUMNS, THREAD_COLUMNS } from './rows.ts';

/** A thread's checkpoint as it is stored. */
type RawCheckpoint = { readonly sequence: number; readonly turn: number; readonly state: string };

type Reading<Row> = Database.Statement<[ThreadNo], Row>;

type ControlName = 'begin' | 'commit' | 'rollback' | 'savepoint' | 'release' | 'undo';
type WriteName =
  | 'insertThread'
  | 'updateThread'
  | 'updateCost'
  | 'insertLedger'
  | 'updateLedger'
  | 'releaseLedger'
  | 'updateCheckpoint'
  | 'insertCheckpoint';

/** Every statement of the write path, prepared once. Parameters are positional: objects would double a step's cost. */
export type Statements = Readonly<Record<ControlName, Database.Statement<[]>>> &
  Readonly<Record<WriteName, Database.Statement>> & {
    readonly insertEvents: Database.Statement<[ThreadNo, first: number, last: number, lines: string]>;
    readonly thread: Reading<RawThread>;
    readonly spec: Reading<string>;
    readonly ledger: Reading<RawLedger>;
    readonly lastSequence: Reading<number>;
    readonly lines: Reading<string>;
    readonly checkpoint: Reading<RawCheckpoint>;
    readonly children: Reading<RawChild>;
  };

/** Prepares the statements of the write path. */
export function prepareStatements(db: Connection): Statements {
  return { ...control(db), ...writes(db), ...reads(db) };
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

function writes(db: Connection): Pick<Statements, WriteName | 'insertEvents'> {
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
    updateCost: db.prepare(
      'UPDATE threads SET turns = ?, input_tokens = ?, output_tokens = ?, spend = ?, updated_at = ? WHERE thread = ?',
    ),
    insertLedger: db.prepare(
      `INSERT INTO budget_ledger (reserved_spend, actual_spend, committed, status, updated_at, thread,
        parent_thread, max_spend, created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ),
    // Without `status`: naming an indexed column would rewrite its index entry every time.
    updateLedger: db.prepare(
      `UPDATE budget_ledger SET reserved_spend = ?, actual_spend = ?, committed = ?, max_spend = ?, updated_at = ?
       WHERE thread = ?`,
    ),
    releaseLedger: db.prepare(
      `UPDATE budget_ledger SET reserved_spend = ?, actual_spend = ?, committed = ?, max_spend = ?, updated_at = ?, status = 'released'
       WHERE thread = ?`,
    ),
    insertEvents: db.prepare<[ThreadNo, number, number, string]>(
      'INSERT INTO events (thread, first_sequence, last_sequence, lines) VALUES (?, ?, ?, ?)',
    ),
    updateCheckpoint: db.prepare(
      'UPDATE checkpoints SET sequence = ?, turn = ?, state = ?, updated_at = ? WHERE thread = ?',
    ),
    insertCheckpoint: db.prepare(
      'INSERT INTO checkpoints (sequence, turn, state, updated_at, thread) VALUES (?, ?, ?, ?, ?)',
    ),
  };
}

function reads(db: Connection): Omit<Statements, ControlName | WriteName | 'insertEvents'> {
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
    checkpoint: db.prepare<[ThreadNo], RawCheckpoint>('SELECT sequence, turn, state FROM checkpoints WHERE thread = ?'),
    children: db.prepare<[ThreadNo], RawChild>(
      `SELECT ${CHILD_COLUMNS} FROM threads WHERE parent_thread = ? ORDER BY thread`,
    ),
  };
}

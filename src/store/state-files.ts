import { readdirSync } from 'node:fs';
import type { Schedule } from '../core/batched-port.ts';
import { isEnded } from '../core/ending.ts';
import { toFailure, type Failure } from '../core/errors.ts';
import { isThreadId, type ThreadId, type ThreadNo } from '../core/ids.ts';
import type { StoredCheckpoint, StoreOp, StoreResult } from '../core/store.ts';
import type { CancelFiles } from './cancel-files.ts';
import type { Connection } from './connection.ts';
import { filesLeftBehind } from './files-left-behind.ts';
import { CHECKPOINT_COLUMNS, toThreadRow, THREAD_COLUMNS, type RawThread } from './rows.ts';
import { removeStateFile, writeStateFile } from './state-file.ts';
import { stateText } from './state-text.ts';

/** What the files are made from, and where. */
export type StateFilesOptions = {
  /** The store's own connection. */
  readonly db: Connection;
  /** The database's folder. */
  readonly folder: string;
  /** Runs a function when what has arrived is dealt with; default `setImmediate`. */
  readonly schedule?: Schedule | undefined;
  /** Told when a file can't be written or removed, and not again until one could be: the store goes on without. */
  readonly problem: (failure: Failure) => void;
  /** Follows the folders of threads that have not ended, and of those that have handed over to one. */
  readonly cancels?: CancelFiles | undefined;
};

/**
 * The threads' state.json files (`checkpoint.persistence.format: json`).
 *
 * Owns the set of threads whose file is behind the database. Doesn't own the state: a file is written from the rows, so
 * that it is never ahead of what is committed. What a kill left behind is not in the set, and `close` does not wait for it.
 *
 * Invariants
 * F1 A file is written after the commit and its answers, one a tick: commits come in between.
 * F2 Several checkpoints of a thread that come sooner than its file are one file.
 * F3 After `close` every file says what the database says, but for those that a kill left behind and nobody has come to.
 */
export interface StateFiles {
  /** Takes note of what was committed. */
  note(ops: readonly StoreOp[], results: readonly StoreResult[]): void;
  /** The thread leaves the database: its file goes, or is told as a problem and stays. */
  remove(thread: ThreadNo): void;
  /**
   * Takes over the folders that earlier runtimes left: looks for what asks for a cancellation in those of threads that have not
   * ended, and has files written that a kill has left behind, when nothing else is to be.
   */
  takeOver(): void;
  close(): void;
}

/** Makes the files of a store. */
export function createStateFiles(options: StateFilesOptions): StateFiles {
  const { db, folder, problem, schedule = setImmediate, cancels } = options;
  const behind = new Set<ThreadNo>();
  const sql = prepare(db);
  let leftBehind: Iterator<ThreadNo | undefined, void> | undefined;
  let isScheduled = false;
  let isClosed = false;
  const attempt = createAttempts(problem);

  const writeRow = createWriting(options, sql);
  const write = (thread: ThreadNo): void => {
    behind.delete(thread);
    attempt(() => writeRow(thread));
  };
  const lookBack = (): void =>
    attempt(() => {
      const { done, value: thread } = leftBehind?.next() ?? { done: true };
      if (done) leftBehind = undefined;
      else if (thread !== undefined) writeRow(thread);
    });
  const slice = (): void => {
    isScheduled = false;
    if (isClosed) return;
    const [thread] = behind;
    if (thread === undefined) lookBack();
    else write(thread);
    plan();
  };
  const plan = (): void => {
    if (isScheduled || (behind.size === 0 && !leftBehind)) return;
    isScheduled = true;
    schedule(slice);
  };
  return {
    note(ops, results) {
      ops.forEach((op, index) => {
        const result = results[index];
        if (result === true || result?.type === 'refused') for (const thread of changedBy(op)) behind.add(thread);
      });
      plan();
    },
    remove(thread) {
      behind.delete(thread);
      const raw = sql.thread.get(thread);
      if (!raw) return;
      cancels?.leave(raw.thread_id);
      attempt(() => removeStateFile(folder, raw.thread_id));
    },
    takeOver() {
      const names = readdirSync(folder).filter(isThreadId);
      for (const id of cancels ? openAmong(names, sql) : []) cancels?.follow(id);
      leftBehind = filesLeftBehind(db, folder, names);
      plan();
    },
    close() {
      for (const thread of behind) write(thread);
      cancels?.close();
      isClosed = true;
    },
  };
}

/** Writes the file of a thread that is there, and follows its folder as long as that is of use. */
function createWriting(
  { folder, cancels }: StateFilesOptions,
  sql: ReturnType<typeof prepare>,
): (thread: ThreadNo) => void {
  return (thread) => {
    const raw = sql.thread.get(thread);
    if (!raw) return;
    const text = stateText(toThreadRow(raw), sql.checkpoint.get(thread));
    writeStateFile(folder, raw.thread_id, { text, at: raw.updated_at });
    if (raw.status === 'continued' || !isEnded(raw.status)) cancels?.follow(raw.thread_id);
    else if (cancels) for (const one of sql.line.all(thread)) cancels.leave(one);
  };
}

/** Makes changes to files. One that fails is told, if the one before it did not fail as well. */
function createAttempts(problem: StateFilesOptions['problem']): (change: () => void) => void {
  let isTold = false;
  return (change) => {
    try {
      change();
      isTold = false;
    } catch (error) {
      if (!isTold) problem(toFailure(error, 'project_unwritable'));
      isTold = true;
    }
  };
}

/**
 * The threads with a folder that have not ended, and those that have handed over to one: that one may have no folder yet, where
 * a kill came before its first file.
 */
function openAmong(names: readonly ThreadId[], sql: ReturnType<typeof prepare>): readonly ThreadId[] {
  if (names.length === 0) return [];
  const inLine = new Set(sql.openLines.all());
  return names.filter((name) => inLine.has(name) || sql.isOpen.get(name) === 1);
}

/** Threads of which there is something new to be said. */
function changedBy(op: StoreOp): readonly ThreadNo[] {
  if (op.type === 'continue') return [op.end.thread, op.successor.thread];
  return op.type === 'step' && (op.checkpoint || op.status) ? [op.thread] : [];
}

/** Threads and those that have handed over to them, one after the other. */
const lineOf = (which: string): string => `
  WITH RECURSIVE line (thread_id, predecessor) AS (
    SELECT thread_id, predecessor FROM threads WHERE ${which}
    UNION
    SELECT before.thread_id, before.predecessor FROM line JOIN threads before ON before.thread = line.predecessor
      WHERE before.status = 'continued'
  )
  SELECT thread_id FROM line`;

function prepare(db: Connection) {
  return {
    thread: db.prepare<[ThreadNo], RawThread>(`SELECT ${THREAD_COLUMNS} FROM threads WHERE thread = ?`),
    checkpoint: db.prepare<[ThreadNo], StoredCheckpoint>(
      `SELECT ${CHECKPOINT_COLUMNS} FROM checkpoints WHERE thread = ?`,
    ),
    line: db.prepare<[ThreadNo], ThreadId>(lineOf('thread = ?')).pluck(),
    /** Of all that took over from somebody and have not ended. */
    openLines: db.prepare<[], ThreadId>(lineOf('predecessor IS NOT NULL AND ended_at IS NULL')).pluck(),
    isOpen: db.prepare<[ThreadId], number>('SELECT 1 FROM threads WHERE thread_id = ? AND ended_at IS NULL').pluck(),
  };
}

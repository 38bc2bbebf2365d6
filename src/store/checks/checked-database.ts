import type { ThreadNo } from '../../core/ids.ts';
import type { StoredCheckpoint } from '../../core/store.ts';
import type { Connection } from '../connection.ts';
import { CHECKPOINT_COLUMNS, THREAD_COLUMNS, type RawThread } from '../rows.ts';
import { naming } from '../sqlite-failure.ts';

/** A chunk of a log, as it is stored. */
export type RawChunk = { readonly first_sequence: number; readonly last_sequence: number; readonly lines: string };

/** A database as its checks see it: rows are streamed, whatever their number. */
export interface CheckedDatabase {
  readonly db: Connection;
  /** Every thread whose rows are whole here, by number. */
  threads(): Iterable<RawThread>;
  /** A thread's row, here or where it was moved from or to. */
  thread(thread: ThreadNo): RawThread | undefined;
  /** The thread that goes on with one: as its row says, or, if that is in the archive and names none, as the other's does. */
  successor(row: RawThread): ThreadNo | null;
  chunks(thread: ThreadNo): Iterable<RawChunk>;
  checkpoint(thread: ThreadNo): StoredCheckpoint | undefined;
  /** Whether all of a thread is in the archive: what is left of it here is about to go. */
  readonly isMoved: (thread: ThreadNo) => boolean;
}

/** How a database and its archive stand to each other. */
export type Beside = {
  /** The other one of the two, if there is one. */
  readonly other?: Connection | undefined;
  /** The one that is looked at is the archive. */
  readonly isArchive?: boolean;
};

/** Makes one over a connection, which needs no right to write. */
export function checkedDatabase(db: Connection, { other, isArchive = false }: Beside = {}): CheckedDatabase {
  const all = db.prepare<[], RawThread>(`SELECT ${THREAD_COLUMNS} FROM threads ORDER BY thread`);
  const one = oneThread(db);
  const elsewhere = other && oneThread(other);
  const chunks = db.prepare<[ThreadNo], RawChunk>(
    'SELECT first_sequence, last_sequence, lines FROM events WHERE thread = ? ORDER BY first_sequence',
  );
  const checkpoint = db.prepare<[ThreadNo], StoredCheckpoint>(
    `SELECT ${CHECKPOINT_COLUMNS} FROM checkpoints WHERE thread = ?`,
  );
  const [old, live] = isArchive ? [db, other] : [other, db];
  const inArchive = isArchive ? one : elsewhere;
  const successors = [old, live].flatMap((each) => (each ? [successorOf(each)] : []));
  const isMoved = (thread: ThreadNo): boolean => !isArchive && elsewhere?.(thread) !== undefined;
  return {
    db,
    *threads() {
      for (const row of all.iterate()) if (!isMoved(row.thread)) yield row;
    },
    thread: (thread) => one(thread) ?? elsewhere?.(thread),
    successor({ thread, successor }) {
      if (successor !== null || !inArchive?.(thread)) return successor;
      for (const each of successors) {
        const found = each(thread);
        if (found !== undefined) return found;
      }
      return null;
    },
    chunks: (thread) => chunks.iterate(thread),
    checkpoint: (thread) => checkpoint.get(thread),
    isMoved,
  };
}

function oneThread(db: Connection): (thread: ThreadNo) => RawThread | undefined {
  const one = db.prepare<[ThreadNo], RawThread>(`SELECT ${THREAD_COLUMNS} FROM threads WHERE thread = ?`);
  return (thread) => naming(db.name, () => one.get(thread));
}

function successorOf(db: Connection): (thread: ThreadNo) => ThreadNo | undefined {
  const sql = 'SELECT thread FROM threads WHERE predecessor = ? ORDER BY thread LIMIT 1';
  const successor = db.prepare<[ThreadNo], ThreadNo>(sql).pluck();
  return (thread) => naming(db.name, () => successor.get(thread));
}

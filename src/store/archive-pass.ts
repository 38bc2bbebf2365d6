import type Database from 'better-sqlite3';
import type { ThreadNo } from '../core/ids.ts';
import type { Archive } from './archive.ts';
import type { Connection } from './connection.ts';

/** What a pass works with. */
export type ArchivePassOptions = {
  /** The store's own connection. */
  readonly db: Connection;
  /** Opens the archive; called when the first tree is to be moved. */
  readonly open: () => Archive;
  /** Threads that ended at this time or earlier are old; milliseconds since the epoch. */
  readonly cutoff: number;
  /** Told of each thread before its rows are deleted. */
  readonly leaves?: ((thread: ThreadNo) => void) | undefined;
};

/** One look through the database for trees to be moved, in slices. */
export interface ArchivePass {
  /** Does a slice; true when the pass is over. */
  slice(): boolean;
  close(): void;
}

/** Rows that a slice looks at, at most. */
const SLICE_ROWS = 100;

/** Threads and chunks of their logs that a slice moves at most: some milliseconds, unless chunks are very long. */
const SLICE_MOVES = 40;

type Tree = {
  /** Parents before children, predecessors before successors. */
  readonly members: ThreadNo[];
  /** How many of them have been found old, copied, deleted. */
  old: number;
  copied: number;
  deleted: number;
};

/**
 * Moves whole trees whose every thread is old into the archive: looks at all members first, copies all of them, then
 * deletes them, children first and the root last. Whenever it is cut short, every thread is in the database, in the
 * archive, or in both and the same; the next pass finds the tree by its root and goes on.
 *
 * All threads are looked at: one that is young says nothing of those after it, since its clock may have been ahead.
 */
export function createArchivePass({ db, open, cutoff, leaves }: ArchivePassOptions): ArchivePass {
  const sql = prepare(db);
  let archive: Archive | undefined;
  let from = 0;
  let tree: Tree | undefined;

  const findRoot = (): boolean => {
    const rows = sql.scan.all(from, SLICE_ROWS);
    for (const { thread, isRoot, ended_at } of rows) {
      from = thread;
      if (isRoot !== 1 || ended_at === null || ended_at > cutoff) continue;
      tree = { members: [thread], old: 0, copied: 0, deleted: 0 };
      return false;
    }
    return rows.length < SLICE_ROWS;
  };
  const look = (one: Tree): void => {
    for (let left = SLICE_ROWS; left > 0 && one.old < one.members.length; left--) {
      const thread = one.members[one.old++] ?? 0;
      const row = sql.ended.get(thread);
      // A pass that was cut short has moved it already, and all that came after it.
      if (!row) {
        one.members.splice(--one.old, 1);
        continue;
      }
      if (row.ended_at === null || row.ended_at > cutoff) {
        tree = undefined;
        return;
      }
      for (const child of sql.children.all(thread, thread)) one.members.push(child);
      const { successor } = row;
      if (successor !== null && successor > thread && row.parent_thread === null) one.members.push(successor);
    }
  };
  const copy = (one: Tree): void => {
    archive ??= open();
    const into = archive;
    into.together(() => {
      one.copied += moveSome(one.members.slice(one.copied, one.copied + SLICE_MOVES), (thread, most) =>
        into.copy(thread, most),
      );
    });
  };
  const remove = createRemoval(db, sql, leaves);
  return {
    slice() {
      if (!tree) return findRoot();
      if (tree.old < tree.members.length) look(tree);
      else if (tree.copied < tree.members.length) copy(tree);
      else if (tree.deleted < tree.members.length) remove.immediate(tree);
      else tree = undefined;
      return false;
    },
    close: () => archive?.close(),
  };
}

/** Deletes the next threads of a tree that are in the archive as a whole, and counts that for those who look on (window.ts). */
function createRemoval(
  db: Connection,
  sql: ReturnType<typeof prepare>,
  leaves: ArchivePassOptions['leaves'],
): Database.Transaction<(one: Tree) => void> {
  return db.transaction((one: Tree): void => {
    const left = one.members.length - one.deleted;
    const next = one.members.slice(Math.max(0, left - SLICE_MOVES), left).toReversed();
    sql.countMove.run();
    one.deleted += moveSome(next, (thread, most) => {
      const { changes } = sql.deleteChunks.run(thread, most);
      if (changes === most) return changes;
      leaves?.(thread);
      for (const statement of sql.deleteRows) statement.run(thread);
      return changes;
    });
  });
}

/**
 * Moves threads, as many as a slice allows; a long log takes several. `move` gets the most chunks it may move, and returns
 * how many it did: fewer when the thread is done. Returns how many threads are done.
 */
function moveSome(threads: readonly ThreadNo[], move: (thread: ThreadNo, most: number) => number): number {
  let left = SLICE_MOVES;
  let done = 0;
  for (const thread of threads) {
    if (left <= 0) break;
    const moved = move(thread, left);
    if (moved === left) break;
    left -= moved + 1;
    done++;
  }
  return done;
}

type Scanned = {
  readonly thread: ThreadNo;
  readonly isRoot: number;
  readonly ended_at: number | null;
};
type Ended = {
  readonly ended_at: number | null;
  readonly parent_thread: ThreadNo | null;
  readonly successor: ThreadNo | null;
};

function prepare(db: Connection) {
  return {
    // A successor goes with its predecessor, unless that went before.
    scan: db.prepare<[ThreadNo, number], Scanned>(
      `SELECT thread, ended_at,
        parent_thread IS NULL AND NOT EXISTS (SELECT 1 FROM threads p WHERE p.thread = t.predecessor) AS isRoot
       FROM threads t WHERE thread > ? ORDER BY thread LIMIT ?`,
    ),
    ended: db.prepare<[ThreadNo], Ended>('SELECT ended_at, parent_thread, successor FROM threads WHERE thread = ?'),
    // Who is below or after a thread has a higher number; otherwise what a stranger has made could lead in a circle.
    children: db
      .prepare<[ThreadNo, ThreadNo], ThreadNo>('SELECT thread FROM threads WHERE parent_thread = ? AND thread > ?')
      .pluck(),
    deleteChunks: db.prepare<[ThreadNo, number]>(
      'DELETE FROM events WHERE rowid IN (SELECT rowid FROM events WHERE thread = ? LIMIT ?)',
    ),
    countMove: db.prepare(
      "INSERT INTO upkeep (work, done_at) VALUES ('moves', 1) ON CONFLICT (work) DO UPDATE SET done_at = done_at + 1",
    ),
    deleteRows: ['approvals', 'budget_entries', 'checkpoints', 'budget_ledger', 'threads'].map((table) =>
      db.prepare<[ThreadNo]>(`DELETE FROM ${table} WHERE thread = ?`),
    ),
  };
}

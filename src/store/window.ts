import type { ThreadStatus } from '../core/ending.ts';
import type { ThreadNo } from '../core/ids.ts';
import type { NanoUsd } from '../core/money.ts';
import type { ThreadRow } from '../core/store.ts';
import type { WindowPlace } from '../core/window-place.ts';
import type { Connection } from './connection.ts';
import { openChecked, requireDatabase } from './reader.ts';
import { THREAD_COLUMNS, toThreadRow, type RawThread } from './rows.ts';
import { sqliteFailure } from './sqlite-failure.ts';

/** Which threads are counted: all of them, those without a parent, or the children of one. */
export type CountedThread = 'all' | 'roots' | { readonly parent: ThreadNo };

/** Threads of one status in a slice of a count. */
export type CountedGroup = {
  readonly status: ThreadStatus;
  readonly threads: number;
  readonly turns: number;
  /** With all threads below, as its accounts have it; of all threads those without a parent have it, each with its tree. */
  readonly spend: NanoUsd;
  /** The last of them. */
  readonly last: ThreadNo;
};

/** Threads that steps were stored of, or that came, since a place. */
export type WindowChanges = {
  readonly threads: readonly ThreadNo[];
  readonly place: WindowPlace;
  /** Not all of them: there were too many, or threads have left for the archive. */
  readonly isCut: boolean;
};

/**
 * What somebody who looks at a database from outside asks beyond single rows, through a connection that can't write: the
 * runtime that holds the database is not asked, and does nothing for it. No query looks at more rows than it is given, but
 * for those that are new.
 */
export interface StoreWindow {
  /** Another number whenever another connection has committed something. */
  version(): number;
  /** Threads without a parent, newest first, below a number. */
  roots(before: ThreadNo, limit: number): readonly ThreadRow[];
  /** The parent of a thread, however often that is asked; undefined: it has none. */
  parentOf(thread: ThreadNo): ThreadNo | undefined;
  /** Children of a thread, `most` if there are more. */
  childCount(thread: ThreadNo, most: number): number;
  /** A slice of a count: at most `limit` threads above a number. */
  count(of: CountedThread, after: ThreadNo, limit: number): readonly CountedGroup[];
  /** Where the database ends now. */
  place(): WindowPlace;
  changes(since: WindowPlace, limit: number): WindowChanges;
  close(): void;
}

const GROUPED = `SELECT status, count(*) AS threads, max(thread) AS last,
  sum(CASE status WHEN 'continued' THEN 0 ELSE turns END) AS turns,
  sum(CASE status WHEN 'continued' THEN 0 ELSE spend END) AS spend`;
const SLICE = `SELECT t.thread, t.status, t.turns, CASE WHEN t.parent_thread IS NOT NULL THEN 0
  ELSE COALESCE((SELECT actual_spend FROM budget_ledger l WHERE l.thread = t.thread), t.spend) END AS spend FROM threads t`;
const LEVEL_SLICE = `SELECT t.thread, t.status, t.turns, COALESCE(l.actual_spend, t.spend) AS spend
  FROM threads t LEFT JOIN budget_ledger l ON l.thread = t.thread`;

/** What is asked; each is answered through an index or along the table from a row on. */
export const WINDOW_SQL = {
  roots: `SELECT ${THREAD_COLUMNS} FROM threads WHERE parent_thread IS NULL AND thread < ? ORDER BY thread DESC LIMIT ?`,
  // Else who goes on from there would go in a circle.
  parentOf: 'SELECT parent_thread FROM threads WHERE thread = ? AND parent_thread < thread',
  childCount: 'SELECT count(*) FROM (SELECT 1 FROM threads WHERE parent_thread = ? AND thread > ? LIMIT ?)',
  // A thread that handed over has passed its counters on, and what its tree has spent.
  countAll: `${GROUPED} FROM (${SLICE} WHERE t.thread > ? ORDER BY t.thread LIMIT ?) GROUP BY status`,
  countRoots: `${GROUPED} FROM (${LEVEL_SLICE} WHERE t.parent_thread IS NULL AND t.thread > ? ORDER BY t.thread LIMIT ?) GROUP BY status`,
  countChildren: `${GROUPED} FROM (${LEVEL_SLICE} WHERE t.parent_thread = ? AND t.thread > ? ORDER BY t.thread LIMIT ?) GROUP BY status`,
  lastLog: 'SELECT COALESCE(max(rowid), 0) FROM events',
  lastThread: 'SELECT COALESCE(max(thread), 0) FROM threads',
  moves: "SELECT done_at FROM upkeep WHERE work = 'moves'",
  // The log is append-only: what is new stands at its end.
  newLog: 'SELECT rowid AS place, thread FROM events WHERE rowid > ? ORDER BY rowid LIMIT ?',
  newThreads: 'SELECT thread FROM threads WHERE thread > ? ORDER BY thread LIMIT ?',
} as const;

/** Opens a database to be looked at. @throws SkeinError as `openReader` */
export function openWindow(path: string): StoreWindow {
  requireDatabase(path);
  try {
    return createWindow(openChecked(path));
  } catch (error) {
    throw sqliteFailure(error, path);
  }
}

function createWindow(db: Connection): StoreWindow {
  const roots = db.prepare<[ThreadNo, number], RawThread>(WINDOW_SQL.roots);
  const parentOf = db.prepare<[ThreadNo], ThreadNo | null>(WINDOW_SQL.parentOf).pluck();
  const childCount = db.prepare<[ThreadNo, ThreadNo, number], number>(WINDOW_SQL.childCount).pluck();
  const countAll = db.prepare<[ThreadNo, number], CountedGroup>(WINDOW_SQL.countAll);
  const countRoots = db.prepare<[ThreadNo, number], CountedGroup>(WINDOW_SQL.countRoots);
  const countChildren = db.prepare<[ThreadNo, ThreadNo, number], CountedGroup>(WINDOW_SQL.countChildren);
  const lastLog = db.prepare<[], number>(WINDOW_SQL.lastLog).pluck();
  const lastThread = db.prepare<[], number>(WINDOW_SQL.lastThread).pluck();
  const moves = db.prepare<[], number>(WINDOW_SQL.moves).pluck();
  const newLog = db.prepare<[number, number], { place: number; thread: ThreadNo }>(WINDOW_SQL.newLog);
  const newThreads = db.prepare<[ThreadNo, number], ThreadNo>(WINDOW_SQL.newThreads).pluck();
  const guarded = <T>(query: () => T): T => {
    try {
      return query();
    } catch (error) {
      throw sqliteFailure(error, db.name);
    }
  };
  // The moves first: what leaves after that is told the next time.
  const place = (): WindowPlace => ({
    moves: moves.get() ?? 0,
    log: lastLog.get() ?? 0,
    thread: lastThread.get() ?? 0,
  });
  return {
    version: () => guarded(() => Number(db.pragma('data_version', { simple: true }))),
    roots: (before, limit) => guarded(() => roots.all(before, limit).map(toThreadRow)),
    parentOf: (thread) => guarded(() => parentOf.get(thread) ?? undefined),
    childCount: (thread, most) => guarded(() => childCount.get(thread, thread, most) ?? 0),
    count: (of, after, limit) =>
      guarded(() => {
        if (of === 'all') return countAll.all(after, limit);
        return of === 'roots'
          ? countRoots.all(after, limit)
          : countChildren.all(of.parent, Math.max(of.parent, after), limit);
      }),
    place: () => guarded(place),
    changes: (since, limit) =>
      guarded(() => {
        const now = place();
        // What is archived is taken out, also at the end; then the numbers begin again below, and may have come as far since.
        if (now.moves !== since.moves || now.log < since.log || now.thread < since.thread) {
          return { threads: [], place: now, isCut: true };
        }
        const rows = newLog.all(since.log, limit);
        const came = newThreads.all(since.thread, limit);
        const isCut = rows.length === limit || came.length === limit;
        const threads = [...new Set([...came, ...rows.map(({ thread }) => thread)])];
        return {
          threads,
          isCut,
          place: isCut ? now : { ...now, log: rows.at(-1)?.place ?? since.log, thread: came.at(-1) ?? since.thread },
        };
      }),
    close: () => void db.close(),
  };
}

import { existsSync, statSync } from 'node:fs';
import type { ThreadStatus } from '../core/ending.ts';
import type { NanoUsd } from '../core/money.ts';
import { archivePath } from './archive-shelf.ts';
import { openReadOnly, requireTables } from './connection.ts';
import { sqliteFailure } from './sqlite-failure.ts';
import { isUntouched } from './untouched.ts';

/** What a project's database and its archive hold. */
export type Census = {
  /** Threads of the database by what their rows say. */
  readonly threads: Readonly<Partial<Record<ThreadStatus, number>>>;
  /** Without those that are on their way there, and in the database still. */
  readonly archived: number;
  /** Of all trees, archived ones with them: what their accounts say, hooks' reports with it. */
  readonly spend: NanoUsd;
  /** With the log file. */
  readonly bytes: number;
  readonly archiveBytes: number;
};

type Group = { readonly status: ThreadStatus; readonly count: number; readonly spend: number };

/**
 * Counts what is stored, through a connection that can't write. Looks at every row: for whoever asks, not for a host at work.
 *
 * @throws SkeinError `store_failed`, `store_corrupt`
 */
export function takeCensus(path: string): Census {
  const archive = archivePath(path);
  if (isUntouched(path)) return { threads: {}, archived: 0, spend: 0, bytes: 0, archiveBytes: 0 };
  const { live, old } = countThreads(path, archive);
  return {
    threads: Object.fromEntries(live.map(({ status, count }) => [status, count])),
    archived: old.reduce((sum, { count }) => sum + count, 0),
    spend: [...live, ...old].reduce((sum, { spend }) => sum + spend, 0),
    bytes: sizeOf(path),
    archiveBytes: sizeOf(archive),
  };
}

/** A root's account has all of its tree, and that of a root that handed over is its successor's. */
const groups = (schema: string, where = ''): string =>
  `SELECT status, count(*) AS count, sum(CASE WHEN parent_thread IS NOT NULL OR status = 'continued' THEN 0
    ELSE COALESCE((SELECT actual_spend FROM ${schema}.budget_ledger l WHERE l.thread = t.thread), spend) END) AS spend
  FROM ${schema}.threads t ${where} GROUP BY status`;

const NOT_IN_DATABASE = 'WHERE NOT EXISTS (SELECT 1 FROM main.threads m WHERE m.thread = t.thread)';

/**
 * Looks into the database first, and into the archive within the same transaction: what leaves the database meanwhile is
 * still in it as it is seen here, and what left it before is in the archive.
 */
function countThreads(path: string, archive: string): { readonly live: Group[]; readonly old: Group[] } {
  let file = path;
  try {
    const db = openReadOnly(path);
    try {
      return db.transaction(() => {
        requireTables(db);
        const live = db.prepare<[], Group>(groups('main')).all();
        if (!existsSync(archive)) return { live, old: [] };
        file = archive;
        db.prepare('ATTACH ? AS archive').run(file);
        requireTables(db, file);
        return { live, old: db.prepare<[], Group>(groups('archive', NOT_IN_DATABASE)).all() };
      })();
    } finally {
      db.close();
    }
  } catch (error) {
    throw sqliteFailure(error, file);
  }
}

function sizeOf(file: string): number {
  return [file, `${file}-wal`].reduce((sum, each) => sum + (statSync(each, { throwIfNoEntry: false })?.size ?? 0), 0);
}

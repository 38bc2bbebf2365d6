import { existsSync, statSync } from 'node:fs';
import type { ThreadStatus } from '../core/ending.ts';
import type { NanoUsd } from '../core/money.ts';
import { archivePath } from './archive-shelf.ts';
import { openReadOnly } from './connection.ts';
import { sqliteFailure } from './sqlite-failure.ts';
import { isUntouched } from './untouched.ts';

/** What a project's database and its archive hold. */
export type Census = {
  /** Threads of the database by what their rows say. */
  readonly threads: Readonly<Partial<Record<ThreadStatus, number>>>;
  readonly archived: number;
  /** Of all threads, archived ones with them. */
  readonly spend: NanoUsd;
  /** With the log file. */
  readonly bytes: number;
  readonly archiveBytes: number;
};

type Group = { readonly status: ThreadStatus; readonly count: number; readonly spend: number };

/**
 * Counts what is stored, through connections that can't write. Looks at every row: for whoever asks, not for a host at work.
 *
 * @throws SkeinError `store_failed`, `store_corrupt`
 */
export function takeCensus(path: string): Census {
  const archive = archivePath(path);
  if (isUntouched(path)) return { threads: {}, archived: 0, spend: 0, bytes: 0, archiveBytes: 0 };
  const live = groupsOf(path);
  const old = existsSync(archive) ? groupsOf(archive) : [];
  return {
    threads: Object.fromEntries(live.map(({ status, count }) => [status, count])),
    archived: old.reduce((sum, { count }) => sum + count, 0),
    spend: [...live, ...old].reduce((sum, { spend }) => sum + spend, 0),
    bytes: sizeOf(path),
    archiveBytes: sizeOf(archive),
  };
}

/** A thread that handed over has passed its counters on. */
const GROUPS = `SELECT status, count(*) AS count, sum(CASE status WHEN 'continued' THEN 0 ELSE spend END) AS spend
  FROM threads GROUP BY status`;

function groupsOf(file: string): readonly Group[] {
  try {
    const db = openReadOnly(file);
    try {
      return db.prepare<[], Group>(GROUPS).all();
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

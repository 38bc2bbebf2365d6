import { closeSync, existsSync, mkdirSync, openSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import Database from 'better-sqlite3';
import { syncFolder } from '../core/durable-file.ts';
import { SkeinError } from '../core/errors.ts';
import { PAGE_SIZE, closedOnThrow, requirePragma } from './connection.ts';
import { migrate } from './migrations.ts';
import type { StoreTables } from './schema.ts';
import { unwritable } from './unwritable.ts';

/** Makes the store's folder, readable by its owner only. Throws `project_unwritable`. */
export function makeFolder(folder: string): void {
  try {
    // One level at a time: a recursive mkdir below /proc never returns.
    if (!existsSync(dirname(folder))) mkdirSync(dirname(folder));
    if (!existsSync(folder)) mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    throw unwritable(folder, error);
  }
}

/**
 * Creates the database if there is none: built under another name, made durable, then renamed. So a `threads.db` that
 * is there is complete, and an empty or foreign file is never mistaken for a new database.
 */
export function createDatabase(file: string, tables: StoreTables): void {
  if (existsSync(file)) return;
  refuseOrphanedLog(file);
  const draft = `${file}.new`;
  try {
    for (const suffix of ['', '-journal', '-wal', '-shm']) rmSync(`${draft}${suffix}`, { force: true });
    closeSync(openSync(draft, 'wx', 0o600));
  } catch (error) {
    throw unwritable(draft, error);
  }
  buildDatabase(draft, tables);
  for (const suffix of ['-wal', '-shm']) rmSync(`${file}${suffix}`, { force: true });
  renameSync(draft, file);
  syncFolder(dirname(file));
}

/** A log without its database would be replayed into the new one. */
function refuseOrphanedLog(file: string): void {
  const log = `${file}-wal`;
  if (!existsSync(log) || statSync(log).size === 0) return;
  throw new SkeinError('store_corrupt', `the database is missing but its log ${log} is there: restore the database`, {
    where: { file },
  });
}

function buildDatabase(draft: string, tables: StoreTables): void {
  const db = new Database(draft);
  closedOnThrow(db, () => {
    db.pragma(`page_size = ${PAGE_SIZE}`);
    db.pragma('auto_vacuum = INCREMENTAL');
    db.pragma('synchronous = FULL');
    migrate(db, tables, 0);
    requirePragma(db, 'page_size', PAGE_SIZE);
    db.pragma('journal_mode = WAL');
    requirePragma(db, 'journal_mode', 'wal');
  });
  db.close();
}

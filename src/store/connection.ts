import Database from 'better-sqlite3';
import { SkeinError } from '../core/errors.ts';
import { attempt } from '../core/result.ts';
import { refuseLink } from './own-place.ts';
import { foreignTable, isNeeded, type ColumnForm, type TableForm } from './required-columns.ts';
import type { StoredTable } from './schema.ts';
import { isUnwritten } from './sqlite-failure.ts';

/** A connection to a SQLite file. */
export type Connection = Database.Database;

/** Bytes per page: one chunk of events mostly fits in a page. */
export const PAGE_SIZE = 16_384;

/** How long a query waits for another connection's lock. */
const BUSY_TIMEOUT_MS = 5_000;

/** How long a commit does: somebody may be looking into the database, or copying it. Nobody but the store's thread waits. */
const WRITER_BUSY_TIMEOUT_MS = 30_000;

/** Pages of a log that is copied without waiting for a quiet moment, 64 MB; and the size its file shrinks to after a peak. */
export const LONG_LOG_PAGES = 4_096;

/** The oldest SQLite whose WAL can be trusted (traps, "SQLite"). */
const MIN_SQLITE = [3, 51, 3] as const;

/** Opens an existing database for writing: WAL, and every commit on disk when it returns. A link is refused. */
export function openWriter(file: string): Connection {
  refuseLink(file);
  const db = new Database(file, { fileMustExist: true, timeout: WRITER_BUSY_TIMEOUT_MS });
  return closedOnThrow(db, () => {
    requireSqlite(db);
    requireOwnSchema(db);
    db.pragma('foreign_keys = OFF');
    requirePragma(db, 'journal_mode', 'wal');
    db.pragma('synchronous = FULL');
    requirePragma(db, 'synchronous', 2);
    db.pragma('fullfsync = ON');
    db.pragma('checkpoint_fullfsync = ON');
    // SQLite would do it within a commit, and ignore that it failed (log-file.ts).
    db.pragma('wal_autocheckpoint = 0');
    db.pragma(`journal_size_limit = ${LONG_LOG_PAGES * PAGE_SIZE}`);
    db.pragma('cache_size = -65536');
    db.pragma('temp_store = MEMORY');
    db.pragma('trusted_schema = OFF');
  });
}

/** Opens an existing database on a connection that can't write. */
export function openReadOnly(file: string): Connection {
  const db = new Database(file, { readonly: true, fileMustExist: true, timeout: BUSY_TIMEOUT_MS });
  return closedOnThrow(db, () => db.pragma('trusted_schema = OFF'));
}

/**
 * Closes a connection whose file could not be written, and leaves its log as it is. The last connection to close would copy
 * the log into the database and remove it, and after a failed sync the next one reports success for pages that never
 * reached the disk; one that can't write, and is still there, keeps that from happening.
 */
export function closeKeepingLog(db: Connection): void {
  if (!db.open) return;
  let keeper: Connection | undefined;
  try {
    keeper = new Database(db.name, { readonly: true, fileMustExist: true });
    // It is no user of the log until it reads.
    keeper.pragma('schema_version');
  } finally {
    db.close();
    keeper?.close();
  }
}

/**
 * Closes a connection whose use has thrown; as {@link closeKeepingLog} does if a file could not be written. What that meets itself
 * is not told: what was thrown first is.
 */
export function closeAfter(thrown: unknown, db: Connection): void {
  if (isUnwritten(thrown instanceof SkeinError ? thrown.cause : thrown)) attempt(() => closeKeepingLog(db));
  else db.close();
}

/** Columns of a table as it is stored; none if there is no such table. */
export function storedColumns(db: Connection, table: string): string[] {
  return db.prepare<[string], string>('SELECT name FROM pragma_table_info(?)').pluck().all(table);
}

/** Columns and indexes of a table as they are stored. */
export function storedTable(db: Connection, table: string): StoredTable {
  const indexes = db.prepare<[string], string>('SELECT name FROM pragma_index_list(?)').pluck().all(table);
  return { columns: storedColumns(db, table), indexes };
}

/** Runs `use`, and closes the connection if that throws. */
export function closedOnThrow(db: Connection, use: () => unknown): Connection {
  try {
    use();
    return db;
  } catch (error) {
    closeAfter(error, db);
    throw error;
  }
}

/** Reads a setting back: SQLite ignores what it can't do without a word. */
export function requirePragma(db: Connection, name: string, expected: string | number): void {
  const actual = db.pragma(name, { simple: true });
  if (actual === expected) return;
  throw new SkeinError('store_failed', `the database's ${name} is ${String(actual)} where it must be ${expected}`, {
    where: { file: db.name },
  });
}

/** How a database is made otherwise than ours are, which keeps everybody from writing to it; it may come with a project from anywhere. */
export function foreignSchema(db: Connection): string | undefined {
  const foreign = foreignEntry(db) ?? foreignTable((table) => formOf(db, table));
  if (foreign === undefined) return undefined;
  return (
    `the database is not made as those of Skein are, and is not written: ${foreign}; ` +
    'move it away to begin anew, once you have what "skein export --all" can read of it'
  );
}

/** @throws SkeinError `store_corrupt` for a {@link foreignSchema} */
export function requireOwnSchema(db: Connection): void {
  const foreign = foreignSchema(db);
  if (foreign !== undefined) throw new SkeinError('store_corrupt', foreign, { where: { file: db.name } });
}

/**
 * Of a connection that reads, and of what is attached to it. What it reads may come with a project from anywhere, and a view in the
 * place of a table need never come to its end.
 *
 * @throws SkeinError `store_corrupt`
 */
export function requireTables(db: Connection, file = db.name): void {
  const names = db.prepare<[], string>("SELECT name FROM pragma_table_list WHERE type <> 'table'").pluck().all();
  const other = names.find(isNeeded);
  if (other === undefined) return;
  const message = `${other} in the database is no table, and is not read: move the database away to begin anew`;
  throw new SkeinError('store_corrupt', message, { where: { file } });
}

/**
 * What no database of ours has, such as a trigger, which would write rows that nobody has asked for. Foreign keys, which we
 * have none of, do so too, and are not heeded.
 */
function foreignEntry(db: Connection): string | undefined {
  const entries = db.prepare<[], { name: string; sql: string }>(
    'SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL',
  );
  for (const { name, sql } of entries.iterate()) {
    if (/^CREATE (TABLE|INDEX|UNIQUE INDEX) /.test(sql)) continue;
    return `${JSON.stringify(name.slice(0, 80))} is neither a table nor an index`;
  }
  return undefined;
}

/** How a table is made; none if there is no such table. */
function formOf(db: Connection, table: string): TableForm | undefined {
  const columns = db
    .prepare<[string], ColumnForm>('SELECT name, type, pk, hidden FROM pragma_table_xinfo(?)')
    .all(table);
  if (columns.length === 0) return undefined;
  const isSo = (sql: string): boolean => db.prepare<[string], number>(sql).pluck().get(table) === 1;
  return {
    strict: isSo("SELECT strict FROM pragma_table_list(?) WHERE schema = 'main'"),
    keyIndex: isSo("SELECT 1 FROM pragma_index_list(?) WHERE origin = 'pk'"),
    columns,
  };
}

function requireSqlite(db: Connection): void {
  const version = String(db.prepare('SELECT sqlite_version()').pluck().get());
  const parts = version.split('.').map(Number);
  const firstDifference = MIN_SQLITE.findIndex((needed, index) => parts[index] !== needed);
  if (firstDifference === -1 || (parts[firstDifference] ?? 0) > (MIN_SQLITE[firstDifference] ?? 0)) return;
  throw new SkeinError('store_failed', `SQLite ${version} is too old: at least ${MIN_SQLITE.join('.')} is needed`);
}

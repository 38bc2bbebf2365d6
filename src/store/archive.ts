import { existsSync } from 'node:fs';
import { toFailure, type Failure } from '../core/errors.ts';
import type { ThreadNo } from '../core/ids.ts';
import { archivePath } from './archive-shelf.ts';
import { closeAfter, openReadOnly, openWriter, requireOwnSchema, type Connection } from './connection.ts';
import { createDatabase } from './create-database.ts';
import { createLogFile } from './log-file.ts';
import { migrate, readVersion, SCHEMA_VERSION } from './migrations.ts';
import type { StoreTable, StoreTables } from './schema.ts';
import { naming } from './sqlite-failure.ts';

/** The archive as the one that fills it sees it. */
export interface Archive {
  /**
   * Copies a thread's rows, at most so many chunks of its log, and returns how many chunks those were: fewer than asked
   * for when it is there as a whole. Its registry row comes last: a thread whose row is in the archive is there with
   * everything.
   */
  copy(thread: ThreadNo, chunks: number): number;
  /** Runs copies as one transaction, which is on disk when it returns. */
  together<T>(work: () => T): T;
  close(): void;
}

/**
 * Opens the archive at `file`, beginning it if there is none; `live` is the database it is filled from.
 *
 * @throws SkeinError that names the archive, as its operations do
 */
export function openArchive(file: string, live: string, tables: StoreTables): Archive {
  return naming(file, () => {
    createDatabase(file, tables);
    const version = versionOf(file);
    const db = openWriter(file);
    try {
      migrate(db, tables, version);
      db.prepare('ATTACH ? AS live').run(live);
      return createArchive(db, tables);
    } catch (error) {
      closeAfter(error, db);
      throw error;
    }
  });
}

/**
 * Brings the archive of a database to the schema of this program, by which others read it. Returns what keeps it from that, where
 * it is an archive that can't be written now: what is in it can't be asked for then.
 *
 * @throws SkeinError `schema_too_new`, `store_corrupt`
 */
export function migrateArchive(live: string, tables: StoreTables): Failure | undefined {
  const file = archivePath(live);
  if (!existsSync(file) || naming(file, () => ownVersionOf(file)) === SCHEMA_VERSION) return undefined;
  try {
    openArchive(file, live, tables).close();
    return undefined;
  } catch (error) {
    return toFailure(error);
  }
}

/** The schema version of a database, through a connection that can't write: what is none of ours stays as it is. */
export function versionOf(file: string): number {
  return askOnce(file, readVersion);
}

/** The same of one that is made as ours are: it may come with a project from anywhere, and what it computes need not end. */
function ownVersionOf(file: string): number {
  return askOnce(file, (db) => {
    const version = readVersion(db);
    requireOwnSchema(db);
    return version;
  });
}

function askOnce(file: string, question: (db: Connection) => number): number {
  const db = openReadOnly(file);
  try {
    return question(db);
  } finally {
    db.close();
  }
}

function createArchive(db: Connection, tables: StoreTables): Archive {
  const log = createLogFile(db);
  const columns = columnList(tables.events);
  const copyChunks = db.prepare(
    `INSERT INTO main.events (${columns}) SELECT ${columns} FROM live.events WHERE thread = ? AND first_sequence >
      (SELECT COALESCE(MAX(first_sequence), 0) FROM main.events WHERE thread = ?) ORDER BY first_sequence LIMIT ?`,
  );
  const rest = [tables.ledger, tables.checkpoints, tables.approvals, tables.registry].map((table) =>
    copyRows(db, table),
  );
  return {
    copy(thread, chunks) {
      const { changes } = copyChunks.run(thread, thread, chunks);
      if (changes < chunks) for (const copy of rest) copy.run(thread);
      return changes;
    },
    together: (work) =>
      naming(db.name, () => {
        const result = log.write(() => db.transaction(work).immediate());
        log.keepShort();
        return result;
      }),
    close: () => log.close(),
  };
}

function copyRows(db: Connection, table: StoreTable): ReturnType<Connection['prepare']> {
  const columns = columnList(table);
  return db.prepare(
    `INSERT OR REPLACE INTO main.${table.name} (${columns}) SELECT ${columns} FROM live.${table.name} WHERE thread = ?
      ORDER BY rowid`,
  );
}

/** By name: a database that was brought up to date has its columns in another order. */
function columnList({ columns }: StoreTable): string {
  return columns.map(({ name }) => name).join(', ');
}

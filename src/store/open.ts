import { accessSync, chmodSync, constants, existsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { SkeinError, type Failure } from '../core/errors.ts';
import type { ThreadId } from '../core/ids.ts';
import type { Store, StoreOpened } from '../core/store.ts';
import { migrateArchive } from './archive.ts';
import { archivePath, createArchiveShelf } from './archive-shelf.ts';
import { createCancelFiles } from './cancel-files.ts';
import { closeAfter, closedOnThrow, openReadOnly, openWriter, storedColumns, type Connection } from './connection.ts';
import { createDatabase, makeFolder } from './create-database.ts';
import { settleHome } from './home.ts';
import { lockProject, type ProjectLock } from './lock.ts';
import { migrate, readVersion } from './migrations.ts';
import { suspendOrphans } from './orphans.ts';
import { refuseLink } from './own-place.ts';
import { requireColumns, requireStoredColumns } from './required-columns.ts';
import { createStatements, type StoreTables } from './schema.ts';
import { sqliteFailure } from './sqlite-failure.ts';
import { SqliteStore } from './sqlite-store.ts';
import { createStateFiles, type StateFiles } from './state-files.ts';
import { type CleanupSettings, createUpkeep } from './upkeep.ts';
import { unwritable } from './unwritable.ts';

/** Settings of {@link openStore}. */
export type OpenStoreOptions = {
  /** The database file, `threads.db`; its folder is created. */
  readonly path: string;
  readonly tables: StoreTables;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** `operations.release.on_status` names `suspended`. */
  readonly releaseSuspended?: boolean;
  /** Without it nothing is archived or vacuumed. */
  readonly cleanup?: CleanupSettings;
  /** `checkpoint.persistence` of resilience.yaml; `json`: a state.json for each thread beside the database. */
  readonly persistence?: { readonly format: 'sqlite' | 'json' };
  /** Told when such a file can't be written; the store goes on. */
  readonly problem?: (failure: Failure) => void;
  /** Told of threads whose folder has a `.cancel` file, now or later; where states are kept as `json`. */
  readonly cancelAsked?: (threadId: ThreadId) => void;
};

/** Up to this size the whole file is checked at every open; beyond, `doctor` does it when asked. */
const QUICK_CHECK_MAX_BYTES = 64 * 1024 * 1024;

/**
 * Opens a project's store, the only writer of its database, and holds the project's lock until `close`. Threads that a
 * dead runtime left running become suspended.
 *
 * Throws `invalid_config` (the tables lack what the store needs), `project_locked`, `project_unwritable`,
 * `schema_too_new`, `store_corrupt` (not our database, or a damaged one) or `store_failed`. A refused open changes
 * nothing in an existing database.
 */
export function openStore(options: OpenStoreOptions): Store & { readonly opened: StoreOpened } {
  const { path, tables } = options;
  requireColumns(tables);
  createStatements(tables);
  const folder = dirname(path);
  makeFolder(folder);
  requireWritable(folder);
  const lock = lockProject(folder);
  try {
    const db = openDatabase(path, tables);
    try {
      return openedStore(db, lock, options);
    } catch (error) {
      closeAfter(error, db);
      throw error;
    }
  } catch (error) {
    lock.release();
    throw sqliteFailure(error, path);
  }
}

/** Opens the database for writing, and brings it up to date; the caller holds the project's lock. */
export function openDatabase(path: string, tables: StoreTables): Connection {
  refuseLink(path);
  createDatabase(path, tables);
  const version = examine(path);
  requireWritable(path);
  chmodSync(path, 0o600);
  const db = openWriter(path);
  return closedOnThrow(db, () => {
    migrate(db, tables, version);
    requireStoredColumns((table) => storedColumns(db, table));
    db.exec('BEGIN IMMEDIATE; COMMIT');
  });
}

/** Looks at the database through a connection that can't write, and returns its schema version. */
function examine(path: string): number {
  if (statSync(path).size === 0) {
    throw new SkeinError('store_corrupt', 'the database is empty: restore it, or move it away to begin anew', {
      where: { file: path },
    });
  }
  const db = openReadOnly(path);
  try {
    const version = readVersion(db);
    if (statSync(path).size <= QUICK_CHECK_MAX_BYTES) quickCheck(db);
    return version;
  } finally {
    db.close();
  }
}

function quickCheck(db: Connection): void {
  const report = String(db.pragma('quick_check(1)', { simple: true }));
  if (report === 'ok') return;
  throw new SkeinError('store_corrupt', `the database is damaged: ${report}`, { where: { file: db.name } });
}

function openedStore(
  db: Connection,
  lock: ProjectLock,
  options: OpenStoreOptions,
): Store & { readonly opened: StoreOpened } {
  const { path, tables, now, releaseSuspended = false, cleanup = NO_CLEANUP, problem } = options;
  const stale = migrateArchive(path, tables);
  if (stale) problem?.(stale);
  const nextThread = Math.max(lastThread(db), lastArchived(path)) + 1;
  const shelf = createArchiveShelf(path, openReadOnly);
  const base = new SqliteStore(db, { releaseSuspended, archive: shelf.ask });
  const files = stateFilesOf(db, options);
  const store = files ? followed(base, files) : base;
  const upkeep = createUpkeep({ db, tables, now, cleanup, ...(files && { leaves: (thread) => files.remove(thread) }) });
  const suspendedOrphans = suspendOrphans({ db, store, tables, now });
  // After them: that their rows were written now is no news of them.
  const foreign = settleHome({ db, path, now: now() });
  files?.takeOver();
  return {
    opened: { nextThread, suspendedOrphans, ...(foreign && { foreign }) },
    commit(ops) {
      lock.check();
      return store.commit(ops);
    },
    idle() {
      lock.check();
      store.idle();
    },
    keepLogShort() {
      lock.check();
      base.keepLogShort();
    },
    tidy() {
      lock.check();
      return base.tend(() => upkeep.slice());
    },
    close() {
      upkeep.close();
      files?.close();
      shelf.close();
      store.close();
      lock.release();
    },
  };
}

function stateFilesOf(
  db: Connection,
  { path, persistence, problem = () => undefined, cancelAsked }: OpenStoreOptions,
): StateFiles | undefined {
  if (persistence?.format !== 'json') return undefined;
  const folder = dirname(path);
  const cancels = cancelAsked && createCancelFiles({ folder, asked: cancelAsked, problem });
  return createStateFiles({ db, folder, problem, cancels });
}

/** A store whose commits the files follow. */
function followed(store: Store, files: StateFiles): Store {
  return {
    commit(ops) {
      const results = store.commit(ops);
      files.note(ops, results);
      return results;
    },
    idle: () => store.idle(),
    close: () => store.close(),
  };
}

const NO_CLEANUP: CleanupSettings = { archiveAfterDays: 0, vacuumIntervalDays: 0 };

/** Beyond it there are no numbers for long: a database may come from anywhere. */
const HIGHEST_THREAD = 2 ** 52;

function lastThread(db: Connection): number {
  const last = Number(db.prepare('SELECT COALESCE(MAX(thread), 0) FROM threads').pluck().get());
  if (last <= HIGHEST_THREAD) return last;
  throw new SkeinError('store_corrupt', `a thread has the number ${last}, which leaves none for others`, {
    where: { file: db.name },
  });
}

/** No number is given twice, though its thread be archived. */
function lastArchived(path: string): number {
  const file = archivePath(path);
  if (!existsSync(file)) return 0;
  const archive = openReadOnly(file);
  try {
    readVersion(archive);
    return lastThread(archive);
  } catch (error) {
    throw sqliteFailure(error, file);
  } finally {
    archive.close();
  }
}

function requireWritable(path: string): void {
  try {
    accessSync(path, constants.W_OK);
  } catch (cause) {
    throw unwritable(path, cause);
  }
}

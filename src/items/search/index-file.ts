import { chmodSync, existsSync, lstatSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import { SkeinError, messageOf } from '../../core/errors.ts';
import {
  type Connection,
  createIndexTables,
  examineIndex,
  type IndexIdentity,
  type IndexState,
} from './index-schema.ts';
import { BUSY_TIMEOUT_MS, cureFor, isSqlError, whileBusy } from './sqlite-faults.ts';

/** An open index. */
export type IndexFile = {
  readonly db: Connection;
  /** Which file it is, by inode and birth; undefined in memory. */
  readonly home: string | undefined;
  /** Why it is in memory although a file was asked for. */
  readonly fallback: string | undefined;
};

/** How to open an index. */
export type OpenIndexOptions = Omit<IndexIdentity, 'home'> & {
  readonly file: string;
  /** The home of an index that turned out to be damaged: it is not used again. */
  readonly damaged?: string | undefined;
  /** Leave a file alone that others have set up for another layout: two processes would replace it for ever. */
  readonly yielding?: boolean;
};

/** Pages in the log after which a commit copies them into the database: few, so that no commit takes long. */
const CHECKPOINT_PAGES = 200;

/** How often a file is examined that others replace at the same time. */
const MAX_EXAMINATIONS = 20;

/**
 * Opens the index file, makes it if there is none, and makes it anew if it is damaged, foreign or of an older version.
 * Where that can't be done (read-only or missing folder, a newer version), the index is kept in memory. Yields while
 * another process is in the way.
 */
export function* openIndexFile(options: OpenIndexOptions): Generator<void, IndexFile> {
  if (options.file === ':memory:') return openInMemory(options, undefined);
  try {
    makeFolder(options.file);
    return yield* openInFile(options);
  } catch (error) {
    if (!isEnvironmental(error)) throw error;
    return openInMemory(options, messageOf(error));
  }
}

/** Whether the file that was opened is still the one under its name. */
export function isInPlace({ home }: IndexFile, file: string): boolean {
  return home === undefined || homeOf(file) === home;
}

/** An index in memory, for `reason` if a file was asked for. */
export function openInMemory(
  { columns, revision }: Pick<OpenIndexOptions, 'columns' | 'revision'>,
  fallback: string | undefined,
): IndexFile {
  const db = new Database(':memory:');
  db.transaction(() => createIndexTables(db, { columns, revision, home: 'memory' }))();
  return { db, home: undefined, fallback };
}

function* openInFile(options: OpenIndexOptions): Generator<void, IndexFile> {
  let { damaged } = options;
  for (let left = MAX_EXAMINATIONS; left > 0; left--) {
    const { state, home, db } = yield* whileBusy(() => examineFile({ ...options, damaged }));
    if (db !== undefined) return { db, home, fallback: undefined };
    if (state === 'newer') throw unusable(options.file, 'a newer release has made it');
    if (state === 'other layout' && options.yielding === true) {
      throw unusable(options.file, 'another process has set it up differently');
    }
    yield* whileBusy(() => removeIndex(options.file, home));
    // Its successor may well get the number of the file that is gone.
    damaged = undefined;
  }
  throw unusable(options.file, 'other processes keep replacing it');
}

type Examined = { readonly state: IndexState | 'damaged'; readonly home: string; readonly db?: Connection };

/** Opens the file, creating it if need be; `db` is there if it can be used. */
function examineFile(options: OpenIndexOptions): Examined {
  const { file, damaged } = options;
  // Before it is opened: if it is replaced in between, it is not taken for the one that was seen.
  const before = homeOf(file);
  if (before !== undefined && lstatSync(file).isSymbolicLink()) return { state: 'foreign', home: before };
  const db = new Database(file, { timeout: BUSY_TIMEOUT_MS });
  const home = before ?? homeOf(file) ?? 'gone';
  try {
    const state = home === damaged ? 'damaged' : prepare(db, { ...options, home });
    if (state === 'current') return { state, home, db };
    db.close();
    return { state, home };
  } catch (error) {
    db.close();
    if (cureFor(error) === 'anew' || isSqlError(error)) return { state: 'damaged', home };
    throw error;
  }
}

function prepare(db: Connection, identity: IndexIdentity): IndexState {
  const state = examineIndex(db, identity);
  if (state !== 'current' && state !== 'empty') return state;
  if (state === 'empty') chmodSync(db.name, 0o600);
  const mode = db.pragma('journal_mode = WAL', { simple: true });
  if (mode !== 'wal') throw unusable(db.name, `its file system can't share it (journal mode ${String(mode)})`);
  db.pragma('synchronous = NORMAL');
  db.pragma(`wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
  db.pragma('cache_size = -8192');
  db.pragma('temp_store = MEMORY');
  db.pragma('trusted_schema = OFF');
  db.pragma('cell_size_check = ON');
  const create = db.transaction(() => {
    if (examineIndex(db, identity) === 'empty') createIndexTables(db, identity);
  });
  if (state === 'empty') create.immediate();
  return examineIndex(db, identity);
}

/**
 * Removes an index under a lock, so that of several processes that find it unusable one removes it and none removes its
 * successor. Those that still have it open notice at their next refresh.
 */
function removeIndex(file: string, home: string): void {
  const lockFile = `${file}-lock`;
  // It is no file of the index if it is a link to one elsewhere.
  if (lstatSync(lockFile, { throwIfNoEntry: false })?.isSymbolicLink()) rmSync(lockFile);
  const lock = new Database(lockFile, { timeout: BUSY_TIMEOUT_MS });
  try {
    lock.pragma('journal_mode = MEMORY');
    lock.exec('BEGIN EXCLUSIVE');
    if (homeOf(file) !== home) return;
    for (const suffix of ['', '-wal', '-shm']) rmSync(`${file}${suffix}`, { force: true });
  } finally {
    lock.close();
  }
}

/**
 * Makes the cache's folder if the one above exists, and keeps it out of version control. A project that has a link there
 * could have a file of the user's taken for its index, and replaced.
 */
function makeFolder(file: string): void {
  const folder = dirname(file);
  if (lstatSync(folder, { throwIfNoEntry: false })?.isSymbolicLink()) {
    throw unusable(file, 'its folder is a symbolic link');
  }
  if (existsSync(folder)) return;
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    if (existsSync(folder)) return;
    throw error;
  }
  writeFileSync(join(folder, '.gitignore'), '*\n');
}

/** The inode may be guessed by who sends an index along; when the file was made, where the file system knows it, can't. */
function homeOf(file: string): string | undefined {
  const stats = lstatSync(file, { throwIfNoEntry: false, bigint: true });
  return stats && `${stats.ino}:${stats.birthtimeNs}`;
}

function unusable(file: string, reason: string): SkeinError {
  return new SkeinError('store_failed', `the index file can't be used: ${reason}`, { where: { file } });
}

/** Whether the place of the file is to blame, and not this program. */
function isEnvironmental(error: unknown): boolean {
  if (error instanceof SkeinError) return error.code === 'store_failed';
  const isFileError = error instanceof Error && 'syscall' in error;
  return isFileError || error instanceof Database.SqliteError || isMissingFolder(error);
}

/** What better-sqlite3 throws before it opens anything. */
function isMissingFolder(error: unknown): boolean {
  return error instanceof TypeError && /directory does not exist/.test(error.message);
}

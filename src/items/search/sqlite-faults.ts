import Database from 'better-sqlite3';
import { SkeinError } from '../../core/errors.ts';

/** How often a step is tried while another connection writes; each try blocks {@link BUSY_TIMEOUT_MS} at most. */
const MAX_TRIES = 200;

/** How long one try waits for another connection's lock: the event loop stands still for so long. */
export const BUSY_TIMEOUT_MS = 2;

/** What makes an index usable again: a new file, or doing without one. */
export type Cure = 'anew' | 'memory';

const CURES: readonly (readonly [prefix: string, cure: Cure])[] = [
  ['SQLITE_NOTADB', 'anew'],
  ['SQLITE_CORRUPT', 'anew'],
  ['SQLITE_READONLY', 'memory'],
  ['SQLITE_CANTOPEN', 'memory'],
  ['SQLITE_PERM', 'memory'],
  ['SQLITE_AUTH', 'memory'],
  ['SQLITE_IOERR', 'memory'],
  ['SQLITE_FULL', 'memory'],
  ['SQLITE_NOLFS', 'memory'],
  ['SQLITE_PROTOCOL', 'memory'],
];

/** How to go on after what was thrown; undefined if a new index would not help. */
export function cureFor(thrown: unknown): Cure | undefined {
  const code = sqliteCode(thrown);
  return CURES.find(([prefix]) => code?.startsWith(prefix))?.[1];
}

/** Whether another connection was in the way. */
export function isBusy(thrown: unknown): boolean {
  return /^SQLITE_(?:BUSY|LOCKED)/.test(sqliteCode(thrown) ?? '');
}

/** Whether a statement did not fit the tables. */
export function isSqlError(thrown: unknown): boolean {
  return sqliteCode(thrown) === 'SQLITE_ERROR';
}

/** What was stored as JSON; text that is none shows that the index is damaged. */
export function parseIndexed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch (error) {
    throw new Database.SqliteError(`not as it was stored: ${String(error)}`, 'SQLITE_CORRUPT');
  }
}

/** What SQLite threw, as a SkeinError that names the file; everything else passes through. */
export function indexFailure(thrown: unknown, file: string): unknown {
  if (!(thrown instanceof Database.SqliteError)) return thrown;
  return new SkeinError('store_failed', `the item index failed: ${thrown.message}`, {
    where: { file },
    detail: { sqlite: thrown.code },
    cause: thrown,
  });
}

/** Tries again while another connection is in the way, for about half a second, yielding in between. */
export function* whileBusy<Result>(run: () => Result): Generator<void, Result> {
  for (let left = MAX_TRIES; ; left--) {
    try {
      return run();
    } catch (error) {
      if (left <= 1 || !isBusy(error)) throw error;
    }
    yield;
  }
}

function sqliteCode(thrown: unknown): string | undefined {
  return thrown instanceof Database.SqliteError ? thrown.code : undefined;
}

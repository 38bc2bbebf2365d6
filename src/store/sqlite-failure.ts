import Database from 'better-sqlite3';
import { SkeinError, messageOf, type SkeinErrorCode } from '../core/errors.ts';

/** SQLite's code by its prefix → what it means to us. */
const MEANING: readonly (readonly [prefix: string, code: SkeinErrorCode, hint: string])[] = [
  ['SQLITE_NOTADB', 'store_corrupt', 'the file is not a database; move it away or restore a backup'],
  ['SQLITE_CORRUPT', 'store_corrupt', 'the database is damaged; move it away or restore a backup'],
  ['SQLITE_READONLY', 'project_unwritable', 'the database or its folder cannot be written'],
  ['SQLITE_CANTOPEN', 'project_unwritable', 'the database cannot be opened or created there'],
  ['SQLITE_PERM', 'project_unwritable', 'access to the database was denied'],
];

/** What SQLite threw, as the {@link SkeinError} that says which file it is about; a SkeinError passes through. */
export function sqliteFailure(thrown: unknown, file: string): SkeinError {
  if (thrown instanceof SkeinError) return thrown;
  const code = sqliteCode(thrown) ?? '';
  const reason = messageOf(thrown);
  const known = MEANING.find(([prefix]) => code.startsWith(prefix));
  const message = known ? `${known[2]} (${reason})` : `the store failed: ${reason}`;
  return new SkeinError(known?.[1] ?? 'store_failed', message, {
    where: { file },
    cause: thrown,
    ...(code && { detail: { sqlite: code } }),
  });
}

/** Does work on a file; what SQLite throws names it. @throws SkeinError */
export function naming<T>(file: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw sqliteFailure(error, file);
  }
}

/** The extended result code of an error SQLite threw. */
export function sqliteCode(thrown: unknown): string | undefined {
  return thrown instanceof Database.SqliteError ? thrown.code : undefined;
}

/** Whether an operation's own content made it fail, so that the others can be tried without it. */
export function isOperationFault(thrown: unknown): boolean {
  if (thrown instanceof TypeError || thrown instanceof RangeError || thrown instanceof SkeinError) return true;
  return /^SQLITE_(?:CONSTRAINT|MISMATCH|TOOBIG)/.test(sqliteCode(thrown) ?? '');
}

/** Whether a file could not be written or synced: what of it is on disk nobody can tell until it is opened again. */
export function isUnwritten(thrown: unknown): boolean {
  return /^SQLITE_IOERR(?!_(?:READ|SHORT_READ)$)/.test(sqliteCode(thrown) ?? '');
}

/** Whether SQLite surely undid the transaction; otherwise its fate is unknown until the file is opened again. */
export function isUndone(thrown: unknown): boolean {
  return /^SQLITE_(?:BUSY|FULL|LOCKED|NOMEM)/.test(sqliteCode(thrown) ?? '');
}

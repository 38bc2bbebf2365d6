import type { Finding } from '../../core/finding.ts';
import type { Connection } from '../connection.ts';
import { sqliteFailure } from '../sqlite-failure.ts';

/** Findings of SQLite itself that are told; more of them say nothing more. */
const MOST = 20;

/** SQLite's own look at every page and index of a file. */
export function* checkFile(db: Connection): Generator<Finding> {
  for (const message of db.prepare<[], string>(`PRAGMA integrity_check(${MOST})`).pluck().all()) {
    if (message !== 'ok') yield { invariant: 'file', message };
  }
}

/** Findings up to where the file can't be read any further, which is the last one. */
export function* whileReadable(db: Connection, findings: Iterable<Finding>): Generator<Finding> {
  try {
    yield* findings;
  } catch (error) {
    const failure = sqliteFailure(error, db.name);
    yield { invariant: 'file', message: failure.message };
  }
}

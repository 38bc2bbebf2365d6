import { basename } from 'node:path';
import type { SkeinError } from '../../core/errors.ts';
import type { Finding } from '../../core/finding.ts';
import type { Connection } from '../connection.ts';
import { sqliteFailure } from '../sqlite-failure.ts';

/** Findings of SQLite itself that are told; more of them say nothing more. */
const MOST = 20;

/** SQLite's own look at every page and index of a file. */
export function* checkFile(db: Connection): Generator<Finding> {
  for (const message of db.prepare<[], string>(`PRAGMA integrity_check(${MOST})`).pluck().all()) {
    if (message !== 'ok') yield fileFinding(db.name, message);
  }
}

/** Findings up to where the file can't be read any further, which is the last one. */
export function* whileReadable(db: Connection, findings: Iterable<Finding>): Generator<Finding> {
  try {
    yield* findings;
  } catch (error) {
    yield fileFinding(db.name, sqliteFailure(error, db.name));
  }
}

/** What is wrong with a file, or with the one that a failure names. */
export function fileFinding(file: string, what: string | SkeinError): Finding {
  const [about, message] = typeof what === 'string' ? [file, what] : [what.where?.file ?? file, what.message];
  return { invariant: 'file', message: `${basename(about)}: ${message}` };
}

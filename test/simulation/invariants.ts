import Database from 'better-sqlite3';
import type { Finding, Invariant } from '../../src/core/finding.ts';
import { legalEdges } from '../../src/host/project/legal-edges.ts';
import { checkDatabase } from '../../src/store/checks/check-database.ts';
import type { Connection } from '../../src/store/connection.ts';
import type { Acknowledged } from './acknowledged.ts';
import type { People } from './people.ts';

/**
 * Something that must not be: beside what a database shows, M2 (what can go on comes to an end), wrong `answer`s, and
 * `problem`s that nobody has made.
 */
export type Found = Omit<Finding, 'invariant'> & { readonly invariant: Invariant | 'M2' | 'answer' | 'problem' };

/** What is known of a run beside its database. */
export type Known = { readonly path: string; readonly acknowledged: Acknowledged; readonly people: People };

/** What is wrong with what a run has left, and how many threads it had. */
export function judge({ path, acknowledged, people }: Known): { readonly findings: Found[]; readonly threads: number } {
  return inDatabase(path, (db) => ({
    findings: [
      ...people.findings,
      ...acknowledged.missing(db),
      ...checkDatabase(db, { edges: legalEdges() }),
      ...toldOtherwise(db, people),
      ...people.raised.forgotten(db),
    ],
    threads: Number(db.prepare('SELECT COUNT(*) FROM threads').pluck().get()),
  }));
}

/** What was acknowledged by a runtime that is gone, and is not on disk any more (E1). */
export function lost({ path, acknowledged, people }: Known): Found[] {
  return inDatabase(path, (db) => [...acknowledged.missing(db), ...people.raised.forgotten(db)]);
}

/** Endings that people were told, and that are not those on disk; of one that handed over, that of its last successor. */
function toldOtherwise(db: Connection, { told }: People): Found[] {
  const row = db.prepare<[string], { readonly status: string; readonly next: string | null }>(
    `SELECT status, (SELECT thread_id FROM threads AS later WHERE later.thread = threads.successor) AS next
      FROM threads WHERE thread_id = ?`,
  );
  const statusOf = (id: string): string | undefined => {
    const { status, next } = row.get(id) ?? {};
    return status === 'continued' && next ? statusOf(next) : status;
  };
  return [...told]
    .filter(([id, as]) => statusOf(id) !== as)
    .map(([id, as]) => ({ invariant: 'E1', message: `${id} was told as ${as}, and is ${statusOf(id)}` }));
}

function inDatabase<Value>(path: string, read: (db: Connection) => Value): Value {
  const db = new Database(path, { readonly: true });
  try {
    return read(db);
  } finally {
    db.close();
  }
}

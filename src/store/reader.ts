import { existsSync } from 'node:fs';
import { SkeinError } from '../core/errors.ts';
import type { ThreadNo } from '../core/ids.ts';
import type { StoreReader, ThreadFilter, ThreadRow } from '../core/store.ts';
import type { Connection } from './connection.ts';
import { closedOnThrow, openReadOnly, storedColumns } from './connection.ts';
import { readVersion } from './migrations.ts';
import { requireStoredColumns } from './required-columns.ts';
import type { RawLedger, RawThread } from './rows.ts';
import { LEDGER_COLUMNS, THREAD_COLUMNS, toLedgerRow, toThreadRow } from './rows.ts';
import { sqliteFailure } from './sqlite-failure.ts';

const DEFAULT_LIMIT = 100;

/**
 * Opens a stored database for queries, through a connection that can't write; a runtime may be using it at the same
 * time. Throws `store_failed` when there is no such file, `store_corrupt` and `schema_too_new` as `openStore` does.
 */
export function openReader(path: string): StoreReader {
  if (!existsSync(path)) {
    throw new SkeinError('store_failed', 'there is no database: nothing has run in this project yet', {
      where: { file: path },
    });
  }
  try {
    return createReader(openChecked(path));
  } catch (error) {
    throw sqliteFailure(error, path);
  }
}

function openChecked(path: string): Connection {
  const db = openReadOnly(path);
  return closedOnThrow(db, () => {
    readVersion(db);
    requireStoredColumns((table) => storedColumns(db, table));
  });
}

function createReader(db: Connection): StoreReader {
  const byId = db.prepare<[string], RawThread>(`SELECT ${THREAD_COLUMNS} FROM threads WHERE thread_id = ?`);
  const byNo = db.prepare<[ThreadNo], RawThread>(`SELECT ${THREAD_COLUMNS} FROM threads WHERE thread = ?`);
  const ledger = db.prepare<[ThreadNo], RawLedger>(`SELECT ${LEDGER_COLUMNS} FROM budget_ledger WHERE thread = ?`);
  const events = db
    .prepare<[ThreadNo, number], string>(
      'SELECT lines FROM events WHERE thread = ? AND last_sequence >= ? ORDER BY first_sequence',
    )
    .pluck();
  const spec = db.prepare<[ThreadNo], string>('SELECT spec FROM threads WHERE thread = ?').pluck();
  const descendants = db
    .prepare<[ThreadNo], number>(
      `WITH RECURSIVE below(thread) AS (
         SELECT thread FROM threads WHERE parent_thread = ?
         UNION ALL SELECT t.thread FROM threads t JOIN below b ON t.parent_thread = b.thread
       ) SELECT count(*) FROM below`,
    )
    .pluck();
  const guarded = <T>(query: () => T): T => {
    try {
      return query();
    } catch (error) {
      throw sqliteFailure(error, db.name);
    }
  };
  return {
    thread: (id) => guarded(() => optional(byId.get(id), toThreadRow)),
    threadByNo: (thread) => guarded(() => optional(byNo.get(thread), toThreadRow)),
    threads: (filter) => guarded(() => listThreads(db, filter)),
    spec: (thread) => guarded(() => spec.get(thread)),
    descendants: (thread) => guarded(() => descendants.get(thread) ?? 0),
    ledger: (thread) => guarded(() => optional(ledger.get(thread), toLedgerRow)),
    events: (thread, fromSequence = 1) => guarded(() => events.all(thread, fromSequence)),
    close: () => void db.close(),
  };
}

function listThreads(db: Connection, filter: ThreadFilter): readonly ThreadRow[] {
  const { status, parent, root, directive, limit = DEFAULT_LIMIT } = filter;
  if (!Number.isSafeInteger(limit) || limit < 0) {
    throw new SkeinError('invalid_argument', `limit is ${limit}: it must be a whole number, 0 or more`);
  }
  const terms: (readonly [sql: string, values: readonly (string | number)[]])[] = [];
  if (status) terms.push([`status IN (${status.map(() => '?').join(', ')})`, status]);
  if (parent !== undefined) terms.push(['parent_thread = ?', [parent]]);
  if (root !== undefined) terms.push(['root_thread = ?', [root]]);
  if (directive !== undefined) terms.push(['directive = ?', [directive]]);
  const where = terms.length > 0 ? `WHERE ${terms.map(([sql]) => sql).join(' AND ')}` : '';
  const query = db.prepare<unknown[], RawThread>(
    `SELECT ${THREAD_COLUMNS} FROM threads ${where} ORDER BY thread DESC LIMIT ?`,
  );
  return query.all(...terms.flatMap(([, values]) => values), limit).map(toThreadRow);
}

function optional<Raw, Row>(raw: Raw | undefined, convert: (raw: Raw) => Row): Row | undefined {
  return raw === undefined ? undefined : convert(raw);
}

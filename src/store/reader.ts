import { existsSync } from 'node:fs';
import { isEnded } from '../core/ending.ts';
import { SkeinError } from '../core/errors.ts';
import type { ThreadNo } from '../core/ids.ts';
import type { StoreReader, ThreadFilter, ThreadRow } from '../core/store.ts';
import type { ApprovalFilter, ApprovalRow } from '../core/store-approvals.ts';
import type { Page } from '../core/store-transcript.ts';
import { createArchiveShelf } from './archive-shelf.ts';
import type { Connection } from './connection.ts';
import { closedOnThrow, openReadOnly, storedColumns } from './connection.ts';
import { readVersion, SCHEMA_VERSION } from './migrations.ts';
import { requireStoredColumns } from './required-columns.ts';
import { prepareQueries, type Queries } from './queries.ts';
import type { RawThread } from './rows.ts';
import { THREAD_COLUMNS, toApprovalRow, toLedgerRow, toThreadRow } from './rows.ts';
import { sqliteFailure } from './sqlite-failure.ts';
import { lastEvents, searchEvents } from './transcript.ts';

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
    requireCurrent(db);
    requireStoredColumns((table) => storedColumns(db, table));
  });
}

/** Only a runtime may change a database. */
function requireCurrent(db: Connection): void {
  const version = readVersion(db);
  if (version === SCHEMA_VERSION) return;
  const message = `the database has schema version ${version}: start a runtime once, which brings it to ${SCHEMA_VERSION}`;
  throw new SkeinError('store_failed', message, { where: { file: db.name } });
}

function createReader(db: Connection): StoreReader {
  const live = prepareQueries(db);
  const shelf = createArchiveShelf(db.name, openChecked);
  /** The archive, if the whole thread is in it: what is left of it in the database may be on its way out. */
  const archived = (thread: ThreadNo): Queries | undefined => {
    const row = live.byNo.get(thread);
    if (row && !isEnded(row.status)) return undefined;
    const archive = shelf.queries();
    return archive?.byNo.get(thread) && archive;
  };
  const holder = (thread: ThreadNo): Queries => archived(thread) ?? live;
  const either = <Row>(find: (queries: Queries) => Row | undefined): Row | undefined => {
    const found = find(live);
    if (found !== undefined) return found;
    const archive = shelf.queries();
    return archive && find(archive);
  };
  const byNo = (thread: ThreadNo): ThreadRow | undefined => {
    return optional(
      either((from) => from.byNo.get(thread)),
      toThreadRow,
    );
  };
  const guarded = <T>(query: () => T): T => {
    try {
      return query();
    } catch (error) {
      throw sqliteFailure(error, db.name);
    }
  };
  return {
    thread: (id) =>
      guarded(() =>
        optional(
          either((from) => from.byId.get(id)),
          toThreadRow,
        ),
      ),
    threadByNo: (thread) => guarded(() => byNo(thread)),
    threads: (filter) => guarded(() => listThreads(db, filter)),
    children: (thread, page = {}) => guarded(() => listChildren(thread, page, [live, shelf.queries()])),
    chain: (thread) => guarded(() => followChain(byNo(thread), { byNo, either })),
    spec: (thread) => guarded(() => either((from) => from.spec.get(thread))),
    descendants: (thread) =>
      guarded(() => Math.max(live.descendants.get(thread) ?? 0, archived(thread)?.descendants.get(thread) ?? 0)),
    ledger: (thread) =>
      guarded(() =>
        optional(
          either((from) => from.ledger.get(thread)),
          toLedgerRow,
        ),
      ),
    events: (thread, fromSequence = 1) => guarded(() => holder(thread).events.all(thread, fromSequence)),
    transcript: (thread, options = {}) =>
      guarded(() => lastEvents(() => holder(thread).lastEvents.iterate(thread), options)),
    search(threads, text, { limit = 50 } = {}) {
      if (text === '')
        throw new SkeinError('invalid_argument', 'An empty text stands everywhere: name one to look for');
      requireLimit(limit);
      const chunks = (thread: ThreadNo): Iterable<string> => holder(thread).events.iterate(thread, 1);
      return guarded(() => searchEvents(text, { threads, chunks, limit }));
    },
    approvals: (filter) =>
      guarded(() => listApprovals(filter, filter.thread === undefined ? live : holder(filter.thread))),
    approval: (id) =>
      guarded(() =>
        optional(
          either((from) => from.approval.get(id)),
          toApprovalRow,
        ),
      ),
    close() {
      db.close();
      shelf.close();
    },
  };
}

/** While a tree is being archived its children may be here, there or in both. */
function listChildren(
  thread: ThreadNo,
  { limit = DEFAULT_LIMIT, after = 0 }: Page,
  sources: readonly (Queries | undefined)[],
): ThreadRow[] {
  requireLimit(limit);
  const [live = [], old = []] = sources.map((from) => from?.children.all(thread, after, limit) ?? []);
  if (old.length === 0) return live.map(toThreadRow);
  const rows = new Map([...old, ...live].map((row) => [row.thread, row]));
  return [...rows.values()]
    .toSorted((a, b) => a.thread - b.thread)
    .slice(0, limit)
    .map(toThreadRow);
}

type Links = {
  readonly byNo: (thread: ThreadNo) => ThreadRow | undefined;
  readonly either: (find: (queries: Queries) => RawThread | undefined) => RawThread | undefined;
};

function followChain(start: ThreadRow | undefined, { byNo, either }: Links): ThreadRow[] {
  const before: ThreadRow[] = [];
  for (let row = start; row; row = row.predecessor === undefined ? undefined : byNo(row.predecessor)) before.push(row);
  const chain = before.reverse();
  for (let row = start; row;) {
    const { thread } = row;
    row = optional(
      either((from) => from.successorOf.get(thread)),
      toThreadRow,
    );
    if (row) chain.push(row);
  }
  return chain;
}

function listApprovals({ status, thread, limit = DEFAULT_LIMIT }: ApprovalFilter, from: Queries): ApprovalRow[] {
  requireLimit(limit);
  if (thread !== undefined) {
    // A thread has a few at most.
    const rows = from.approvalsOfThread.all(thread).filter((row) => status === undefined || row.status === status);
    return rows.slice(0, limit).map(toApprovalRow);
  }
  const rows = status === undefined ? from.approvals.all(limit) : from.approvalsOfStatus.all(status, limit);
  return rows.map(toApprovalRow);
}

function requireLimit(limit: number): void {
  if (Number.isSafeInteger(limit) && limit >= 0) return;
  throw new SkeinError('invalid_argument', `limit is ${limit}: it must be a whole number, 0 or more`);
}

function listThreads(db: Connection, filter: ThreadFilter): readonly ThreadRow[] {
  const { status, parent, root, directive, limit = DEFAULT_LIMIT } = filter;
  requireLimit(limit);
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

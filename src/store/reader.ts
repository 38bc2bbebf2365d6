import { existsSync } from 'node:fs';
import type Database from 'better-sqlite3';
import { SkeinError } from '../core/errors.ts';
import type { ThreadNo } from '../core/ids.ts';
import type { LedgerRow, StoreReader, ThreadFilter, ThreadRow } from '../core/store.ts';
import type { ApprovalFilter, ApprovalRow } from '../core/store-approvals.ts';
import type { LogChunk, LogPlace, Page } from '../core/store-log.ts';
import type { AskArchive } from './archive-shelf.ts';
import { closedOnThrow, openReadOnly, requireTables, storedColumns, type Connection } from './connection.ts';
import { readVersion, SCHEMA_VERSION } from './migrations.ts';
import { requireStoredColumns } from './required-columns.ts';
import { threadsQuery, type Queries } from './queries.ts';
import { toApprovalRow, toLedgerRow, toLinkedRow, toThreadRow, type RawThread } from './rows.ts';
import { createSources, optional, type Sources } from './sources.ts';
import { naming } from './sqlite-failure.ts';
import { isUntouched } from './untouched.ts';

const DEFAULT_LIMIT = 100;

/** A chunk is one step of a thread, as a rule some kilobytes; the page ends with the one that brings it to so many characters. */
const CHUNKS_A_PAGE = 16;
const CHARACTERS_A_PAGE = 262_144;

/**
 * Opens a stored database for queries, through a connection that can't write; a runtime may be using it at the same
 * time. Throws `store_failed` when there is no such file, `store_corrupt` and `schema_too_new` as `openStore` does.
 */
export function openReader(path: string): StoreReader {
  requireDatabase(path);
  return naming(path, () => createReader(openChecked(path)));
}

/** Whether there is a database. @throws SkeinError `store_failed` */
export function requireDatabase(path: string): void {
  if (existsSync(path)) return;
  const why = isUntouched(path) ? 'nothing has run in this project yet' : 'it can not be reached, or was removed';
  throw new SkeinError('store_failed', `there is no database: ${why}`, { where: { file: path } });
}

/** A connection that can't write, to a database that this program can read. Throws as {@link openReader} does. */
export function openChecked(path: string): Connection {
  const db = openReadOnly(path);
  return closedOnThrow(db, () => {
    requireCurrent(db);
    requireTables(db);
    requireStoredColumns((table) => storedColumns(db, table));
  });
}

/** Whoever reads changes nothing. */
function requireCurrent(db: Connection): void {
  const version = readVersion(db);
  if (version === SCHEMA_VERSION) return;
  const message =
    `the database has schema version ${version}, and this program needs ${SCHEMA_VERSION}: ` +
    '"skein doctor --repair" brings it up to date, and so does every runtime';
  throw new SkeinError('store_failed', message, {
    where: { file: db.name },
    detail: { version, supported: SCHEMA_VERSION },
  });
}

function createReader(db: Connection): StoreReader {
  const sources = createSources(db, openChecked);
  const { live, archive, holder, either, byNo } = sources;
  const list = threadLister(db, archive);
  const byId = (id: string): ThreadRow | undefined =>
    optional(
      either((from) => from.byId.get(id)),
      toLinkedRow,
    );
  const ledger = (thread: ThreadNo): LedgerRow | undefined =>
    optional(
      either((from) => from.ledger.get(thread)),
      toLedgerRow,
    );
  const approval = (id: string): ApprovalRow | undefined =>
    optional(
      either((from) => from.approval.get(id)),
      toApprovalRow,
    );
  const guarded = <T>(query: () => T): T => naming(db.name, query);
  return {
    thread: (id) => guarded(() => byId(id)),
    threadByNo: (thread) => guarded(() => byNo(thread)),
    threads: (filter) => guarded(() => list(filter)),
    children: (thread, page = {}) => guarded(() => listChildren(thread, page, sources)),
    // Nothing that is open is in the archive.
    openBelow: (thread) => guarded(() => optional(live.openBelow.get(thread, thread), toThreadRow)),
    chain: (thread) => guarded(() => followChain(byNo(thread), sources)),
    spec: (thread) => guarded(() => either((from) => from.spec.get(thread))),
    checkpoint: (thread) => guarded(() => live.checkpoint.get(thread)),
    raises: (thread) => guarded(() => live.raises.all(thread, thread)),
    interrupted: (after, limit) => guarded(() => live.interrupted.all(after, limit)),
    isInterrupted: (root, after) => guarded(() => live.isInterrupted.get(root, after) !== undefined),
    ledger: (thread) => guarded(() => ledger(thread)),
    events: (thread, fromSequence = 1) =>
      guarded(() => holder(thread, (from) => from.events.all(thread, fromSequence))),
    logPage: (thread, place) => guarded(() => holder(thread, (from) => pageOf(from, thread, place))),
    approvals: (filter) => guarded(() => listApprovals(filter, sources)),
    approval: (id) => guarded(() => approval(id)),
    close() {
      db.close();
      sources.close();
    },
  };
}

/** While a tree is being archived its children may be here, there or in both. */
function listChildren(thread: ThreadNo, { limit = DEFAULT_LIMIT, after = 0 }: Page, sources: Sources): ThreadRow[] {
  requireLimit(limit);
  const childrenIn = (from: Queries): RawThread[] => from.children.all(thread, Math.max(thread, after), limit);
  const live = childrenIn(sources.live);
  const old = sources.archive(childrenIn) ?? [];
  if (old.length === 0) return live.map(toThreadRow);
  const rows = new Map([...old, ...live].map((row) => [row.thread, row]));
  return [...rows.values()]
    .toSorted((a, b) => a.thread - b.thread)
    .slice(0, limit)
    .map(toThreadRow);
}

function followChain(start: ThreadRow | undefined, { byNo, either }: Sources): ThreadRow[] {
  const before: ThreadRow[] = [];
  for (let row = start; row; row = row.predecessor === undefined ? undefined : byNo(row.predecessor)) before.push(row);
  const chain = before.toReversed();
  for (let row = start; row;) {
    const { thread } = row;
    row = optional(
      either((from) => from.successorOf.get(thread)),
      toLinkedRow,
    );
    if (row) chain.push(row);
  }
  return chain;
}

function listApprovals(
  { status, thread, limit = DEFAULT_LIMIT }: ApprovalFilter,
  { live, holder }: Sources,
): ApprovalRow[] {
  requireLimit(limit);
  if (thread !== undefined) {
    // A thread has a few at most.
    const all = holder(thread, (from) => from.approvalsOfThread.all(thread));
    const rows = all.filter((row) => status === undefined || row.status === status);
    return rows.slice(0, limit).map(toApprovalRow);
  }
  const rows = status === undefined ? live.approvals.all(limit) : live.approvalsOfStatus.all(status, limit);
  return rows.map(toApprovalRow);
}

function pageOf(queries: Queries, thread: ThreadNo, place: LogPlace): LogChunk[] {
  const page: LogChunk[] = [];
  let characters = 0;
  for (const chunk of chunksAt(queries, thread, place)) {
    page.push(chunk);
    characters += chunk.lines.length;
    if (characters >= CHARACTERS_A_PAGE) break;
  }
  return page;
}

function chunksAt({ eventsBefore, eventsAfter, eventsFrom }: Queries, thread: ThreadNo, place: LogPlace) {
  if ('from' in place) return eventsFrom.iterate(thread, thread, place.from, CHUNKS_A_PAGE);
  return 'before' in place
    ? eventsBefore.iterate(thread, place.before, place.chunks ?? CHUNKS_A_PAGE)
    : eventsAfter.iterate(thread, place.after, CHUNKS_A_PAGE);
}

function requireLimit(limit: number): void {
  if (Number.isSafeInteger(limit) && limit >= 0) return;
  throw new SkeinError('invalid_argument', `limit is ${limit}: it must be a whole number, 0 or more`);
}

/** A thread on its way into the archive may be in both. */
function threadLister(db: Connection, archive: AskArchive): FindThreads {
  const find = threadFinder(db);
  let findOld: FindThreads | undefined;
  return (filter) => {
    const live = find(filter);
    if (!filter.archived) return live;
    const old = archive(({ byId }) => {
      // It is opened once.
      findOld ??= threadFinder(byId.database);
      return findOld(filter);
    });
    if (!old) return live;
    const rows = new Map([...old, ...live].map((row) => [row.thread, row]));
    return [...rows.values()].toSorted((a, b) => b.thread - a.thread).slice(0, filter.limit ?? DEFAULT_LIMIT);
  };
}

type FindThreads = (filter: ThreadFilter) => readonly ThreadRow[];

/** Statements kept, one for each form of filter; more than there are in use. */
const MOST_STATEMENTS = 32;

/** Looks for threads in a database; a form of filter is prepared once. */
function threadFinder(db: Connection): FindThreads {
  const prepared = new Map<string, Database.Statement<unknown[], RawThread>>();
  return (filter) => {
    const { limit = DEFAULT_LIMIT } = filter;
    requireLimit(limit);
    const { sql, values } = threadsQuery(filter, limit);
    let query = prepared.get(sql);
    if (!query) {
      if (prepared.size >= MOST_STATEMENTS) prepared.clear();
      query = db.prepare<unknown[], RawThread>(sql);
      prepared.set(sql, query);
    }
    return query.all(...values).map(toThreadRow);
  };
}

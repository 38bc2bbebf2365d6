import { readEnding } from '../../core/ending.ts';
import type { ThreadNo } from '../../core/ids.ts';
import type { StoreReader, ThreadRow } from '../../core/store.ts';
import { threadNotFound } from '../../core/thread-not-found.ts';
import type { HostContext } from '../host-context.ts';
import { limitsNow } from './limits-now.ts';
import { RECHECK_MS } from '../endings/recent-endings.ts';
import { newEntry, type ThreadEntry } from './thread-table.ts';

/** Where entries are looked for: in memory, then in the store. */
export type EntrySources = Pick<HostContext, 'table' | 'reader' | 'endings'>;

/**
 * The entry of a thread by its id: from memory, or, for one that an earlier runtime left or that left memory, from its row.
 * With the first thread of a tree that has not ended, everything open in its tree is read: counts and cancellations of
 * subtrees are right whoever is asked for first. A thread that another one is handing over to is represented by that one
 * until the host hears of it: what is asked of it meanwhile is passed on.
 *
 * @throws SkeinError `thread_not_found`
 */
export function findEntry(id: string, sources: EntrySources): ThreadEntry {
  const known = sources.table.byId(id);
  if (known) return known;
  const row = sources.reader.thread(id);
  if (!row) throw threadNotFound(id);
  return entryOf(row, sources) ?? handingOverTo(row, sources) ?? endedEntry(row, sources.reader);
}

/** The entry of a thread that has not ended, or has handed over, from memory or from its row; undefined for any other one. */
export function openEntry(id: string, sources: EntrySources): ThreadEntry | undefined {
  const known = sources.table.byId(id);
  if (known) return known;
  const row = sources.reader.thread(id);
  if (!row) return undefined;
  const open = entryOf(row, sources) ?? handingOverTo(row, sources);
  return open ?? (row.status === 'continued' ? endedEntry(row, sources.reader) : undefined);
}

/** Reads a thread back by its number; undefined if it has ended, and nothing below it is open. */
export function readBack(thread: ThreadNo, sources: EntrySources): ThreadEntry | undefined {
  const row = sources.reader.threadByNo(thread);
  return row && entryOf(row, sources);
}

function entryOf(row: ThreadRow, sources: EntrySources): ThreadEntry | undefined {
  if (row.ending === undefined) adoptTree(row, sources);
  return sources.table.get(row.thread);
}

/** The thread in some worker that a row takes over from: its end is on disk, and the host is about to hear of it. */
function handingOverTo({ predecessor }: ThreadRow, { table }: EntrySources): ThreadEntry | undefined {
  const before = predecessor === undefined ? undefined : table.get(predecessor);
  return before?.phase === 'ended' ? undefined : before;
}

function endedEntry(row: ThreadRow, reader: StoreReader): ThreadEntry {
  const entry = newEntry(lineageOf(row, reader), undefined);
  setEnded(entry, row);
  return entry;
}

function setEnded(entry: ThreadEntry, { ending }: ThreadRow): void {
  entry.phase = 'ended';
  entry.ending = readEnding(ending);
}

/**
 * Takes what is open in a thread's tree into the table, and what has ended where something open is below it: all of it, or,
 * below a parent that is there, the thread's own part. Nobody is held who is at rest.
 */
function adoptTree(row: ThreadRow, sources: EntrySources): void {
  const { table, reader, endings } = sources;
  const rows = readTree(topMissing(row, sources), reader);
  const below = countBelow(rows);
  const families = familiesOf(rows);
  const added: ThreadEntry[] = [];
  for (const one of rows) {
    const counts = below.get(one.thread);
    if (table.get(one.thread) || handingOverTo(one, sources)) continue;
    if (one.ending !== undefined && !counts?.open) continue;
    const isInLine = table.isInLine(one.thread);
    const entry = table.add(lineageOf(one, reader, table), undefined);
    entry.directive = one.directive;
    entry.family = families.get(one.thread) ?? one.thread;
    entry.lastCost = one.cost;
    entry.spawnLimit = spawnLimitOf(one, reader);
    entry.treeSpawned = counts?.all ?? 0;
    if (one.ending !== undefined) setEnded(entry, one);
    else if (isInLine) setInLine(entry);
    else setSuspended(entry, one);
    added.push(entry);
  }
  for (const { thread, successor } of handedOver(rows)) {
    const heir = table.get(successor);
    const entry = table.get(thread);
    if (heir && entry && !entry.successor) table.inherit(heir, entry);
  }
  // Those who took over are one family with whoever was before them.
  for (const entry of added) entry.owner = table.parentOf(entry)?.family ?? entry.owner;
  for (const entry of added) settle(entry, { table, endings });
}

/** The children of one that has ended are its successor's. */
function settle(entry: ThreadEntry, { table, endings }: Pick<EntrySources, 'table' | 'endings'>): void {
  if (entry.phase !== 'ended') return table.rest(entry);
  table.leaveParent(entry);
  endings.keep(entry, RECHECK_MS);
}

function setSuspended(entry: ThreadEntry, { suspendReason }: ThreadRow): void {
  entry.phase = 'suspended';
  entry.suspendReason = suspendReason;
}

/** It left memory in line, and has its place there. */
function setInLine(entry: ThreadEntry): void {
  entry.phase = 'queued';
  entry.inLine = true;
  entry.order = { kind: 'resume' };
}

/** The highest above a thread that is not in memory, itself if its parent is; or the first of its chain, if it took over. */
function topMissing(row: ThreadRow, { table, reader }: EntrySources): ThreadRow {
  let top = row;
  for (;;) {
    const before = top.predecessor === undefined ? undefined : reader.threadByNo(top.predecessor);
    const isPart = before?.status === 'continued' && before.parent === top.parent;
    const next = isPart ? before : missingParent(top, { table, reader });
    if (!next) return top;
    top = next;
  }
}

function missingParent(
  row: ThreadRow,
  { table, reader }: Pick<EntrySources, 'table' | 'reader'>,
): ThreadRow | undefined {
  return row.parent === undefined || table.parentOf({ lineage: row }) ? undefined : reader.threadByNo(row.parent);
}

/** All rows of a thread's tree, parents before their children. */
function readTree(top: ThreadRow, reader: StoreReader): ThreadRow[] {
  const rows = [top];
  for (let at = 0; at < rows.length; at++) {
    const one = rows[at];
    if (!one) continue;
    for (const child of reader.threads({ parent: one.thread, limit: Number.MAX_SAFE_INTEGER })) rows.push(child);
    // Beside the first one; further below it is a child of the same parent.
    const successor = one.parent === top.parent && one.successor !== undefined ? one.successor : undefined;
    const next = successor === undefined ? undefined : reader.threadByNo(successor);
    if (next) rows.push(next);
  }
  return rows;
}

/** Threads that have handed over, the first of a chain first. */
function handedOver(
  rows: readonly ThreadRow[],
): readonly { readonly thread: ThreadNo; readonly successor: ThreadNo }[] {
  return rows
    .flatMap(({ thread, status, successor }) =>
      status === 'continued' && successor !== undefined ? [{ thread, successor }] : [],
    )
    .toSorted((a, b) => a.thread - b.thread);
}

/** By those who took over, the first of their chain, which may not be in memory. */
function familiesOf(rows: readonly ThreadRow[]): ReadonlyMap<ThreadNo, ThreadNo> {
  const families = new Map<ThreadNo, ThreadNo>();
  for (const { thread, successor } of handedOver(rows)) families.set(successor, families.get(thread) ?? thread);
  return families;
}

type Counts = { all: number; open: number };

/** How many threads are below each thread that has any, and how many of them have not ended. */
function countBelow(rows: readonly ThreadRow[]): ReadonlyMap<ThreadNo, Counts> {
  const below = new Map<ThreadNo, Counts>();
  for (const { thread, parent, ending, status } of rows.toReversed()) {
    if (parent === undefined) continue;
    const own = below.get(thread) ?? { all: 0, open: 0 };
    const above = below.get(parent) ?? { all: 0, open: 0 };
    // One that took over is none more.
    above.all += own.all + (status === 'continued' ? 0 : 1);
    above.open += own.open + (ending === undefined ? 1 : 0);
    below.set(parent, above);
  }
  for (const { thread, successor } of handedOver(rows)) {
    const heir = below.get(successor) ?? { all: 0, open: 0 };
    const own = below.get(thread);
    heir.all += own?.all ?? 0;
    // What is open below one is below all who took over from it: none of them may be left out between the first and the last.
    heir.open += own?.open ?? 0;
    below.set(successor, heir);
  }
  return below;
}

/** One whose row is damaged may spawn nothing; that its neighbours are found is another matter. */
function spawnLimitOf({ thread }: ThreadRow, reader: StoreReader): number {
  try {
    return limitsNow(reader, thread).spawns;
  } catch {
    return 0;
  }
}

function lineageOf(row: ThreadRow, reader: StoreReader, table?: HostContext['table']): ThreadEntry['lineage'] {
  const { thread, threadId, parent, root, predecessor } = row;
  const idOf = (no: ThreadNo | undefined): ThreadRow['threadId'] | undefined =>
    no === undefined ? undefined : (table?.get(no)?.lineage.threadId ?? reader.threadByNo(no)?.threadId);
  const continues = idOf(predecessor);
  return { thread, threadId, parent, parentId: idOf(parent), root, ...(continues !== undefined && { continues }) };
}

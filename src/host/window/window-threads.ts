import type { ThreadStatus } from '../../core/ending.ts';
import type { SuspendReason } from '../../core/events.ts';
import type { ThreadId } from '../../core/ids.ts';
import { nanoToUsd } from '../../core/money.ts';
import type { StoreReader, ThreadRow } from '../../core/store.ts';
import { threadNotFound } from '../../core/thread-not-found.ts';
import type { StoreWindow } from '../../store/window.ts';
import type { ThreadSources } from '../operations/operation.ts';
import { checkCount } from '../handle/argument-types.ts';
import { toUsage, type Usage } from '../handle/thread-handle.ts';

/** What a window is made of. */
export type WindowParts = {
  readonly reader: StoreReader;
  readonly window: StoreWindow;
  readonly threads: ThreadSources;
};

/** A thread as it is seen from outside of its runtime: as its row says. */
export type WindowThread = {
  readonly id: ThreadId;
  readonly parentId: ThreadId | undefined;
  readonly directive: string;
  readonly model: string;
  readonly status: ThreadStatus;
  readonly suspendReason: SuspendReason | undefined;
  /** Of its own calls; `spend` in USD. */
  readonly usage: Usage;
  /** USD, with all threads below it. */
  readonly treeSpend: number;
  /** Up to 1,000: that many or more. */
  readonly children: number;
  /** Milliseconds since the epoch; of an ended one `updatedAtMs` is its end. */
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
};

/** A page of a level of the tree, or of all threads: children oldest first, others newest first. */
export type WindowPage = {
  readonly threads: readonly WindowThread[];
  /** The `after` of the next page, if there is one. */
  readonly next: ThreadId | undefined;
};

/** Which page. */
export type LevelOptions = {
  /** 1 to 500. */
  readonly limit: number;
  readonly after?: string | undefined;
  /** Only these; a page may be short then, since it looks at so many at most. */
  readonly status?: readonly ThreadStatus[] | undefined;
};

/** Children are counted up to here. */
const MOST_COUNTED = 1_000;

/** Threads of a page. */
const MOST_LISTED = 500;

/** Rows that one page looks at. */
const MOST_LOOKED_AT = 2_000;

/** @throws SkeinError `thread_not_found` */
export function requireRow(reader: StoreReader, id: string): ThreadRow {
  const row = reader.thread(id);
  if (row) return row;
  throw threadNotFound(id);
}

/** A row as it is shown. */
export function toWindowThread(row: ThreadRow, { reader, window, threads }: WindowParts): WindowThread {
  const { status, suspendReason, cost } = threads.standing(row);
  const parent = row.parent === undefined ? undefined : reader.threadByNo(row.parent);
  return {
    id: row.threadId,
    parentId: parent?.threadId,
    directive: row.directive,
    model: row.model,
    status,
    suspendReason: status === 'suspended' ? suspendReason : undefined,
    usage: toUsage(cost),
    treeSpend: nanoToUsd(reader.ledger(row.thread)?.actual ?? cost.spend),
    children: window.childCount(row.thread, MOST_COUNTED),
    createdAtMs: row.createdAt,
    updatedAtMs: row.updatedAt,
  };
}

/** A page of the roots, or of a thread's children. @throws SkeinError `thread_not_found`, `invalid_argument` */
export function readLevel(parentId: string | undefined, options: LevelOptions, parts: WindowParts): WindowPage {
  const parent = parentId === undefined ? undefined : requireRow(parts.reader, parentId);
  const start = startOf(options, parts);
  if (start && start.parent !== parent?.thread) throw threadNotFound(start.threadId);
  return pageOf(options, parts, (limit) =>
    parent
      ? parts.reader.children(parent.thread, { limit, ...(start && { after: start.thread }) })
      : parts.window.roots(start?.thread ?? Number.MAX_SAFE_INTEGER, limit),
  );
}

/** A page of all threads that are not archived, newest first. @throws SkeinError `thread_not_found`, `invalid_argument` */
export function readThreads(options: LevelOptions, parts: WindowParts): WindowPage {
  const start = startOf(options, parts);
  return pageOf(options, parts, (limit) => parts.reader.threads({ limit, ...(start && { before: start.thread }) }));
}

function startOf({ after }: LevelOptions, { reader }: WindowParts): ThreadRow | undefined {
  return after === undefined ? undefined : requireRow(reader, after);
}

function pageOf(
  { limit, status }: LevelOptions,
  parts: WindowParts,
  read: (limit: number) => readonly ThreadRow[],
): WindowPage {
  checkCount('limit of a page of threads', limit, MOST_LISTED);
  const looked = status ? MOST_LOOKED_AT : limit;
  const rows = read(looked + 1);
  const wanted = status && new Set(status);
  const found: ThreadRow[] = [];
  let last: ThreadRow | undefined;
  for (const row of rows.slice(0, looked)) {
    if (found.length === limit) break;
    last = row;
    if (!wanted || wanted.has(parts.threads.standing(row).status)) found.push(row);
  }
  const isOver = last === undefined || rows.at(-1)?.thread === last.thread;
  return { threads: found.map((row) => toWindowThread(row, parts)), next: isOver ? undefined : last?.threadId };
}

/** A thread and those above it, root first. */
export function readLine(id: string, { reader }: Pick<WindowParts, 'reader'>): readonly ThreadRow[] {
  const line: ThreadRow[] = [];
  for (let row: ThreadRow | undefined = requireRow(reader, id); row;) {
    line.push(row);
    row = row.parent === undefined ? undefined : reader.threadByNo(row.parent);
  }
  return line.toReversed();
}

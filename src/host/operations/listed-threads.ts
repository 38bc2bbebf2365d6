import type { ThreadStatus } from '../../core/ending.ts';
import type { ThreadNo } from '../../core/ids.ts';
import type { ThreadFilter, ThreadRow } from '../../core/store.ts';
import type { ThreadSources } from './operation.ts';
import { createPauses } from './pauses.ts';

const DEFAULT_LIMIT = 100;

/** Rows of one query, at least. */
const PAGE = 100;

/**
 * Threads that stand as a filter says, newest first: those whose rows say so and that still do, and those in memory, whose
 * rows may say what was (ADR 58). `live`: the latter, if they have been looked for ({@link inMemoryAs}).
 */
export function listedThreads(
  filter: ThreadFilter,
  sources: ThreadSources,
  live?: Iterable<ThreadNo>,
): readonly ThreadRow[] {
  const { status, limit = DEFAULT_LIMIT } = filter;
  if (!status || limit === 0) return sources.reader.threads(filter);
  const asked = { ...filter, status, limit };
  const rows = [...storedAs(asked, sources), ...rowsOf(live ?? inMemoryAs(status, sources), asked, sources)];
  const found = new Map(rows.map((row) => [row.thread, row]));
  return [...found.values()].toSorted((a, b) => b.thread - a.thread).slice(0, limit);
}

/** Numbers of the threads in memory that stand like this, newest first: all of them are looked at. */
export function inMemoryAs(
  status: readonly ThreadStatus[],
  sources: Pick<ThreadSources, 'inMemory'>,
): Iterable<ThreadNo> {
  return Float64Array.from(sources.inMemory(status)).toSorted().toReversed();
}

/** Numbers that are looked through in one go: some milliseconds, if all of them are threads of the database. */
const RANGE = 1_000;

/**
 * A filter for one range of numbers after the other, the newest first; others have their turn between them. Each begins
 * at a thread. A filter that every thread fits is left as it is: no more rows are read than are asked for.
 */
export async function* rangesOf(
  filter: ThreadFilter,
  { reader }: Pick<ThreadSources, 'reader'>,
): AsyncGenerator<ThreadFilter, void> {
  const { status, directive, archived = false } = filter;
  if (!status && directive === undefined) {
    yield filter;
    return;
  }
  const pause = createPauses();
  for (let before = filter.before ?? Number.MAX_SAFE_INTEGER; ;) {
    const [newest] = reader.threads({ archived, before, limit: 1 });
    if (!newest) return;
    before = newest.thread - RANGE + 1;
    yield { ...filter, before: newest.thread + 1, after: before - 1 };
    await pause();
  }
}

type StatusFilter = ThreadFilter & Required<Pick<ThreadFilter, 'status' | 'limit'>>;

function storedAs({ status, limit, ...filter }: StatusFilter, sources: ThreadSources): readonly ThreadRow[] {
  const found: ThreadRow[] = [];
  const query = { ...filter, status: sources.storedAs(status), limit: Math.max(limit, PAGE) };
  for (let page = sources.reader.threads(query); ;) {
    found.push(...page.filter((row) => status.includes(sources.standing(row).status)));
    const last = page.at(-1);
    if (!last || page.length < query.limit || found.length >= limit) return found;
    page = sources.reader.threads({ ...query, before: last.thread });
  }
}

/** Of threads in memory; no more rows are read than are asked for, if they are not asked for by anything else. */
function rowsOf(
  live: Iterable<ThreadNo>,
  { status, limit, ...filter }: StatusFilter,
  sources: ThreadSources,
): readonly ThreadRow[] {
  const { before = Infinity, after = 0, directive, parent } = filter;
  const found: ThreadRow[] = [];
  for (const thread of live) {
    if (thread >= before) continue;
    if (thread <= after || found.length === limit) break;
    const row = sources.reader.threadByNo(thread);
    if (!row || (directive ?? row.directive) !== row.directive || (parent ?? row.parent) !== row.parent) continue;
    if (status.includes(sources.standing(row).status)) found.push(row);
  }
  return found;
}

import type { ThreadFilter, ThreadRow } from '../../core/store.ts';
import type { ThreadSources } from './operation.ts';

const DEFAULT_LIMIT = 100;

/** Rows of one query, at least. */
const PAGE = 100;

/**
 * Threads that stand as a filter says, newest first: those whose rows say so and that still do, and those in memory, whose
 * rows may say what was (ADR 58).
 */
export function listedThreads(filter: ThreadFilter, sources: ThreadSources): readonly ThreadRow[] {
  const { status, limit = DEFAULT_LIMIT } = filter;
  if (!status || limit === 0) return sources.reader.threads(filter);
  const rows = [...storedAs({ ...filter, status, limit }, sources), ...inMemory({ ...filter, status, limit }, sources)];
  const found = new Map(rows.map((row) => [row.thread, row]));
  return [...found.values()].toSorted((a, b) => b.thread - a.thread).slice(0, limit);
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

/** No more rows are read than are asked for, if they are not asked for by anything else. */
function inMemory({ status, limit, ...filter }: StatusFilter, sources: ThreadSources): readonly ThreadRow[] {
  const { before = Infinity, directive, parent } = filter;
  const found: ThreadRow[] = [];
  for (const thread of Float64Array.from(sources.inMemory(status)).toSorted().toReversed()) {
    if (found.length === limit) break;
    const row = thread < before ? sources.reader.threadByNo(thread) : undefined;
    if (!row || (directive ?? row.directive) !== row.directive || (parent ?? row.parent) !== row.parent) continue;
    if (status.includes(sources.standing(row).status)) found.push(row);
  }
  return found;
}

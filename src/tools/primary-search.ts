import { toFailure } from '../core/errors.ts';
import type { RunningTool, ToolCaller } from '../core/tool.ts';
import type { ItemIndex, SearchResult } from '../items/search/item-index.ts';
import type { ItemFilter } from '../items/search/item-gate.ts';
import { compileQuery } from '../items/search/query-parser.ts';
import { NO_ITEM } from './indexed-items.ts';
import type { SearchRequest } from './primary-request.ts';
import { failure, success, type ActionSubject, type PrimaryResult } from './primary-result.ts';
import { searchDenial } from './primary-rights.ts';

/** What searching needs. */
export type ItemSearch = Pick<ItemIndex, 'search'>;

/** A search, and who it is for. */
export type SearchOrder = { readonly request: SearchRequest; readonly caller: Pick<ToolCaller, 'allows'> };

/**
 * Searches the items that the caller may search. One that may not search all of the kind and is shown nothing is told that
 * it lacks the right, whether or not there was something to hide. With `dry_run` the query takes the place of the hits.
 */
export function searchItems(
  order: SearchOrder,
  index: ItemSearch,
  done: (result: PrimaryResult) => void,
): RunningTool | undefined {
  const { request, caller } = order;
  const query = toQuery(request);
  // Whether a narrower right is enough, only the hits can tell.
  if (request.dryRun && maySearchAll(order)) {
    done(checkedPlan(request));
    return undefined;
  }
  let silent = false;
  const settle = (result: PrimaryResult): void => {
    if (!silent) done(result);
  };
  const allows: ItemFilter = (kind, id) => caller.allows('search', kind, id);
  index.search(maySearchAll(order) ? query : { ...query, allows }).then(
    (found) => settle(toResult(found, order)),
    (thrown: unknown) => settle(failure(subjectOf(request), toFailure(thrown))),
  );
  return {
    abort: () => {
      silent = true;
    },
  };
}

function checkedPlan(request: SearchRequest): PrimaryResult {
  try {
    compileQuery(request.query);
    return planResult(request);
  } catch (thrown) {
    return failure(subjectOf(request), toFailure(thrown));
  }
}

function planResult(request: SearchRequest): PrimaryResult {
  return success(subjectOf(request), { dry_run: true, query: toQuery(request) });
}

function subjectOf({ kind }: SearchRequest): ActionSubject {
  return { type: kind ?? null, item_id: null };
}

type Query = Parameters<ItemSearch['search']>[0];

function toQuery({ kind, query, source, category, tags, limit }: SearchRequest): Query {
  return {
    text: query,
    ...(kind && { kinds: [kind] }),
    ...(source && { source }),
    ...(category !== undefined && { category }),
    tags,
    limit,
  };
}

function maySearchAll({ request, caller }: SearchOrder): boolean {
  return caller.allows('search', request.kind, undefined);
}

function toResult({ hits, total, skipped, notes }: SearchResult, order: SearchOrder): PrimaryResult {
  const { request, caller } = order;
  const subject = subjectOf(request);
  if (hits.length === 0 && !maySearchAll(order)) return failure(subject, searchDenial(request.kind));
  if (request.dryRun) return planResult(request);
  const results = hits.map(({ kind, id, space, shadowedBy, ...hit }) => ({
    item_type: kind,
    item_id: id,
    source: space,
    ...hit,
    ...(shadowedBy !== undefined && { shadowed_by: shadowedBy }),
  }));
  const unread = skipped.filter((item) => isMissed(item, request) && caller.allows('search', item.kind, item.id));
  const remarks = unread.slice(0, MAX_REMARKS).map(({ kind, id, failure: { message } }) => {
    return `${kind} ${id} can't be searched: ${message}`;
  });
  return success(subject, { results, total, skipped: unread.length }, [...notes, ...remarks]);
}

type Skipped = SearchResult['skipped'][number];

/** Whether an item that can't be read might have been found; a file among the tools that is none might not. */
function isMissed({ kind, space, failure: { detail } }: Skipped, request: SearchRequest): boolean {
  const isAsked = (request.kind ?? kind) === kind && (request.source ?? space) === space;
  return isAsked && detail?.['reason'] !== NO_ITEM;
}

/** Unreadable items that are named; `skein item list` names them all. */
const MAX_REMARKS = 3;

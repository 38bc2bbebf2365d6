import { toFailure } from '../core/errors.ts';
import type { RunningTool, ToolCaller } from '../core/tool.ts';
import type { ItemIndex, SearchResult } from '../items/search/item-index.ts';
import type { ItemFilter } from '../items/search/item-gate.ts';
import { NO_ITEM } from './indexed-items.ts';
import type { SearchRequest } from './primary-request.ts';
import { failure, success, type PrimaryResult } from './primary-result.ts';
import { searchDenial } from './primary-rights.ts';

/** What searching needs. */
export type ItemSearch = Pick<ItemIndex, 'search'>;

/** A search, and who it is for. */
export type SearchOrder = { readonly request: SearchRequest; readonly caller: Pick<ToolCaller, 'allows'> };

/**
 * Searches the items that the caller may search. One that may not search all of the kind and is shown nothing is told that
 * it lacks the right, whether or not there was something to hide.
 */
export function searchItems(
  order: SearchOrder,
  index: ItemSearch,
  done: (result: PrimaryResult) => void,
): RunningTool | undefined {
  const { request, caller } = order;
  const subject = { type: request.kind ?? null, item_id: null };
  const query = toQuery(request);
  if (request.dryRun) {
    done(success(subject, { dry_run: true, query }));
    return undefined;
  }
  let silent = false;
  const settle = (result: PrimaryResult): void => {
    if (!silent) done(result);
  };
  const allows: ItemFilter = (kind, id) => caller.allows('search', kind, id);
  index.search(maySearchAll(order) ? query : { ...query, allows }).then(
    (found) => settle(toResult(found, order)),
    (thrown: unknown) => settle(failure(subject, toFailure(thrown))),
  );
  return {
    abort: () => {
      silent = true;
    },
  };
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
  const subject = { type: request.kind ?? null, item_id: null };
  if (hits.length === 0 && !maySearchAll(order)) return failure(subject, searchDenial(request.kind));
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

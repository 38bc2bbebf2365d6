import { SkeinError } from '../../core/errors.ts';
import type { ItemKind, SpaceName } from '../../core/item.ts';
import type { ItemFilter } from './item-gate.ts';
import { compileQuery } from './query-parser.ts';

/** What to search for. An empty list filters nothing. */
export type SearchQuery = {
  /** See `compileQuery`; an empty text and `*` mean every item that the filters let through. */
  readonly text: string;
  readonly kinds?: readonly ItemKind[];
  /** One space only. */
  readonly source?: SpaceName;
  /** This category and those below it: `a/b` also finds `a/b/c`. */
  readonly category?: string;
  /** All of these. */
  readonly tags?: readonly string[];
  /** At most this many hits, 1 to 1,000; default 10. */
  readonly limit?: number;
  /** Only the items this lets through; asked once for each that fits everything else. It must not search. */
  readonly allows?: ItemFilter;
};

/** A search query that was checked; `match` is an expression of FTS5, or null for everything. */
export type CompiledSearch = {
  readonly match: string | null;
  /** Lists are JSON, since SQL has none; null filters nothing. */
  readonly kinds: string | null;
  readonly source: string | null;
  readonly category: string | null;
  readonly tags: string | null;
  readonly limit: number;
};

const DEFAULT_LIMIT = 10;
const MAX_LIMIT = 1000;

/** @throws SkeinError `invalid_argument` for a text that can't be understood and a limit out of bounds */
export function compileSearch({
  text,
  kinds,
  source,
  category,
  tags,
  limit = DEFAULT_LIMIT,
}: SearchQuery): CompiledSearch {
  if (!Number.isSafeInteger(limit) || limit < 1 || limit > MAX_LIMIT) {
    throw new SkeinError(
      'invalid_argument',
      `The limit of a search is a whole number from 1 to ${MAX_LIMIT}, not ${limit}`,
    );
  }
  return {
    match: compileQuery(text) ?? null,
    kinds: listOf(kinds),
    source: source ?? null,
    // Slashes that end in something else are gone through once, from the first.
    category: category?.replace(/(?<!\/)\/+$/, '') || null,
    tags: listOf(tags),
    limit,
  };
}

function listOf(values: readonly string[] | undefined): string | null {
  return values === undefined || values.length === 0 ? null : JSON.stringify(values);
}

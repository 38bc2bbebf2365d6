import type { Filter } from './filter.ts';
import { LIST_FILTERS } from './list-filters.ts';
import { TEXT_FILTERS } from './text-filters.ts';

const FILTERS: ReadonlyMap<string, Filter> = new Map([...TEXT_FILTERS, ...LIST_FILTERS]);
const ALIASES: ReadonlyMap<string, string> = new Map([
  ['d', 'default'],
  ['count', 'length'],
]);

/** The filter of a name, or undefined. */
export function filterNamed(name: string): Filter | undefined {
  return FILTERS.get(ALIASES.get(name) ?? name);
}

/** All names, for a message. */
export function filterNames(): readonly string[] {
  return [...FILTERS.keys()];
}

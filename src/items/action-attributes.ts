import type { PrimaryAction } from '../core/item.ts';

const ON_ITEM = ['item_type', 'item_id', 'source', 'dry_run'] as const;
const LOAD = [...ON_ITEM, 'destination', 'overwrite'] as const;
const SEARCH = ['item_type', 'query', 'source', 'category', 'tags', 'limit', 'dry_run'] as const;

/** What each primary action may say about itself, beside `params`. */
export const ACTION_ATTRIBUTES = {
  execute: ON_ITEM,
  load: LOAD,
  search: SEARCH,
  sign: ON_ITEM,
  fetch: [...LOAD, 'query', 'category', 'tags', 'limit'],
} as const satisfies Readonly<Record<PrimaryAction, readonly string[]>>;

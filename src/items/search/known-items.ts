import type { IndexRows, IndexKey, StoredItem } from './index-rows.ts';
import type { Connection } from './index-schema.ts';
import { whileBusy } from './sqlite-faults.ts';

/** How many rows are read in one piece. */
const PAGE = 500;

/** What the index has, held in memory so that a refresh that finds nothing new reads nothing. */
export type KnownItems = {
  /** Reads the index again if another connection has changed it. */
  reload(): Generator<void, void>;
  get(entry: IndexKey): StoredItem | undefined;
  set(item: StoredItem): void;
  delete(entry: IndexKey): void;
  all(): Iterable<StoredItem>;
};

/** Makes the memory of an index; it is empty until it is loaded. */
export function createKnownItems(db: Connection, rows: IndexRows): KnownItems {
  const items = new Map<string, StoredItem>();
  let version: unknown;
  return {
    *reload() {
      const now = yield* whileBusy(() => db.pragma('data_version', { simple: true }));
      if (now === version) return;
      items.clear();
      for (let after = 0; ;) {
        const page = yield* whileBusy(() => rows.page(after, PAGE));
        for (const item of page) items.set(itemKey(item), item);
        const last = page.at(-1);
        if (last === undefined) break;
        after = last.number;
        yield;
      }
      version = now;
    },
    get: (entry) => items.get(itemKey(entry)),
    set: (item) => items.set(itemKey(item), item),
    delete: (entry) => items.delete(itemKey(entry)),
    all: () => items.values(),
  };
}

/** One text for an item's kind, id and space. */
export function itemKey({ kind, id, space }: IndexKey): string {
  return `${space}:${kind}:${id}`;
}

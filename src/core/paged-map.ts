import type { ThreadNo } from './ids.ts';

/**
 * A map of what there may be 100,000 of. A `Map` that grows writes all that is in it into a table of twice the size, in one go: 12 ms
 * at 65,536 entries, and as much again on its way back. Here that is one page of it.
 */
export interface PagedMap<Key, Value> {
  get(key: Key): Value | undefined;
  has(key: Key): boolean;
  set(key: Key, value: Value): void;
  /** Whether it was there. */
  delete(key: Key): boolean;
  /** Page by page as they were begun, and in each as they came. */
  values(): Iterable<Value>;
  size(): number;
}

/** Names the page a key is on. None may come to hold much; pages that filled in step would grow in one go, as one map does. */
export type PageOf<Key> = (key: Key) => number | string;

/** Thread numbers are given out one after the other: a page holds those of a time. */
export const pageOfNumber: PageOf<ThreadNo> = (thread) => Math.floor(thread / 4_096);

/** Ids end in random digits: two of them make 256 pages. Anything may be asked for, also what is no text. */
export const pageOfId: PageOf<unknown> = (id) => (typeof id === 'string' ? id.slice(-2) : '');

/** Makes an empty map. */
export function createPagedMap<Key, Value>(pageOf: PageOf<Key>): PagedMap<Key, Value> {
  const pages = new Map<number | string, Map<Key, Value>>();
  let size = 0;
  return {
    get: (key) => pages.get(pageOf(key))?.get(key),
    has: (key) => pages.get(pageOf(key))?.has(key) ?? false,
    set(key, value) {
      const name = pageOf(key);
      const page = pages.get(name);
      if (page?.has(key) !== true) size++;
      if (page) page.set(key, value);
      else pages.set(name, new Map([[key, value]]));
    },
    delete(key) {
      const name = pageOf(key);
      const page = pages.get(name);
      if (!page?.delete(key)) return false;
      if (page.size === 0) pages.delete(name);
      size--;
      return true;
    },
    *values() {
      for (const page of pages.values()) yield* page.values();
    },
    size: () => size,
  };
}

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

/** Says which page a key is on. No page may come to hold much, and pages that fill alike would grow together. */
export type PageOf<Key> = (key: Key) => number | string;

/** Thread numbers are given out one after the other: a page holds those of a time. */
export const pageOfNumber: PageOf<ThreadNo> = (thread) => Math.floor(thread / 4_096);

/** Ids end in random digits: two of them make 256 pages. */
export const pageOfId: PageOf<string> = (id) => id.slice(-2);

/** Makes an empty map. */
export function createPagedMap<Key, Value>(pageOf: PageOf<Key>): PagedMap<Key, Value> {
  const pages = new Map<number | string, Map<Key, Value>>();
  let size = 0;
  return {
    get: (key) => pages.get(pageOf(key))?.get(key),
    has: (key) => pages.get(pageOf(key))?.has(key) ?? false,
    set(key, value) {
      const number = pageOf(key);
      const page = pages.get(number);
      if (page?.has(key) !== true) size++;
      if (page) page.set(key, value);
      else pages.set(number, new Map([[key, value]]));
    },
    delete(key) {
      const number = pageOf(key);
      const page = pages.get(number);
      if (!page?.delete(key)) return false;
      if (page.size === 0) pages.delete(number);
      size--;
      return true;
    },
    *values() {
      for (const page of pages.values()) yield* page.values();
    },
    size: () => size,
  };
}

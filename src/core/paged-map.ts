/*
 * Maps of what there may be 100,000 of. A `Map` that grows writes all that is in it into a table of twice the size, in one go: 12 ms
 * at 65,536 entries, and as much again on its way back. Here that is one page of it.
 */

/** Values by numbers that are given out one after the other: those of threads, or of a worker's questions. */
export interface NumberedMap<Value> {
  get(no: number): Value | undefined;
  has(no: number): boolean;
  set(no: number, value: Value): void;
  /** Whether it was there. */
  delete(no: number): boolean;
  /** Page by page as they were begun, and in each by number. */
  values(): Iterable<Value>;
  clear(): void;
  size(): number;
}

/** Values by ids. */
export type IdMap<Value> = Pick<Map<string, Value>, 'get' | 'delete'> & { set(id: string, value: Value): void };

/** Numbers of a page: 2 KB, also where there is one of them, as of those that stay when their neighbours have gone. */
const PAGE_SIZE = 256;

type Page<Value> = { readonly places: (Value | undefined)[]; used: number };

/** Makes an empty map. A page is a list of numbers of a time: one is found without a hash, beside those it came with. */
export function createNumberedMap<Value extends {}>(): NumberedMap<Value> {
  const pages = new Map<number, Page<Value>>();
  /** The page begun last. It stays when it is empty: where they come one at a time, each would begin one otherwise. */
  let latest = -1;
  let size = 0;
  const begin = (name: number): Page<Value> => {
    if (pages.get(latest)?.used === 0) pages.delete(latest);
    const page: Page<Value> = { places: Array.from({ length: PAGE_SIZE }), used: 0 };
    pages.set(name, page);
    latest = name;
    return page;
  };
  return {
    get: (no) => pages.get(pageOfNumber(no))?.places[no % PAGE_SIZE],
    has: (no) => pages.get(pageOfNumber(no))?.places[no % PAGE_SIZE] !== undefined,
    set(no, value) {
      const name = pageOfNumber(no);
      const page = pages.get(name) ?? begin(name);
      if (page.places[no % PAGE_SIZE] === undefined) {
        page.used++;
        size++;
      }
      page.places[no % PAGE_SIZE] = value;
    },
    delete(no) {
      const name = pageOfNumber(no);
      const page = pages.get(name);
      if (page?.places[no % PAGE_SIZE] === undefined) return false;
      page.places[no % PAGE_SIZE] = undefined;
      size--;
      if (--page.used === 0 && name !== latest) pages.delete(name);
      return true;
    },
    *values() {
      for (const { places } of pages.values()) for (const value of places) if (value !== undefined) yield value;
    },
    clear() {
      pages.clear();
      latest = -1;
      size = 0;
    },
    size: () => size,
  };
}

function pageOfNumber(no: number): number {
  return Math.floor(no / PAGE_SIZE);
}

/** Ids end in random digits: two of them make 256 pages. Anything may be asked for, also what is no text. */
export function pageOfId(id: unknown): string {
  return typeof id === 'string' ? id.slice(-2) : '';
}

/** Makes an empty map by ids. */
export function createIdMap<Value>(): IdMap<Value> {
  const pages = new Map<string, Map<string, Value>>();
  return {
    get: (id) => pages.get(pageOfId(id))?.get(id),
    set(id, value) {
      const name = pageOfId(id);
      const page = pages.get(name);
      if (page) page.set(id, value);
      else pages.set(name, new Map([[id, value]]));
    },
    delete(id) {
      const name = pageOfId(id);
      const page = pages.get(name);
      if (!page?.delete(id)) return false;
      if (page.size === 0) pages.delete(name);
      return true;
    },
  };
}

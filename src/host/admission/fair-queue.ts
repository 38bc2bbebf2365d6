import { createFifo, type Fifo } from '../../core/fifo.ts';

/**
 * First come, first served within an owner; round robin between owners. One parent with 10,000 children does not starve
 * another with 3. Every operation is O(1).
 */
export interface FairQueue<Item> {
  push(owner: number, item: Item): void;
  /** The next item of the next owner that is not held. */
  shift(): { readonly owner: number; readonly item: Item } | undefined;
  /** A held owner's items stay in line, but none is taken until it is released. */
  hold(owner: number): void;
  release(owner: number): void;
  /** Drops everything; returns what was there, in the order it would have come. */
  clear(): Item[];
  size(): number;
}

type Line<Item> = { readonly items: Fifo<Item>; held: boolean; inRing: boolean };

/** Makes an empty queue. */
export function createFairQueue<Item>(): FairQueue<Item> {
  const lines = createLines<Item>();
  const ring = createFifo<number>();
  let size = 0;

  const enter = (owner: number, line: Line<Item>): void => {
    if (line.inRing || line.held || line.items.size() === 0) return;
    line.inRing = true;
    ring.push(owner);
  };
  const shift = (): { owner: number; item: Item } | undefined => {
    for (let owner = ring.shift(); owner !== undefined; owner = ring.shift()) {
      const line = lines.get(owner);
      if (!line) continue;
      line.inRing = false;
      const item = line.held ? undefined : line.items.shift();
      if (item === undefined) continue;
      size--;
      enter(owner, line);
      lines.forgetIfIdle(owner);
      return { owner, item };
    }
    return undefined;
  };

  return {
    push(owner, item) {
      const line = lines.of(owner);
      line.items.push(item);
      size++;
      enter(owner, line);
    },
    shift,
    hold(owner) {
      lines.of(owner).held = true;
    },
    release(owner) {
      const line = lines.get(owner);
      if (!line?.held) return;
      line.held = false;
      enter(owner, line);
      lines.forgetIfIdle(owner);
    },
    clear() {
      const items: Item[] = [];
      for (const line of lines.all().values()) line.held = false;
      for (const [owner, line] of lines.all()) enter(owner, line);
      for (let next = shift(); next; next = shift()) items.push(next.item);
      return items;
    },
    size: () => size,
  };
}

interface Lines<Item> {
  get(owner: number): Line<Item> | undefined;
  /** The owner's line, which is made if there is none. */
  of(owner: number): Line<Item>;
  all(): ReadonlyMap<number, Line<Item>>;
  /** A line that is empty and not held. That of one owner may stay. */
  forgetIfIdle(owner: number): void;
}

function createLines<Item>(): Lines<Item> {
  const lines = new Map<number, Line<Item>>();
  /** Whose line was emptied last. It stays: that of the roots is empty, and entered again, all the time. */
  let emptied = -1;
  const isIdle = (owner: number): boolean => {
    const line = lines.get(owner);
    return line !== undefined && !line.held && line.items.size() === 0;
  };
  return {
    get: (owner) => lines.get(owner),
    of(owner) {
      const known = lines.get(owner);
      if (known) return known;
      const line: Line<Item> = { items: createFifo<Item>(), held: false, inRing: false };
      lines.set(owner, line);
      return line;
    },
    all: () => lines,
    forgetIfIdle(owner) {
      if (owner === emptied || !isIdle(owner)) return;
      if (isIdle(emptied)) lines.delete(emptied);
      emptied = owner;
    },
  };
}

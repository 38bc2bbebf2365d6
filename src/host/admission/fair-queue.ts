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
  const lines = new Map<number, Line<Item>>();
  const ring = createFifo<number>();
  /** Whose line was emptied last: it stays, since that of the roots is empty and entered again all the time. */
  let emptied = -1;
  let size = 0;

  const enter = (owner: number, line: Line<Item>): void => {
    if (line.inRing || line.held || line.items.size() === 0) return;
    line.inRing = true;
    ring.push(owner);
  };
  const lineOf = (owner: number): Line<Item> => {
    const line = lines.get(owner) ?? { items: createFifo<Item>(), held: false, inRing: false };
    lines.set(owner, line);
    return line;
  };
  const isIdle = (line: Line<Item> | undefined): boolean => line !== undefined && !line.held && line.items.size() === 0;
  const forgetIfIdle = (owner: number, line: Line<Item>): void => {
    if (owner === emptied || !isIdle(line)) return;
    if (isIdle(lines.get(emptied))) lines.delete(emptied);
    emptied = owner;
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
      forgetIfIdle(owner, line);
      return { owner, item };
    }
    return undefined;
  };

  return {
    push(owner, item) {
      const line = lineOf(owner);
      line.items.push(item);
      size++;
      enter(owner, line);
    },
    shift,
    hold(owner) {
      lineOf(owner).held = true;
    },
    release(owner) {
      const line = lines.get(owner);
      if (!line?.held) return;
      line.held = false;
      enter(owner, line);
      forgetIfIdle(owner, line);
    },
    clear() {
      const items: Item[] = [];
      for (const line of lines.values()) line.held = false;
      for (const [owner, line] of lines) enter(owner, line);
      for (let next = shift(); next; next = shift()) items.push(next.item);
      return items;
    },
    size: () => size,
  };
}

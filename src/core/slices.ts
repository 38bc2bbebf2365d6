import type { Schedule } from './batched-port.ts';
import { createFifo, type Fifo } from './fifo.ts';

/**
 * Handles what others send to one thread. What one turn of its event loop does of it is bounded, whoever sent it and however much
 * came: the rest waits for the next turn. The lines take turns, so that none waits behind all that stands in another.
 */
export interface Slices {
  /** Makes a line: what is put into it is handled in order, at once if this turn has done nothing yet. */
  line(): Line;
}

/** Puts a batch into a line, and says what handles its items. */
export type Line = <Item>(batch: readonly Item[], receive: (item: Item) => void) => void;

/** What {@link createSlices} is made from. */
export type SlicesOptions = {
  /** Milliseconds of work in one turn. */
  readonly sliceMs: number;
  readonly now: () => number;
  readonly schedule: Schedule;
};

/** How many items of a line are handled before the clock is looked at and the next line has its turn. */
const SHARE = 8;

type Batch = { readonly items: readonly unknown[]; readonly receive: (item: unknown) => void };
type Waiting = {
  readonly batches: Fifo<Batch>;
  position: number;
  /** It stands among the lines, or its turn is on. */
  isListed: boolean;
};

/** Makes them. When handling an item throws, the rest is handled all the same, and the error goes on its way. */
export function createSlices({ sliceMs, now, schedule }: SlicesOptions): Slices {
  /** The lines in which something waits, the next one first. */
  const lines: Waiting[] = [];
  /** This turn has done its part, or the next slice is scheduled. */
  let isBusy = false;

  const slice = (): void => {
    const stopAt = now() + sliceMs;
    do {
      const line = lines.shift();
      if (!line) return;
      try {
        handleSome(line);
      } finally {
        line.isListed = line.batches.size() > 0;
        if (line.isListed) lines.push(line);
      }
    } while (now() < stopAt);
  };
  const next = (): void => {
    try {
      slice();
    } finally {
      settle();
    }
  };
  const settle = (): void => {
    isBusy = lines.length > 0;
    if (isBusy) schedule(next);
  };
  const begin = (): void => {
    isBusy = true;
    const from = now();
    try {
      slice();
    } finally {
      // What is scheduled now comes in this turn still: the next slice is for the turn after it.
      if (now() > from) schedule(settle);
      else settle();
    }
  };

  return {
    line() {
      const line: Waiting = { batches: createFifo(), position: 0, isListed: false };
      return (items, receive) => {
        if (items.length === 0) return;
        if (!line.isListed) lines.push(line);
        line.isListed = true;
        // Given its own items alone.
        line.batches.push({ items, receive: receive as Batch['receive'] });
        if (!isBusy) begin();
      };
    },
  };
}

function handleSome(line: Waiting): void {
  for (let left = SHARE; left > 0; left--) {
    const first = line.batches.peek();
    if (!first) return;
    const item = first.items[line.position++];
    if (line.position >= first.items.length) {
      line.batches.shift();
      line.position = 0;
    }
    first.receive(item);
  }
}

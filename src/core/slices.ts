import type { Schedule } from './batched-port.ts';

/**
 * Handles batches from everybody who sends some to one thread, in the order in which they arrive. What one turn of the event
 * loop does of it is bounded, whoever sent it and however many messages came: the rest waits for the next turn.
 */
export interface Slices {
  /** Handles a batch: at once, unless something waits or this turn has done its part. */
  handle<Item>(batch: readonly Item[], receive: (item: Item) => void): void;
}

/** What {@link createSlices} is made from. */
export type SlicesOptions = {
  /** Milliseconds of work in one turn. */
  readonly sliceMs: number;
  readonly now: () => number;
  readonly schedule: Schedule;
};

/** How many items are handled between two looks at the clock. */
const CHECK_EVERY = 4;

type Waiting = { readonly batch: readonly unknown[]; readonly receive: (item: unknown) => void };

/** Makes them. When handling an item throws, the rest is handled all the same, and the error goes on its way. */
export function createSlices({ sliceMs, now, schedule }: SlicesOptions): Slices {
  const line: Waiting[] = [];
  let position = 0;
  /** Of this turn. */
  let left = sliceMs;
  let isTurning = false;

  const next = (): void => {
    const first = line[0];
    if (!first) return;
    const item = first.batch[position++];
    if (position >= first.batch.length) {
      line.shift();
      position = 0;
    }
    first.receive(item);
  };
  const work = (later: (turn: () => void) => void): void => {
    const from = now();
    try {
      for (let handled = 1; line.length > 0; handled++) {
        next();
        if (handled % CHECK_EVERY === 0 && now() - from >= left) break;
      }
    } finally {
      left -= now() - from;
      if (!isTurning && (line.length > 0 || left < sliceMs)) {
        isTurning = true;
        later(turn);
      }
    }
  };
  const turn = (): void => {
    isTurning = false;
    left = sliceMs;
    if (line.length > 0) work(schedule);
  };
  /** A message is handled before what is scheduled in the same turn of the loop: what it leaves is for the one after. */
  const afterThisTurn = (run: () => void): void => schedule(line.length > 0 ? () => schedule(run) : run);

  return {
    handle(batch, receive) {
      if (batch.length === 0) return;
      // Given its own items alone.
      line.push({ batch, receive: receive as Waiting['receive'] });
      if (line.length === 1 && left > 0) work(afterThisTurn);
    },
  };
}

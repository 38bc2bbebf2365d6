/** A place taken in {@link CallSlots}: leaving gives it to the next in line, or leaves the line. Leaving twice does nothing. */
export type SlotPlace = { leave(): void };

/** At most so many at a time, first come first served. */
export interface CallSlots {
  /** Calls `enter` as soon as there is room, in the same tick if there is now. */
  take(enter: () => void): SlotPlace;
}

/**
 * Makes a line with `max` places.
 *
 * Invariants: (1) never more than `max` have entered and not left; (2) those waiting enter in the order they came;
 * (3) whoever leaves before entering never enters.
 */
export function createCallSlots(max: number): CallSlots {
  const waiting = new Set<() => void>();
  let busy = 0;

  const next = (): void => {
    const [enter] = waiting;
    if (busy >= max || !enter) return;
    waiting.delete(enter);
    busy += 1;
    enter();
  };

  return {
    take(enter) {
      let state: 'waiting' | 'inside' | 'gone' = 'waiting';
      const comeIn = (): void => {
        state = 'inside';
        enter();
      };
      const leave = (): void => {
        const before = state;
        state = 'gone';
        waiting.delete(comeIn);
        if (before !== 'inside') return;
        busy -= 1;
        next();
      };
      waiting.add(comeIn);
      next();
      return { leave };
    },
  };
}

import type { Clock, Timer } from '../../src/core/clock.ts';

/** A clock that stands still until it is moved. */
export interface HandClock extends Clock {
  /** Moves time on and fires what is due, in order of time. */
  advance(ms: number): void;
  /** Somebody sets it, forward or back: timers wait as long as before, and the stopwatch runs on. */
  set(byMs: number): void;
  /** Timers that are set. */
  pending(): number;
}

/** Makes a clock at 0 ms. */
export function createHandClock(): HandClock {
  const timers = new Map<number, { readonly at: number; readonly fire: () => void }>();
  let now = 0;
  let next = 1;
  let setBy = 0;
  return {
    now: () => now + setBy,
    stopwatch: () => now,
    set: (byMs) => void (setBy += byMs),
    setTimer: (delayMs, fire): Timer => {
      const id = next++;
      timers.set(id, { at: now + Math.max(0, delayMs), fire });
      return id;
    },
    clearTimer: (timer) => {
      if (typeof timer === 'number') timers.delete(timer);
    },
    pending: () => timers.size,
    advance: (ms) => {
      const until = now + ms;
      for (;;) {
        const due = [...timers].filter(([, { at }]) => at <= until).toSorted(([, a], [, b]) => a.at - b.at)[0];
        if (due === undefined) break;
        const [id, { at, fire }] = due;
        timers.delete(id);
        now = at;
        fire();
      }
      now = until;
    },
  };
}

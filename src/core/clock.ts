/** A timer that can be cleared; opaque to its user. */
export type Timer = { readonly kind: 'timer' } | NodeJS.Timeout | number;

/** Time as a dependency: everything that waits or stamps gets it from here, so a test can drive it by hand. */
export interface Clock {
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /**
   * Milliseconds from some moment on, the same one in all threads of the process, that never go back and that nobody sets: for
   * lengths of time, as timers have them. What is stored, or shown as a time of day, has `now`.
   */
  readonly stopwatch: () => number;
  /** Calls `fire` once after `delayMs`; delays of 2^31 ms and more are clamped below it. */
  setTimer(delayMs: number, fire: () => void): Timer;
  clearTimer(timer: Timer): void;
}

/** Longest delay `setTimeout` honours; a longer one would fire at once. */
const MAX_DELAY_MS = 2 ** 31 - 1;

/** The machine's clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  // `performance.now()` begins anew in each worker.
  stopwatch: () => {
    const [seconds, nanoseconds] = process.hrtime();
    return seconds * 1000 + nanoseconds / 1e6;
  },
  setTimer: (delayMs, fire) => setTimeout(fire, Math.min(Math.max(0, delayMs), MAX_DELAY_MS)),
  clearTimer: (timer) => clearTimeout(timer as NodeJS.Timeout),
};

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
  /** Calls `fire` once after `delayMs`, however long that is. */
  setTimer(delayMs: number, fire: () => void): Timer;
  clearTimer(timer: Timer): void;
}

/** Longest delay `setTimeout` honours, some 24.8 days; a longer one would fire at once. */
const MAX_DELAY_MS = 2 ** 31 - 1;

/** The machine's clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  // `performance.now()` begins anew in each worker.
  stopwatch: () => {
    const [seconds, nanoseconds] = process.hrtime();
    return seconds * 1000 + nanoseconds / 1e6;
  },
  setTimer: (delayMs, fire) =>
    delayMs > MAX_DELAY_MS ? setLongTimer(delayMs, fire) : setTimeout(fire, Math.max(0, delayMs)),
  // It has made every timer that it is given.
  clearTimer: (timer) => clearTimeout(isLong(timer) ? timer.current : (timer as NodeJS.Timeout)),
};

/** A timer that is set again until its time has come. */
type LongTimer = { readonly kind: 'timer'; current: NodeJS.Timeout };

function setLongTimer(delayMs: number, fire: () => void): LongTimer {
  const wait = (left: number): NodeJS.Timeout =>
    left > MAX_DELAY_MS
      ? setTimeout(() => void (timer.current = wait(left - MAX_DELAY_MS)), MAX_DELAY_MS)
      : setTimeout(fire, left);
  const timer: LongTimer = { kind: 'timer', current: wait(delayMs) };
  return timer;
}

function isLong(timer: Timer): timer is LongTimer {
  return typeof timer === 'object' && 'kind' in timer;
}

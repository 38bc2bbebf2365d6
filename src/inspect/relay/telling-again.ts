import type { Clock, Timer } from '../../core/clock.ts';

/** When all is told again for one viewer that misses messages. */
export interface TellingAgain {
  /** It has missed some, and nothing waits for it any more. */
  due(): void;
  /** All is being told, for whomever: what was due is done. */
  told(): void;
  stop(): void;
}

/**
 * All is told again to a viewer that has missed something, but not at once: it costs the threads time. One that can't keep
 * up would miss something each time. If it does soon after, the next time takes twice as long.
 */
const WAIT = { firstMs: 2_000, mostMs: 64_000 } as const;

/** Makes it; nothing is due. */
export function createTellingAgain(clock: Clock, tellAll: () => void): TellingAgain {
  let timer: Timer | undefined;
  let waitMs: number = WAIT.firstMs;
  let toldAt = Number.NEGATIVE_INFINITY;
  const stop = (): void => {
    if (timer !== undefined) clock.clearTimer(timer);
    timer = undefined;
  };
  return {
    due() {
      if (timer !== undefined) return;
      const isCalm = clock.stopwatch() - toldAt > WAIT.mostMs;
      waitMs = isCalm ? WAIT.firstMs : Math.min(waitMs * 2, WAIT.mostMs);
      timer = clock.setTimer(waitMs, tellAll);
    },
    told() {
      if (timer === undefined) return;
      stop();
      toldAt = clock.stopwatch();
    },
    stop,
  };
}

import type { Clock, Timer } from '../core/clock.ts';

/** How long a call may keep its caller waiting, in milliseconds. */
export type Timeouts = {
  /** Until the first byte of the answer. */
  readonly firstByteMs: number;
  /** Between two pieces of the answer. */
  readonly idleMs: number;
  /** The whole call. */
  readonly totalMs: number;
};

/** Reasoning models are silent for minutes before their first byte or word; an answer that has begun is not. */
export const DEFAULT_TIMEOUTS: Timeouts = { firstByteMs: 180_000, idleMs: 90_000, totalMs: 900_000 };

/** How long a connection may stay open after the answer's own end. */
const ENDING_MS = 1000;

/** Which of {@link Timeouts} ran out. */
export type TimeoutKind = 'first_byte' | 'idle' | 'total';

/** Watches one call. */
export interface Watchdog {
  /**
   * Something arrived; `isSilent`: nothing of the answer itself yet, and it may stay away as long as a first byte may.
   * Costs one clock reading: the timer is set again only when it fires.
   */
  alive(isSilent?: boolean): void;
  /** The answer has come; its connection has a moment to end, counted once: nothing that still arrives makes it longer. */
  ending(): void;
  stop(): void;
}

/** Starts watching now and calls `expired` at most once. One timer per call, however many pieces arrive. */
export function startWatchdog(
  clock: Clock,
  timeouts: Timeouts,
  expired: (kind: TimeoutKind, afterMs: number) => void,
): Watchdog {
  const startedAt = clock.stopwatch();
  let aliveAt: number | undefined;
  let silentMs = timeouts.firstByteMs;
  let isEnding = false;

  const check = (): void => {
    const now = clock.stopwatch();
    const next = nextDeadline({ startedAt, aliveAt, silentMs, totalMs: timeouts.totalMs });
    if (now < next.at) {
      timer = clock.setTimer(next.at - now, check);
      return;
    }
    timer = undefined;
    expired(next.kind, next.limitMs);
  };
  // Never fires before this function has returned, whatever the limits.
  let timer: Timer | undefined = clock.setTimer(Math.min(timeouts.firstByteMs, timeouts.totalMs), check);

  return {
    alive: (isSilent = false) => {
      if (isEnding) return;
      const before = silentMs;
      aliveAt = clock.stopwatch();
      silentMs = isSilent ? Math.max(timeouts.firstByteMs, timeouts.idleMs) : timeouts.idleMs;
      if (timer === undefined || silentMs >= before) return;
      // The shorter limit may end before the timer for the longer one fires.
      clock.clearTimer(timer);
      check();
    },
    ending: () => {
      if (timer === undefined || isEnding) return;
      isEnding = true;
      clock.clearTimer(timer);
      timer = clock.setTimer(ENDING_MS, () => expired('idle', ENDING_MS));
    },
    stop: () => {
      if (timer !== undefined) clock.clearTimer(timer);
      timer = undefined;
    },
  };
}

type Watched = {
  readonly startedAt: number;
  readonly aliveAt: number | undefined;
  readonly silentMs: number;
  readonly totalMs: number;
};

function nextDeadline({ startedAt, aliveAt, silentMs, totalMs }: Watched): {
  readonly kind: TimeoutKind;
  readonly at: number;
  readonly limitMs: number;
} {
  const total = { kind: 'total', at: startedAt + totalMs, limitMs: totalMs } as const;
  const kind = aliveAt === undefined ? 'first_byte' : 'idle';
  const silent = { kind, at: (aliveAt ?? startedAt) + silentMs, limitMs: silentMs } as const;
  return silent.at <= total.at ? silent : total;
}

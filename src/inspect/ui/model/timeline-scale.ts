/** A stretch of time, in milliseconds since the epoch. */
export type Stretch = { readonly fromMs: number; readonly toMs: number };

/** A line across a timeline; `at`: 0 is its beginning, 1 its end. */
export type Tick = { readonly at: number; readonly sinceMs: number };

/** Where a time lies in a stretch, between 0 and 1. */
export function positionIn({ fromMs, toMs }: Stretch, ms: number): number {
  const length = Math.max(1, toMs - fromMs);
  return Math.min(1, Math.max(0, (ms - fromMs) / length));
}

/** Round times since the beginning. */
export function ticksOf({ fromMs, toMs }: Stretch): Tick[] {
  const length = Math.max(1, toMs - fromMs);
  const step = STEPS.find((one) => length / one <= MOST_TICKS) ?? Math.ceil(length / MOST_TICKS / DAY) * DAY;
  return Array.from({ length: Math.floor(length / step) + 1 }, (_, at) => ({
    at: (at * step) / length,
    sinceMs: at * step,
  }));
}

/** After the one at the beginning. */
const MOST_TICKS = 5;
const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const STEPS = [
  1,
  2,
  5,
  10,
  20,
  50,
  100,
  200,
  500,
  ...[1, 2, 5, 10, 20, 30].map((count) => count * SECOND),
  ...[1, 2, 5, 10, 20, 30].map((count) => count * MINUTE),
  ...[1, 2, 6, 12].map((count) => count * HOUR),
  DAY,
];

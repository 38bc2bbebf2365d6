import type { Clock } from '../../core/clock.ts';
import type { ProjectWindow } from '../../index.ts';
import type { LevelTotals } from '../api.ts';

/** What is counted: a level by the id of its parent, the roots, or all threads. */
export type TotalsKey = Parameters<ProjectWindow['tally']>[0];

/**
 * Totals of levels, which are kept: a request for them never counts what was counted a moment ago, and however fast a project
 * changes, counting takes a twentieth of the time at most.
 */
export interface Totals {
  of(key: TotalsKey): Promise<LevelTotals>;
}

type Kept = {
  readonly totals: LevelTotals;
  readonly version: number;
  readonly begun: number;
  readonly tookMs: number;
};

/** How old totals may be, milliseconds, and how much older than the time they took. */
const LEAST_AGE_MS = 1_000;
const AGE_PER_EFFORT = 20;
/** Whoever asks waits for a new count if the last one took no longer. */
const WORTH_WAITING_MS = 30;
/** Levels that are kept. */
const MOST_KEPT = 200;

/** Makes the totals of a window. */
export function createTotals(
  window: Pick<ProjectWindow, 'tally' | 'version'>,
  clock: Pick<Clock, 'now' | 'stopwatch'>,
): Totals {
  const kept = new Map<string, Kept>();
  const counting = new Map<string, Promise<LevelTotals>>();

  const count = async (name: string, key: TotalsKey): Promise<LevelTotals> => {
    const version = window.version();
    const asOf = clock.now();
    const begun = clock.stopwatch();
    const { counts, threads, turns, spend } = await window.tally(key);
    const totals = { counts, threads, turns, spend, as_of_ms: asOf };
    if (kept.size >= MOST_KEPT) kept.clear();
    kept.set(name, { totals, version, begun, tookMs: clock.stopwatch() - begun });
    return totals;
  };
  const countOnce = (name: string, key: TotalsKey): Promise<LevelTotals> => {
    const open = counting.get(name) ?? count(name, key).finally(() => counting.delete(name));
    counting.set(name, open);
    return open;
  };
  return {
    async of(key) {
      const name = typeof key === 'string' ? key : `under ${key.parent}`;
      const last = kept.get(name);
      if (!last) return countOnce(name, key);
      const age = clock.stopwatch() - last.begun;
      const isFresh = age < Math.max(LEAST_AGE_MS, AGE_PER_EFFORT * last.tookMs) || window.version() === last.version;
      if (isFresh) return last.totals;
      const next = countOnce(name, key);
      if (last.tookMs <= WORTH_WAITING_MS) return next;
      // Its failure is told to whoever asks first.
      next.catch(() => kept.delete(name));
      return last.totals;
    },
  };
}

import type { ProjectStatus } from '../index.ts';

/** How a project stands at a moment. */
export type Sample = {
  readonly status: ProjectStatus;
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** The same moment on the stopwatch, for what happens in a second. */
  readonly stopwatch: number;
};

/** What happens in a second; spend in USD. */
export type Rates = { readonly turns: number; readonly events: number; readonly spend: number };

/** What happened between two moments of one runtime; undefined where there is none, or it is another one. */
export function ratesBetween(before: Sample | undefined, now: Sample): Rates | undefined {
  const [earlier, later] = [sumsOf(before), sumsOf(now)];
  const seconds = (now.stopwatch - (before?.stopwatch ?? now.stopwatch)) / 1_000;
  if (!earlier || !later || earlier.pid !== later.pid || seconds <= 0) return undefined;
  // A worker that was replaced counts from 0 again.
  const rate = (one: number, other: number): number => Math.max(0, other - one) / seconds;
  return {
    turns: rate(earlier.turns, later.turns),
    events: rate(earlier.events, later.events),
    spend: rate(earlier.spend, later.spend),
  };
}

function sumsOf(sample: Sample | undefined): (Rates & { readonly pid: number | undefined }) | undefined {
  const { pid, workers } = sample?.status.runtime ?? {};
  if (!workers) return undefined;
  const sum = (key: keyof Rates): number => workers.reduce((total, worker) => total + worker[key], 0);
  return { pid, turns: sum('turns'), events: sum('events'), spend: sum('spend') };
}

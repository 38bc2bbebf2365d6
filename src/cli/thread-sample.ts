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

type Worker = NonNullable<NonNullable<ProjectStatus['runtime']>['workers']>[number];

/**
 * What happened between two moments of one runtime, in all its workers or in the one of a number; undefined where there is none,
 * or it is another one. A worker counts since its start: only those that answered both times have rates.
 */
export function ratesBetween(before: Sample | undefined, now: Sample, worker?: number): Rates | undefined {
  const [earlier, later] = [before?.status.runtime, now.status.runtime];
  const seconds = (now.stopwatch - (before?.stopwatch ?? now.stopwatch)) / 1_000;
  if (!earlier?.workers || !later?.workers || earlier.pid !== later.pid || seconds <= 0) return undefined;
  const known = new Map(earlier.workers.map((one) => [one.number, one]));
  const pairs = later.workers.flatMap((one) => {
    const same = known.get(one.number);
    return same && (worker === undefined || worker === one.number) ? [[same, one] as const] : [];
  });
  // That nobody answered twice does not say that nothing happened.
  if (pairs.length === 0) return undefined;
  const rate = (key: keyof Rates): number => pairs.reduce((sum, pair) => sum + grown(pair, key), 0) / seconds;
  return { turns: rate('turns'), events: rate('events'), spend: rate('spend') };
}

/** Another runtime of the same process counts from 0 again. */
function grown([earlier, later]: readonly [Worker, Worker], key: keyof Rates): number {
  return Math.max(0, later[key] - earlier[key]);
}

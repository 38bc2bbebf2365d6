import { METRICS } from './metrics.ts';
import type { Measured, Params } from './job.ts';

/** One number of the bench: the median of its runs, and the smallest and largest of them. */
export type Result = {
  readonly scenario: string;
  readonly contender: string;
  readonly params: Params;
  readonly metric: string;
  readonly value: number;
  readonly unit: string;
  readonly spread: readonly [min: number, max: number];
  readonly runs: number;
};

/** What was run how often. */
export type Series = {
  readonly scenario: string;
  readonly contender: string;
  readonly params: Params;
  readonly runs: readonly Measured[];
};

/** Sums the runs of one contender in one case up. */
export function summarise({ scenario, contender, params, runs }: Series): Result[] {
  const names = new Set(runs.flatMap(({ metrics }) => Object.keys(metrics)));
  return [...names].map((metric) => {
    const values = runs.flatMap(({ metrics }) => metrics[metric] ?? []);
    return {
      scenario,
      contender,
      params,
      metric,
      value: median(values),
      unit: METRICS[metric]?.unit ?? '',
      spread: [Math.min(...values), Math.max(...values)],
      runs: values.length,
    };
  });
}

/** The middle of the numbers, or what is between the two there; NaN of none. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = (sorted.length - 1) / 2;
  return ((sorted[Math.floor(middle)] ?? Number.NaN) + (sorted[Math.ceil(middle)] ?? Number.NaN)) / 2;
}

/** A case in a few words, which no other case of a scenario has: `10000 threads × 3 turns, 100 ms model`. */
export function describeCase({ threads, turns, llmMs, items, variant }: Params): string {
  const name = variant === undefined ? '' : `${variant}, `;
  if (threads === 0 && items === undefined) return `${name}${turns} turns`;
  if (items !== undefined) return `${name}${items} items`;
  const model = turns === 1 && llmMs === 0 ? '' : `, ${llmMs} ms model`;
  return `${name}${threads} threads${turns === 1 ? '' : ` × ${turns} turns`}${model}`;
}

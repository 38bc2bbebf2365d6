import type { CacheResult } from '../cache.bench.ts';
import type { Result } from '../results.ts';
import { SESSION } from './constants.ts';

/** The policies that have a target. */
const HELD = ['cache-aware', 'cache-aware-redundant', 'append-only'];

/** What sessions with one question before each edit say of the targets: means, and where the default is not the cheaper one. */
export function cacheFigures(results: readonly CacheResult[]): readonly Result[] {
  const held = results.filter(({ questions }) => questions === 1);
  const costsOf = (name: string): readonly number[] =>
    held.filter(({ contender }) => contender === name).map(({ cost }) => cost);
  const ones = costsOf('one mark');
  const dearer = costsOf('cache-aware').filter((cost, at) => cost >= (ones[at] ?? 0)).length;
  return [
    ...HELD.map((variant) => figure(variant, 'cache_cost', costsOf(variant))),
    figure('cache-aware', 'cache_dearer', [dearer]),
  ];
}

function figure(variant: string, metric: string, values: readonly number[]): Result {
  const value = values.reduce((sum, each) => sum + each, 0) / values.length;
  const spread = [Math.min(...values), Math.max(...values)] as const;
  const params = { threads: 0, turns: SESSION.turns, llmMs: 0, variant };
  return { scenario: 'cache', contender: 'skein', params, metric, value, unit: '', spread, runs: values.length };
}

import type { Result } from '../results.ts';
import { SESSION } from './constants.ts';

/** One contender in one session. Costs are relative to no cache. */
export type CacheResult = {
  readonly sessions: string;
  readonly session: string;
  readonly questions: number;
  readonly contender: string;
  readonly cost: number;
  readonly read: number;
};

/** The policies that have a target. */
const HELD = ['cache-aware', 'cache-aware-redundant', 'append-only'];

/** Sessions that nothing was tuned on: those of the first frozen constants, those made after the second time, and both. */
export const HELD_OUT = [['held-out'], ['held-out-later'], ['held-out', 'held-out-later']] as const;

/** Sessions by name: `held-out and held-out-later sessions`. */
export function nameSessions(kinds: readonly string[]): string {
  return `${kinds.join(' and ')} sessions`;
}

/** What sessions with one question before each edit say of the targets: means, and where the default is not the cheaper one. */
export function cacheFigures(results: readonly CacheResult[], kinds: readonly string[]): readonly Result[] {
  const held = results.filter(({ questions, sessions }) => questions === 1 && kinds.includes(sessions));
  const costsOf = (name: string): readonly number[] =>
    held.filter(({ contender }) => contender === name).map(({ cost }) => cost);
  const ones = costsOf('one mark');
  const dearer = costsOf('cache-aware').filter((cost, at) => cost >= (ones[at] ?? 0)).length;
  const variantOf = (name: string): string => `${name}, ${nameSessions(kinds)}`;
  return [
    ...HELD.map((name) => figure(variantOf(name), 'cache_cost', costsOf(name))),
    figure(variantOf('cache-aware'), 'cache_dearer', [dearer]),
  ];
}

function figure(variant: string, metric: string, values: readonly number[]): Result {
  const value = values.reduce((sum, each) => sum + each, 0) / values.length;
  const spread = [Math.min(...values), Math.max(...values)] as const;
  const params = { threads: 0, turns: SESSION.turns, llmMs: 0, variant };
  return { scenario: 'cache', contender: 'skein', params, metric, value, unit: '', spread, runs: values.length };
}

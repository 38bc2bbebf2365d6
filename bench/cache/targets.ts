import type { CacheResult } from '../cache.bench.ts';

/** A number to be reached in the sessions that nothing was tuned on, and whether it was. */
export type CacheTarget = { readonly text: string; readonly reached: boolean };

const MEANS = [
  { contender: 'cache-aware', max: 0.55 },
  { contender: 'cache-aware-redundant', max: 0.48 },
  { contender: 'append-only', max: 0.3 },
];

/** Holds the held-out sessions with one question before each edit against the targets. */
export function checkCacheTargets(results: readonly CacheResult[]): CacheTarget[] {
  const held = results.filter(({ sessions, questions }) => sessions === 'held-out' && questions === 1);
  if (held.length === 0) return [];
  const costs = (name: string): number[] => held.filter(({ contender }) => contender === name).map(({ cost }) => cost);
  const means = MEANS.map(({ contender, max }) => {
    const all = costs(contender);
    const mean = all.reduce((sum, cost) => sum + cost, 0) / all.length;
    return { text: `${contender}: mean ${mean.toFixed(3)}, at most ${max}`, reached: mean <= max };
  });
  const one = costs('one mark');
  const below = costs('cache-aware').every((cost, at) => cost < (one[at] ?? 0));
  return [...means, { text: 'cache-aware: below one mark in every session', reached: below }];
}

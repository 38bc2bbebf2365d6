import type { TierPolicy } from '../../src/core/assembly.ts';
import { CACHE_AWARE, CacheAwarePolicy } from '../../src/prompt/tiers/policy-cache-aware.ts';
import { itemsOf, tieredRequest, type Sizes } from './layouts.ts';
import { knownRates } from './oracle.ts';
import type { Contender, Plan } from './replay.ts';

export const STRICT = policyContender('cache-aware', () => new CacheAwarePolicy(CACHE_AWARE));
export const L3MARK = policyContender('cache-aware, L3', () => new CacheAwarePolicy({ ...CACHE_AWARE, tailMark: false }));
export const REDUNDANT = policyContender('redundant', () => new CacheAwarePolicy({ ...CACHE_AWARE, blocks: 'redundant' }), true);

export const KNOWN = policyContender('known future', (plan) => new CacheAwarePolicy(CACHE_AWARE, undefined, knownRates(plan, 40 / plan.commits - 1, true)));
export const KNOWN_REDUNDANT = policyContender('known future, redundant', (plan) => new CacheAwarePolicy({ ...CACHE_AWARE, blocks: 'redundant' }, undefined, knownRates(plan, 40 / plan.commits - 1, false)), true);

/** A policy as a contender. `keeps`: files that stand in the prompt are offered to it after they were dropped. */
export function policyContender(name: string, create: (plan: Plan) => TierPolicy, keeps = false): Contender {
  return {
    name,
    create: (plan) => {
      const policy = create(plan);
      const sizes: Sizes = new Map();
      let placed: string[] = [];
      return (situation) => {
        const items = itemsOf(situation, keeps ? placed : []);
        for (const item of items) {
          sizes.set(item.key, item);
          sizes.set(`${item.key}#${item.hash}`, item);
        }
        const assignment = policy.assign(items, situation.events);
        placed = Object.values(assignment.tiers)
          .flat()
          .filter((key) => key.startsWith('file:'))
          .map((key) => key.slice('file:'.length).replace(/#.*/, ''));
        return tieredRequest(assignment, situation, sizes);
      };
    },
  };
}

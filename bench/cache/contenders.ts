import type { TierPolicy } from '../../src/core/assembly.ts';
import { APPEND_ONLY, AppendOnlyPolicy } from '../../src/prompt/tiers/policy-append-only.ts';
import { createTierPolicy } from '../../src/prompt/tiers/policy-by-name.ts';
import { CacheAwarePolicy, REDUNDANT_BLOCKS, STRICT_BLOCKS } from '../../src/prompt/tiers/policy-cache-aware.ts';
import { SYSTEM_AND_TWO, WHOLE_MAP } from './baselines.ts';
import { itemsOf, tieredRequest, type Sizes } from './layouts.ts';
import { knownRates } from './oracle.ts';
import type { Contender, Plan } from './replay.ts';

/** All but no cache and the one-mark client, which the others are held against. */
export const CONTENDERS: readonly Contender[] = [
  SYSTEM_AND_TWO,
  WHOLE_MAP,
  policyContender('stability', () => createTierPolicy('stability')),
  policyContender('cache-aware', () => createTierPolicy('cache-aware')),
  policyContender('cache-aware-redundant', () => createTierPolicy('cache-aware-redundant'), 'keeps dropped'),
  policyContender('append-only', () => createTierPolicy('append-only'), 'keeps dropped'),
  policyContender(
    'append-only, whole',
    () => new AppendOnlyPolicy({ ...APPEND_ONLY, edits: 'whole' }),
    'keeps dropped',
  ),
  policyContender('known future', (plan) => new CacheAwarePolicy(STRICT_BLOCKS, undefined, knownRates(plan, true))),
  policyContender(
    'known future, redundant',
    (plan) => new CacheAwarePolicy(REDUNDANT_BLOCKS, undefined, knownRates(plan, false)),
    'keeps dropped',
  ),
];

/** A policy as a contender. `keeps dropped`: files that stand in the prompt are offered to it after they were dropped, those in the tail are not. */
export function policyContender(name: string, create: (plan: Plan) => TierPolicy, keeps?: 'keeps dropped'): Contender {
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
        const { tiers, tail } = policy.assign(items, situation.events);
        placed = Object.values(tiers)
          .flat()
          .filter((key) => key.startsWith('file:'))
          .map((key) => key.slice('file:'.length).replace(/#.*/, ''));
        return tieredRequest({ tiers, tail }, situation, sizes);
      };
    },
  };
}

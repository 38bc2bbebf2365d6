import type { TierPolicy } from '../../src/core/assembly.ts';
import { createGatherer } from '../../src/prompt/tiers/assemble-gather.ts';
import { assembleRequest, type AssembledRequest } from '../../src/prompt/tiers/assemble-request.ts';
import { APPEND_ONLY, AppendOnlyPolicy } from '../../src/prompt/tiers/policy-append-only.ts';
import {
  createTierPolicy,
  tierLayout,
  TIER_POLICIES,
  type TierPolicyName,
} from '../../src/prompt/tiers/policy-by-name.ts';
import { CacheAwarePolicy, REDUNDANT_BLOCKS, STRICT_BLOCKS } from '../../src/prompt/tiers/policy-cache-aware.ts';
import { SYSTEM_AND_TWO, WHOLE_MAP } from './baselines.ts';
import { TOKENS } from './constants.ts';
import { blocksOf, promptOf, SYSTEM } from './layouts.ts';
import { knownRates } from './oracle.ts';
import type { Contender, Plan } from './replay.ts';
import { SIZES, sourcesOf } from './sources.ts';

/** All but no cache and the one-mark client, which the others are held against. */
export const CONTENDERS: readonly Contender[] = [
  SYSTEM_AND_TWO,
  WHOLE_MAP,
  ...TIER_POLICIES.map((name) => ({ name, create: rendered(name, () => createTierPolicy(name)) })),
  {
    name: 'append-only, whole',
    create: rendered('append-only', () => new AppendOnlyPolicy({ ...APPEND_ONLY, edits: 'whole' })),
  },
  {
    name: 'known future',
    create: rendered('cache-aware', (plan) => new CacheAwarePolicy(STRICT_BLOCKS, undefined, knownRates(plan, true))),
  },
  {
    name: 'known future, redundant',
    create: rendered(
      'cache-aware-redundant',
      (plan) => new CacheAwarePolicy(REDUNDANT_BLOCKS, undefined, knownRates(plan, false)),
    ),
  },
];

/** Sends what a policy assigns through the assembler that ships, laid out as for the policy of this name. */
export function rendered(name: TierPolicyName, create: (plan: Plan) => TierPolicy): Contender['create'] {
  const { repeats, marksTail } = tierLayout(name);
  return (plan) => {
    const policy = create(plan);
    const gatherer = createGatherer({ counter: SIZES, repeats });
    let before: AssembledRequest | undefined;
    return (situation) => {
      const sources = sourcesOf(situation);
      const assignment = policy.assign(gatherer.items(sources), situation.events, { headTokens: TOKENS.system });
      const gathered = gatherer.gather(assignment, sources);
      before = assembleRequest({ ...SYSTEM, ...promptOf(situation), ...gathered, marksTail, before });
      return blocksOf(before);
    };
  };
}

import { createTierPolicy, TIER_POLICIES, tierLayout } from '../../src/prompt/tiers/policy-by-name.ts';
import { tierPolicyConformance } from './tier-policy.ts';

for (const name of TIER_POLICIES) {
  const { repeats } = tierLayout(name);
  tierPolicyConformance(name, { repeats, create: (state) => createTierPolicy(name, state) });
}

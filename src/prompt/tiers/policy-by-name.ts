import type { TierPolicy, TierPolicyName } from '../../core/assembly.ts';
import type { GathererOptions } from './assemble-gather.ts';
import type { TieredInput } from './assemble-input.ts';
import { AppendOnlyPolicy } from './policy-append-only.ts';
import { CacheAwarePolicy, REDUNDANT_BLOCKS, STRICT_BLOCKS } from './policy-cache-aware.ts';
import { StabilityPolicy } from './policy-stability.ts';

export { TIER_POLICIES, type TierPolicyName } from '../../core/assembly.ts';

/** How a prompt is assembled that a policy has laid out. */
export type TierLayout = Required<Pick<GathererOptions, 'repeats'>> & Required<Pick<TieredInput<unknown>, 'marksTail'>>;

const LAYOUTS: Readonly<Record<TierPolicyName, TierLayout>> = {
  'cache-aware': { repeats: 'never', marksTail: true },
  'cache-aware-redundant': { repeats: 'current', marksTail: true },
  stability: { repeats: 'never', marksTail: false },
  'append-only': { repeats: 'older', marksTail: 'messages' },
};

/** What the gatherer and the assembler are to be told for the policy of this name. */
export function tierLayout(name: TierPolicyName): TierLayout {
  return LAYOUTS[name];
}

/**
 * Makes the policy of one session. `state`: what the policy of that name answered from `state()` before; absent, it begins.
 *
 * @throws ZodError for a state that is not one of this policy's
 */
export function createTierPolicy(name: TierPolicyName = 'cache-aware', state?: unknown): TierPolicy {
  switch (name) {
    case 'cache-aware':
      return new CacheAwarePolicy(STRICT_BLOCKS, state);
    case 'cache-aware-redundant':
      return new CacheAwarePolicy(REDUNDANT_BLOCKS, state);
    case 'stability':
      return new StabilityPolicy(undefined, state);
    case 'append-only':
      return new AppendOnlyPolicy(undefined, state);
  }
}

import { cacheLimitsOf } from '../../config/cache-limits.ts';
import type { Config } from '../../config/config.ts';
import type { CacheLimits } from '../../prompt/tiers/marks.ts';
import type { ModelBinding } from '../../providers/provider-registry.ts';

const NO_CACHE: CacheLimits = { breakpoints: 0, minimumTokens: 0 };

/** What the cache of a model's provider takes; looked up once for each model. */
export function createCacheLimits({ agent, cacheLimits }: Config): (model: ModelBinding) => CacheLimits {
  const known = new Map<string, CacheLimits>();
  return ({ reference, provider, model }) => {
    const found = known.get(reference);
    if (found) return found;
    const kind = agent.providers[provider.id]?.kind;
    const limits = kind ? cacheLimitsOf(cacheLimits, { kind, model }) : NO_CACHE;
    known.set(reference, limits);
    return limits;
  };
}

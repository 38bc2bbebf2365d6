import type { UsageSink } from '../../core/assembly.ts';
import { NO_USAGE, type TokenUsage } from '../../core/provider.ts';

/** Adds up what the calls of a session have used. */
export interface CacheReport extends UsageSink {
  /** All calls together. */
  total(): TokenUsage;
  /** Share of the input that came from the provider's cache, 0 to 1. */
  shareRead(): number;
}

/** Makes a report of a session whose calls are still to come (S1 "Cache Hit Reporting"): as the provider counts, nothing is computed here. */
export function createCacheReport(): CacheReport {
  const total = { ...NO_USAGE };
  return {
    record(usage) {
      total.inputTokens += usage.inputTokens;
      total.outputTokens += usage.outputTokens;
      total.cacheReadTokens += usage.cacheReadTokens;
      total.cacheWriteTokens += usage.cacheWriteTokens;
    },
    total: () => ({ ...total }),
    shareRead: () => (total.inputTokens === 0 ? 0 : total.cacheReadTokens / total.inputTokens),
  };
}

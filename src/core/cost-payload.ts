import type { CostPayload } from './events.ts';
import type { Cost } from './limits.ts';
import { nanoToUsd } from './money.ts';

/** The form of a cost in event payloads, hook contexts and tool results: S2's names, decimal USD. */
export function costPayload(cost: Cost): CostPayload {
  const payload = {
    turns: cost.turns,
    input_tokens: cost.inputTokens,
    output_tokens: cost.outputTokens,
    spend: nanoToUsd(cost.spend),
  };
  // Asked for in every step: where nothing was cached, nothing is copied.
  if (!cost.cacheReadTokens && !cost.cacheWriteTokens) return payload;
  return {
    ...payload,
    ...(cost.cacheReadTokens && { cache_read_tokens: cost.cacheReadTokens }),
    ...(cost.cacheWriteTokens && { cache_write_tokens: cost.cacheWriteTokens }),
  };
}

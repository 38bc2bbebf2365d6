import type { Cost } from './limits.ts';
import { nanoToUsd } from './money.ts';

/** Cost as it appears in event payloads and results (S2 §6.8): `spend` is decimal USD. */
export type CostPayload = {
  readonly turns: number;
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly spend: number;
  /** Of the input, what came from the provider's cache and what went into it; absent: nothing did. */
  readonly cache_read_tokens?: number;
  readonly cache_write_tokens?: number;
};

/** A cost in that form. */
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

import type { CostPayload } from '../core/cost-payload.ts';
import type { Usage } from '../index.ts';

/** A usage of the public API as it is spelled on the wire. */
export function usagePayload({ cacheReadTokens, cacheWriteTokens, ...usage }: Usage): CostPayload {
  const { turns, inputTokens, outputTokens, spend } = usage;
  return {
    turns,
    input_tokens: inputTokens,
    output_tokens: outputTokens,
    spend,
    ...(cacheReadTokens && { cache_read_tokens: cacheReadTokens }),
    ...(cacheWriteTokens && { cache_write_tokens: cacheWriteTokens }),
  };
}

import type { CostPayload } from '../core/events.ts';
import type { Usage } from '../index.ts';

/** A usage of the public API as it is spelled on the wire. */
export function usagePayload({ turns, inputTokens, outputTokens, spend }: Usage): CostPayload {
  return { turns, input_tokens: inputTokens, output_tokens: outputTokens, spend };
}

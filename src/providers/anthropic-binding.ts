import type { MessageCreateParamsStreaming } from '@anthropic-ai/sdk/resources/messages';

/**
 * Whether a model binds its thoughts to all that was said before them: Claude's do from 5.1 on (`claude-opus-5-5`), and refuse
 * a thought that comes back behind something else.
 */
export function bindsThoughts(model: string): boolean {
  return /^claude-[a-z]+-(?:5-[1-9]\d?|[6-9]|\d\d)(?:-|$)/.test(model);
}

/** Without this value of `anthropic-beta` the API does not know of {@link droppingThoughts}. */
export const BINDING_BETA = 'thinking-binding-controls-2026-08-01';

/**
 * The same request, whose thoughts the API leaves out where it would refuse them. It goes with every request to such a model,
 * since the cache is one for each setting of thoughts; they think by themselves where nothing is set.
 */
export function droppingThoughts(body: MessageCreateParamsStreaming): MessageCreateParamsStreaming {
  return { ...body, thinking: { ...(body.thinking ?? { type: 'adaptive' }), ...DROP } };
}

const DROP = { block_binding: { prefix_mismatch_behavior: 'drop_block' } } as const;

/** How a thought is refused that is bound to something else, or that nobody can read any more. */
export const THOUGHT_REFUSED =
  /Invalid `\w+` in `(?:redacted_)?thinking` block|blocks in the latest assistant message cannot be modified/;

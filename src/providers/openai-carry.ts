import type { Message, ProviderCarry } from '../core/conversation.ts';

/** Where compatible servers tell what a model thinks; the SDK does not know it. */
type Reasoning = { readonly reasoning_content?: string };

/** Stands for reasoning that there is not: the servers that want some take an empty text for none. */
const NO_REASONING: Reasoning = { reasoning_content: '.' };

/** Reasoning to be given back under this name; none without a name. */
export function carryReasoning(reasoning: string, provider: string | undefined): ProviderCarry | undefined {
  if (provider === undefined || reasoning === '') return undefined;
  return { provider, parts: [{ reasoning_content: reasoning } satisfies Reasoning] };
}

/**
 * Reasoning as a field of an answer's message: what was carried under this name. Who has a name wants some in every
 * answer, also in one that another provider gave.
 */
export function carriedReasoning(
  { carry }: Extract<Message, { role: 'assistant' }>,
  name: string | undefined,
): Reasoning {
  if (name === undefined) return {};
  if (carry?.provider !== name) return NO_REASONING;
  // Under this name stands only what `carryReasoning` made.
  const [part = NO_REASONING] = carry.parts as readonly Reasoning[];
  return part;
}

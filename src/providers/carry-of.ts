import type { Message } from '../core/conversation.ts';

/** What the parts of every adapter have; `length`: so much of the text stood there. */
type Part = { readonly type: string; readonly length?: number };

/**
 * The parts that were given with an answer, if that was under this name and the text still is what it was; none without a name.
 * A name is of one adapter and one configured provider (`anthropic/messages`): what one signs or encrypts another can't read.
 */
export function carryOf(
  { carry, text }: Extract<Message, { role: 'assistant' }>,
  name: string | undefined,
): readonly Part[] | undefined {
  if (!carry || carry.provider !== name) return undefined;
  // Under its name the adapter wrote them itself.
  const parts = carry.parts as readonly Part[];
  const length = parts.reduce((sum, part) => sum + (part.length ?? 0), 0);
  return length === text.length ? parts : undefined;
}

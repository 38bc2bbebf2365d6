import type { Message } from '../../core/conversation.ts';
import type { CacheMark, ModelRequest } from '../../core/provider.ts';
import type { TieredInput } from './assemble-input.ts';
import { layOut, type ContextSlot, type Slot } from './assemble-layout.ts';

/** The parts of a model request that are assembled. */
export type AssembledRequest = Pick<ModelRequest, 'system' | 'messages'> & {
  readonly cacheMarks: NonNullable<ModelRequest['cacheMarks']>;
};

/**
 * The same prompt in tiers as a model request has it: L0's text is its system prompt, which every adapter sends in the
 * provider's own field; the ends of the tiers are its cache marks.
 */
export function assembleRequest(input: TieredInput<Message>): AssembledRequest {
  let system = '';
  const messages: Message[] = [];
  const cacheMarks: CacheMark[] = [];
  for (const { slots, isMarked } of layOut(input)) {
    for (const slot of slots) {
      if (isSystem(slot)) system = slot.text;
      else messages.push(toMessage(slot));
    }
    if (isMarked) cacheMarks.push(messages.length === 0 ? 'system' : messages.length - 1);
  }
  return { system, messages, cacheMarks };
}

type SystemSlot = ContextSlot & { readonly role: 'system' };

function isSystem(slot: Slot<Message>): slot is SystemSlot {
  return slot.kind === 'context' && slot.role === 'system';
}

function toMessage(slot: Exclude<Slot<Message>, SystemSlot>): Message {
  if (slot.kind === 'history') return slot.message;
  const isAnswer = slot.kind === 'context' && slot.role === 'assistant';
  return isAnswer ? { role: 'assistant', text: slot.text, toolCalls: [] } : { role: 'user', text: slot.text };
}

import { TIER_KEYS } from '../../core/assembly.ts';
import { textOfParts, type ContentPart } from '../../core/content-part.ts';
import type { Message } from '../../core/conversation.ts';
import type { CacheMark } from '../../core/provider.ts';
import type { TieredInput } from './assemble-input.ts';
import { layOut, type ContextSlot, type Slot } from './assemble-layout.ts';
import { withReminder } from './blocks.ts';
import { markInReach, type KeptRequest, type MarkedRequest } from './reach.ts';

/** What {@link assembleRequest} takes. */
export type TieredRequest = TieredInput<Message> & {
  /**
   * All that the user says now, if it is more than text: images, files and audio, and the texts that `userPrompt` is; they are
   * shown without one, too.
   */
  readonly userParts?: readonly ContentPart[] | undefined;
  /** The request before this one: marks stand such that what its provider has kept of it is found. Absent: there is nothing to find. */
  readonly before?: KeptRequest | undefined;
};

/** The parts of a model request that are assembled, and what the next one may find of them. */
export type AssembledRequest = MarkedRequest & KeptRequest;

/**
 * The same prompt in tiers as a model request has it: L0's text is its system prompt, which every adapter sends in the
 * provider's own field; the ends of the tiers are its cache marks.
 */
export function assembleRequest({ userParts = [], before, ...input }: TieredRequest): AssembledRequest {
  let system = '';
  const messages: Message[] = [];
  const cacheMarks: CacheMark[] = [];
  const { userPrompt = userParts.length > 0 ? textOfParts(userParts) : undefined, systemReminder } = input;
  const said = userPrompt === undefined ? input : { ...input, userPrompt };
  const parts = remindedParts(userParts, systemReminder);
  for (const { slots, isMarked } of layOut({ ...said, countable })) {
    for (const slot of slots) {
      if (isSystem(slot)) system = slot.text;
      else messages.push(toMessage(slot, parts));
    }
    if (isMarked) cacheMarks.push(messages.length === 0 ? 'system' : messages.length - 1);
  }
  return markInReach({ system, messages, cacheMarks }, before, {
    most: input.cacheLimits?.breakpoints ?? TIER_KEYS.length,
    end: messages.length - (userPrompt === undefined ? 0 : 1),
  });
}

/** A message without its parts, whose texts are its own. */
function countable(message: Message): string {
  return JSON.stringify({ ...message, parts: undefined });
}

type SystemSlot = ContextSlot & { readonly role: 'system' };

function isSystem(slot: Slot<Message>): slot is SystemSlot {
  return slot.kind === 'context' && slot.role === 'system';
}

function toMessage(slot: Exclude<Slot<Message>, SystemSlot>, parts: readonly ContentPart[]): Message {
  if (slot.kind === 'history') return slot.message;
  const { text } = slot;
  if (slot.kind === 'context' && slot.role === 'assistant') return { role: 'assistant', text, toolCalls: [] };
  return { role: 'user', text, ...(slot.kind === 'prompt' && parts.length > 0 && { parts }) };
}

/** The reminder stands at the end of the last text, as in a prompt without images; it is a text of its own if there is none. */
function remindedParts(parts: readonly ContentPart[], reminder = ''): readonly ContentPart[] {
  if (parts.length === 0 || reminder === '') return parts;
  const last = parts.findLastIndex(({ kind }) => kind === 'text');
  if (last === -1) return [...parts, { kind: 'text', value: reminder }];
  return parts.map((part, at) => (at === last ? { ...part, value: withReminder(part.value, reminder) } : part));
}

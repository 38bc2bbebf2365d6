import type { AssemblyInput, TieredInput } from './assemble-input.ts';
import { layOut, type Sequence, type Slot } from './assemble-layout.ts';

/** A text in a message of several parts. */
export type TextPart = {
  readonly type: 'text';
  readonly text: string;
  readonly cache_control?: { readonly type: 'ephemeral' };
};

/** An image in a message; the URL is a `data:` one, or one the provider can fetch. */
export type ImagePart = { readonly type: 'image_url'; readonly image_url: { readonly url: string } };

/** A message in the common form of chat APIs; messages of a history may have tool calls and results. */
export type ChatMessage = {
  readonly role: 'system' | 'user' | 'assistant' | 'tool';
  readonly content: string | null | readonly (TextPart | ImagePart)[];
  readonly tool_calls?: readonly unknown[];
  readonly tool_call_id?: string;
};

/** What the user shows beside the prompt. */
type WithImages = {
  /** `data:` URLs; they are shown without a prompt, too. */
  readonly images?: readonly string[];
};

/** What {@link assembleMessages} takes. */
export type FlatMessages = AssemblyInput<ChatMessage> & WithImages;
/** What {@link assembleTieredMessages} takes. */
export type TieredMessages = TieredInput<ChatMessage> & WithImages;

/**
 * The messages of a prompt in tiers, the most stable first, each tier that has anything ended by `cache_control` (S1
 * "Message Array Structure", "Cache Control Placement"). Messages of the history are taken as they are; none is changed.
 */
export function assembleTieredMessages(input: TieredMessages): readonly ChatMessage[] {
  const { images = [], userPrompt = images.length > 0 ? '' : undefined } = input;
  const said = userPrompt === undefined ? input : { ...input, userPrompt };
  return layOut({ ...said, countable }).flatMap((sequence) => toMessages(sequence, images));
}

/** The same without tiers and marks (S1 "Overview"): the whole symbol map stands behind the system prompt. */
export function assembleMessages({ symbolMap, ...input }: FlatMessages): readonly ChatMessage[] {
  const flat = { ...input, tieredContent: { L0: { symbols: symbolMap ?? '' } }, cacheLimits: NO_CACHE };
  return assembleTieredMessages(flat);
}

const NO_CACHE = { breakpoints: 0, minimumTokens: 0 };

/** A message without its images. */
function countable({ content, ...message }: ChatMessage): string {
  return JSON.stringify({ ...message, content: typeof content === 'string' ? content : content?.filter(isText) });
}

function toMessages({ slots, isMarked }: Sequence<ChatMessage>, images: readonly string[]): ChatMessage[] {
  const messages = slots.map((slot) => toMessage(slot, images));
  const last = isMarked ? messages.findLastIndex(hasText) : -1;
  return messages.map((message, at) => (at === last ? marked(message) : message));
}

function toMessage(slot: Slot<ChatMessage>, images: readonly string[]): ChatMessage {
  if (slot.kind === 'history') return slot.message;
  if (slot.kind === 'context') return { role: slot.role, content: slot.text };
  if (images.length === 0) return { role: 'user', content: slot.text };
  const shown = images.map((url): ImagePart => ({ type: 'image_url', image_url: { url } }));
  // Providers refuse empty texts.
  const said = slot.text === '' ? [] : [{ type: 'text' as const, text: slot.text }];
  return { role: 'user', content: [...said, ...shown] };
}

/** Whether a message can be marked: providers refuse marks on empty texts. */
function hasText({ content }: ChatMessage): boolean {
  if (content === null) return false;
  return typeof content === 'string' ? content !== '' : content.some(isText);
}

function isText(part: TextPart | ImagePart): part is TextPart {
  return part.type === 'text' && part.text !== '';
}

function marked(message: ChatMessage): ChatMessage {
  const { content } = message;
  const parts = typeof content === 'string' ? [{ type: 'text' as const, text: content }] : (content ?? []);
  const last = parts.findLastIndex(isText);
  const cache = { cache_control: { type: 'ephemeral' as const } };
  return { ...message, content: parts.map((part, at) => (at === last && isText(part) ? { ...part, ...cache } : part)) };
}

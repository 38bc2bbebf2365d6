import { textOfParts, type ContentPart } from '../../core/content-part.ts';
import type { Message } from '../../core/conversation.ts';
import type { PromptyMessage } from '../../core/prompty-message.ts';
import { ValueError } from './engine/value-error.ts';
import { findNonces } from './find-nonces.ts';
import type { NonceMap } from './prepare-inputs.ts';

/** What a model is sent of a prompt: the system text in its own field, then who said what. */
export type PromptyConversation = { readonly system: string; readonly messages: readonly Message[] };

/**
 * Makes a conversation for a model request of a prompt's messages: nonces of images, files and audio become parts (S4,
 * "Resolution Point"), what system and developer say is the system text, blank lines between.
 *
 * @throws ValueError `invalid_input` for an image, file or audio in what anybody but the user says: no model takes it there
 */
export function toConversation(messages: readonly PromptyMessage[], nonces: NonceMap): PromptyConversation {
  const system: string[] = [];
  const said: Message[] = [];
  for (const { role, content: parts } of resolveMedia(messages, nonces)) {
    const text = textOfParts(parts);
    const isPlain = parts.every(({ kind }) => kind === 'text');
    if (role === 'user') said.push({ role, text, ...(!isPlain && { parts }) });
    else if (!isPlain)
      throw new ValueError('invalid_input', `Images, files and audio can't stand in what ${role} says`);
    else if (role === 'assistant') said.push({ role, text, toolCalls: [] });
    else if (text.trim() !== '') system.push(text);
  }
  return { system: system.join('\n\n'), messages: said };
}

/** The messages of a prompt with parts in the place of the nonces of images, files and audio. */
export function resolveMedia(messages: readonly PromptyMessage[], nonces: NonceMap): readonly PromptyMessage[] {
  return messages.map((message) => ({
    ...message,
    content: message.content.flatMap((part) => resolvePart(part, nonces)),
  }));
}

/** Blank text between parts says nothing, and some providers refuse it. */
function resolvePart(part: ContentPart, nonces: NonceMap): readonly ContentPart[] {
  if (part.kind !== 'text') return [part];
  const found = nonces.size === 0 ? [] : findNonces(part.value, nonces).filter(({ value }) => value.kind !== 'thread');
  if (found.length === 0) return [part];
  const parts: ContentPart[] = [];
  let from = 0;
  const say = (end: number): void => {
    const value = part.value.slice(from, end);
    if (value.trim() !== '') parts.push({ kind: 'text', value });
  };
  for (const { at, nonce, value } of found) {
    say(at);
    if (value.kind !== 'thread') parts.push(value.part);
    from = at + nonce.length;
  }
  say(part.value.length);
  return parts;
}

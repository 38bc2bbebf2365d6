import { createHash, type Hash } from 'node:crypto';
import { bindsThoughts } from '../anthropic-binding.ts';
import type { AnthropicBody } from './anthropic-body.ts';
import { toTurns } from './anthropic-conversation.ts';
import { bindingIn } from './signature.ts';

/** The thoughts of a request, and those of its answer. */
export type Bound = {
  /** What a thought of the answer is bound to; empty for models that bind none. */
  readonly next: string;
  /** Where the first thought is that is bound to something else. */
  readonly broken: string | undefined;
};

/**
 * Binds thoughts as the API does it: to all that stands before them, other thoughts and cache marks left out, and to the thought
 * before them, where there is one. Those of older models are bound to nothing, and pass.
 */
export function bindThoughts(body: AnthropicBody, head: unknown): Bound {
  if (!bindsThoughts(body.model)) return { next: '', broken: undefined };
  const before = createHash('sha256').update(toText(head));
  let last = '';
  let broken: string | undefined;
  const turns = toTurns(body);
  for (const { role, at, blocks } of turns) {
    before.update(role);
    for (const [index, block] of blocks.entries()) {
      if (block.type === 'thinking') {
        if (!isInPlace(block.signature, before, last)) broken ??= `messages.${at}.content.${index}`;
        last = block.signature;
      } else if (block.type !== 'redacted_thinking') before.update(toText(block));
    }
  }
  if (turns.at(-1)?.role !== 'assistant') before.update('assistant');
  return { next: placeOf(before) + placeAfter(last), broken };
}

function isInPlace(signature: string, before: Hash, last: string): boolean {
  const binding = bindingIn(signature);
  if (binding === '') return true;
  // The first ones of a conversation may be left out.
  return last === '' ? binding.startsWith(placeOf(before)) : binding === placeOf(before) + placeAfter(last);
}

function placeOf(before: Hash): string {
  return before.copy().digest('base64');
}

function placeAfter(thought: string): string {
  return createHash('sha256').update(thought).digest('base64');
}

function toText(value: unknown): string {
  return JSON.stringify(value, (key, member: unknown) => (key === 'cache_control' ? undefined : member));
}

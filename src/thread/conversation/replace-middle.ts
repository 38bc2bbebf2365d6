import type { Message } from '../../core/conversation.ts';

/** A summary, and how many messages it stands for. */
export type Replacement = { readonly summary: string; readonly replaced: number };

/** Puts a summary in the place of the messages after the first one. */
export function replaceMiddle(messages: Message[], { summary, replaced }: Replacement): void {
  messages.splice(1, replaced, { role: 'user', text: summary });
}

/**
 * Number of messages that a summary may stand for: those between the first user message and the last exchange, which begins
 * with the last answer, so that no result is left without its call. 0 = nothing to be replaced.
 */
export function middleLength(messages: readonly Message[]): number {
  const lastAnswer = messages.findLastIndex(({ role }) => role === 'assistant');
  return Math.max(0, lastAnswer - 1);
}

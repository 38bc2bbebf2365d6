import type { Message } from '../core/conversation.ts';
import type { TokenUsage } from '../core/provider.ts';
import { tokenCount } from './token-count.ts';

/** Whether a conversation has audio in it. */
export function hasAudio({ messages }: { readonly messages: readonly Message[] }): boolean {
  return messages.some((message) => message.role === 'user' && message.parts?.some(({ kind }) => kind === 'audio'));
}

/** As the provider counts it; all of the input where it counts none though some was sent (`heard`): no cost is understated. */
export function heardTokens(counted: unknown, inputTokens: number, heard: boolean): Pick<TokenUsage, 'audioTokens'> {
  const audioTokens = tokenCount(counted) || (heard ? inputTokens : 0);
  return audioTokens > 0 ? { audioTokens } : {};
}

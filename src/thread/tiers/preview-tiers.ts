import { TIER_KEYS, type ItemKey } from '../../core/assembly.ts';
import type { MediaPart } from '../../core/content-part.ts';
import type { Message } from '../../core/conversation.ts';
import type { PromptPreview } from '../../core/prompt-preview.ts';
import { joinTexts } from '../../prompt/join-texts.ts';
import { estimateMediaTokens } from '../../providers/media-tokens.ts';
import { toldTools } from '../plan/preview-tools.ts';
import { messageParts } from '../conversation/conversation.ts';
import { createSession } from './assembly-session.ts';
import { layOutRequest } from './lay-out-request.ts';
import type { Services } from '../services/services.ts';
import type { Thread } from '../thread.ts';

/** What the user says first. */
type FirstMessage = { readonly text: string; readonly media: readonly MediaPart[] | undefined };

/** How the first request of a thread would stand in tiers, and where its cache marks would be; undefined for a flat prompt. */
export async function previewTiers(
  thread: Thread,
  services: Services,
  { text: said, media }: FirstMessage,
): Promise<PromptPreview['tiers']> {
  thread.assembly = createSession(thread, services);
  if (!thread.assembly) return undefined;
  thread.messages.push({ role: 'user', text: said, ...messageParts(said, media) });
  await services.assembly.symbols.refresh();
  const { assignment, gathered } = layOutRequest({ thread, services }, '');
  const { policyName: policy, request } = thread.assembly;
  const { system = '', messages = [], cacheMarks = [] } = request ?? {};
  const withTools = joinTexts([system, ...toldTools(thread.plan).map(({ text }) => text)]);
  const { count } = thread.plan.model.counter;
  const shown = [{ role: 'system' as const, text: withTools }, ...messages].map((message, at) => ({
    role: message.role,
    tokens: count(message.text) + mediaTokens(message),
    isMarked: cacheMarks.includes(at === 0 ? 'system' : at - 1),
    begins: beginningOf(message.text),
  }));
  const tiers = TIER_KEYS.map((tier) => ({
    tier,
    tokens: gathered.tieredContent[tier].tokens ?? 0,
    ...countKinds(assignment.tiers[tier]),
  }));
  return { policy, tiers: tiers.filter(({ symbols, files }) => symbols + files > 0), messages: shown };
}

function countKinds(keys: readonly ItemKey[]): { readonly symbols: number; readonly files: number } {
  const countOf = (kind: string): number => keys.filter((key) => key.startsWith(kind)).length;
  return { symbols: countOf('symbol:'), files: countOf('file:') };
}

function mediaTokens(message: Message | { readonly role: 'system' }): number {
  return message.role === 'user' ? estimateMediaTokens(message.parts) : 0;
}

/** What a person knows a message by. */
function beginningOf(text: string): string {
  return text.trimStart().slice(0, 200).split('\n', 1)[0] ?? '';
}

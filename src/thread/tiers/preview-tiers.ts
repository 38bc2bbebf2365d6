import { TIER_KEYS, type ItemKey } from '../../core/assembly.ts';
import type { PromptPreview } from '../../core/prompt-preview.ts';
import { createSession } from './assembly-session.ts';
import { layOutRequest } from './lay-out-request.ts';
import type { Services } from '../services/services.ts';
import type { Thread } from '../thread.ts';

/** How the first request of a thread would stand in tiers, and where its cache marks would be; undefined for a flat prompt. */
export async function previewTiers(
  thread: Thread,
  services: Services,
  message: string,
): Promise<PromptPreview['tiers']> {
  thread.assembly = createSession(thread, services);
  if (!thread.assembly) return undefined;
  thread.messages.push({ role: 'user', text: message });
  await services.assembly.symbols.refresh();
  const { assignment, gathered } = layOutRequest({ thread, services }, '');
  const { policyName: policy, request } = thread.assembly;
  const { system = '', messages = [], cacheMarks = [] } = request ?? {};
  const { count } = thread.plan.model.counter;
  const shown = [{ role: 'system' as const, text: system }, ...messages].map(({ role, text }, at) => ({
    role,
    tokens: count(text),
    isMarked: cacheMarks.includes(at === 0 ? 'system' : at - 1),
    begins: beginningOf(text),
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

/** What a person knows a message by. */
function beginningOf(text: string): string {
  return text.trimStart().slice(0, 200).split('\n', 1)[0] ?? '';
}

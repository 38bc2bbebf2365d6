import type {
  CacheControlEphemeral,
  ContentBlockParam,
  MessageCreateParamsStreaming,
} from '@anthropic-ai/sdk/resources/messages';
import type { CacheMark } from '../core/provider.ts';
import { isThinking } from './anthropic-carry.ts';

/** A turn of the conversation, and the message that each of its blocks comes from. */
export type Turn = {
  readonly role: 'user' | 'assistant';
  readonly content: ContentBlockParam[];
  readonly origins: number[];
};

/** The API refuses a fifth. */
const MAX_MARKS = 4;
const MARK: CacheControlEphemeral = { type: 'ephemeral' };

/** Sets the cache marks of a request that was just built; of too many the last ones, which have the longest prefixes. */
export function markPrefix(
  body: MessageCreateParamsStreaming,
  turns: readonly Turn[],
  marks: readonly CacheMark[],
): MessageCreateParamsStreaming {
  const used = marks.slice(-MAX_MARKS);
  const lastTool = body.tools?.at(-1);
  if (used.includes('tools') && lastTool) lastTool.cache_control = MARK;
  for (const mark of used) if (typeof mark === 'number') markMessage(turns, mark);
  if (!used.includes('system') || typeof body.system !== 'string') return body;
  return { ...body, system: [{ type: 'text', text: body.system, cache_control: MARK }] };
}

/** Marks the last block up to and with a message: one may have none, and a thought can't be marked. */
function markMessage(turns: readonly Turn[], message: number): void {
  for (const { content, origins } of turns.toReversed()) {
    const block = content.findLast((candidate, at) => (origins[at] ?? 0) <= message && !isThinking(candidate));
    if (block === undefined) continue;
    // What this adapter makes beside thoughts takes a mark: texts, calls and results.
    Object.assign(block, { cache_control: MARK });
    return;
  }
}

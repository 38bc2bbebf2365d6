import type { Message } from '../../core/conversation.ts';
import { failed, ok, type Result } from '../../core/result.ts';
import { estimateMessageTokens, estimateTextTokens } from '../../providers/pricing.ts';
import type { InWorker } from './conversation.ts';
import { replaceIds } from '../tiers/assembly-history.ts';
import { countMessage } from '../tiers/measure-request.ts';
import { replaceMiddle, type Replacement } from './replace-middle.ts';
import { summedUpLength } from './summed-up.ts';
import type { Thread } from '../thread.ts';

/**
 * Puts a summary in the place of the middle of a conversation: the first user message and the last exchange stay. The event
 * says so word for word, since the log is the history; it is on disk before the next call. A failure if it would gain
 * nothing.
 */
export function takeSummary({ thread, services }: InWorker, text: string): Result<true> {
  const replaced = summedUpLength(thread);
  const summary = `What was said up to here is left out. This stands for it:\n\n${text.trim()}`;
  if (replaced === 0) return failed({ code: 'hook_failed', message: NOTHING_TO_REPLACE });
  const compacted = [...thread.messages];
  replaceMiddle(compacted, { summary, replaced });
  const [before, after] = [conversationTokens(thread, thread.messages), conversationTokens(thread, compacted)];
  if (after >= before) {
    return failed({ code: 'hook_failed', message: 'The summary is no shorter than what it would stand for' });
  }
  const tokensBefore = thread.contextTokens;
  thread.contextTokens = sizeAfter(thread, { summary, replaced, before, after });
  replaceMiddle(thread.messages, { summary, replaced });
  if (thread.assembly) {
    replaceIds(thread.assembly, replaced);
    // What was laid out has what was said in full.
    thread.assembly.request = undefined;
  }
  thread.knownTokens = undefined;
  thread.checkpointDue = true;
  services.journal.record(thread, 'context_compacted', {
    summary,
    replaced,
    tokens_before: tokensBefore,
    tokens_after: thread.contextTokens,
  });
  return ok(true);
}

type Replaced = Replacement & {
  /** Tokens of the conversation before and after that, estimated from above. */
  readonly before: number;
  readonly after: number;
};

/**
 * The provider has counted the whole only: its parts take their estimated share of that, and a tenth more. In tiers much of it stands
 * beside the conversation, and stays: what goes is the messages that a summary stands for, less the summary.
 */
function sizeAfter(thread: Thread, { summary, replaced, before, after }: Replaced): number {
  const { contextTokens, assembly, plan } = thread;
  if (!assembly) return Math.min(after, Math.ceil((1.1 * contextTokens * after) / before));
  const { count, expect } = plan.model.counter;
  const gone = thread.messages.slice(1, replaced + 1).reduce((sum, message) => sum + countMessage(message, count), 0);
  const freed = expect(gone - countMessage({ role: 'user', text: summary }, count));
  // Were all of it conversation, it would be this share: less it can't be.
  return Math.max(Math.ceil((contextTokens * after) / before), contextTokens - freed);
}

/** Why there is no compaction of a conversation that is all beginning and end. */
export const NOTHING_TO_REPLACE =
  'There is nothing between the first message and the last exchange that a summary could stand for';

function conversationTokens(thread: Thread, messages: readonly Message[]): number {
  const head = estimateTextTokens(thread.system) + thread.plan.paletteTokens;
  return messages.reduce((sum, message) => sum + estimateMessageTokens(message), head);
}

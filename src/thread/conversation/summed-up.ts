import type { Message } from '../../core/conversation.ts';
import { COMPACTION_LIMITS, compactionSpan, type SizedMessage } from '../../prompt/tiers/compaction.ts';
import { historyGroups } from '../../prompt/tiers/history-groups.ts';
import { estimateMessageTokens } from '../../providers/pricing.ts';
import { splitConversation } from '../tiers/assembly-history.ts';
import type { AssemblySession } from '../tiers/assembly-session.ts';
import { middleLength } from './replace-middle.ts';
import type { Thread } from '../thread.ts';

/**
 * How many messages after the first one a summary of the conversation may stand for; 0 = none. In tiers, files are shown beside
 * the conversation: of a history that has become long, what was said last stays word for word, in whole exchanges.
 */
export function summedUpLength(thread: Thread): number {
  const { assembly, messages } = thread;
  return (assembly && spanOf(groupsOf(thread, assembly))) || middleLength(messages);
}

/** Tokens by which a history grows between two tries: before, a summary would stand for hardly more than the last one. */
const GROWTH = COMPACTION_LIMITS.verbatimTokens;

/**
 * Whether the history of a thread in tiers has become so long that it should be summed up, and has grown since that was tried,
 * whatever came of it.
 */
export function isHistoryLong(thread: Thread): boolean {
  const { assembly } = thread;
  if (!assembly) return false;
  const groups = groupsOf(thread, assembly);
  const isGrown = assembly.triedAt === 0 || sizeOf(groups) >= assembly.triedAt + GROWTH;
  return isGrown && spanOf(groups) > 0;
}

/** Remembers that a compaction was tried: what the history is after it is what its growth is measured by. */
export function noteCompaction(thread: Thread): void {
  if (thread.assembly) thread.assembly.triedAt = sizeOf(groupsOf(thread, thread.assembly));
}

type Group = SizedMessage & { readonly length: number };

/** What is said and done in one go is parted nowhere: it may begin the window that stays, whoever said it. */
function groupsOf({ messages, plan }: Thread, assembly: AssemblySession): readonly Group[] {
  const { history } = splitConversation(messages, assembly);
  return historyGroups(history.slice(1)).map((group) => ({
    id: group[0]?.id ?? '',
    role: 'user' as const,
    tokens: group.reduce((sum, { index }) => sum + tokensOf(messages[index], plan.model.counter.count), 0),
    length: group.length,
  }));
}

function spanOf(groups: readonly Group[]): number {
  return compactionSpan(groups, COMPACTION_LIMITS).reduce((sum, { length }) => sum + length, 0);
}

function sizeOf(groups: readonly Group[]): number {
  return groups.reduce((sum, { tokens }) => sum + tokens, 0);
}

type Counted = { readonly count: (text: string) => number; readonly tokens: number };

/** Each message is counted once, however many requests it stands in, until another model counts. */
const counted = new WeakMap<Message, Counted>();

function tokensOf(message: Message | undefined, count: Counted['count']): number {
  if (!message) return 0;
  const before = counted.get(message);
  if (before?.count === count) return before.tokens;
  const tokens = estimateMessageTokens(message, count);
  counted.set(message, { count, tokens });
  return tokens;
}

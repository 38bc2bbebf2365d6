import type { Message } from '../core/conversation.ts';
import { COMPACTION_LIMITS, compactionSpan } from '../prompt/tiers/compaction.ts';
import { historyGroups } from '../prompt/tiers/history-groups.ts';
import { estimateMessageTokens } from '../providers/pricing.ts';
import { splitConversation } from './assembly-history.ts';
import { middleLength } from './replace-middle.ts';
import type { Thread } from './thread.ts';

/**
 * How many messages after the first one a summary of the conversation may stand for; 0 = none. In tiers, files are shown beside
 * the conversation: of a history that has become long, what was said last stays word for word, in whole exchanges.
 */
export function summedUpLength(thread: Thread): number {
  return spanOf(thread) || middleLength(thread.messages);
}

/** Whether the history of a thread in tiers has become so long that it should be summed up. */
export function isHistoryLong(thread: Thread): boolean {
  return spanOf(thread) > 0;
}

/** What is said and done in one go is parted nowhere: it may begin the window that stays, whoever said it. */
function spanOf({ assembly, messages, plan }: Thread): number {
  if (!assembly) return 0;
  const { history } = splitConversation(messages, assembly);
  const groups = historyGroups(history.slice(1)).map((group) => ({
    id: group[0]?.id ?? '',
    role: 'user' as const,
    tokens: group.reduce((sum, { index }) => sum + tokensOf(messages[index], plan.model.counter.count), 0),
    length: group.length,
  }));
  return compactionSpan(groups, COMPACTION_LIMITS).reduce((sum, { length }) => sum + length, 0);
}

/** Each message is counted once, however many requests it stands in. */
const counted = new WeakMap<Message, number>();

function tokensOf(message: Message | undefined, count: (text: string) => number): number {
  if (!message) return 0;
  const tokens = counted.get(message) ?? estimateMessageTokens(message, count);
  counted.set(message, tokens);
  return tokens;
}

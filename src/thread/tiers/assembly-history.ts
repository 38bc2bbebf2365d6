import type { HistoryMessage, TierEvent } from '../../core/assembly.ts';
import type { Message } from '../../core/conversation.ts';
import { historyReplaced } from '../../prompt/tiers/compaction.ts';
import type { AssemblySession } from './assembly-session.ts';

type Replacements = Pick<AssemblySession, 'summaries' | 'removed'>;

/** A conversation by what of it has been answered, and what the next call is to answer. */
export type SplitConversation = {
  readonly history: readonly HistoryMessage[];
  /** An answer, the results of its calls, and what was said before the prompt since then: they stay at the very end. */
  readonly open: readonly Message[];
  /** What the user has said last, if it is that. */
  readonly prompt: UserMessage | undefined;
};

type UserMessage = Extract<Message, { readonly role: 'user' }>;

/**
 * Gives the messages of a conversation ids, and parts it. An id follows from the place of a message and from what summaries have
 * taken out in front of it: it is the same in whoever reads the thread back from its log.
 */
export function splitConversation(messages: readonly Message[], replacements: Replacements): SplitConversation {
  const last = messages.at(-1);
  const prompt = last?.role === 'user' ? last : undefined;
  const end = firstOpen(messages);
  const history = messages
    .slice(0, end)
    .map((message, index) => ({ ...message, id: idAt(index, replacements), index }));
  return { history, open: messages.slice(end, prompt ? -1 : undefined), prompt };
}

/** An answer to which somebody has said something is answered; one with results is not. */
function firstOpen(messages: readonly Message[]): number {
  const answer = messages.findLastIndex(({ role }) => role === 'assistant');
  return messages[answer + 1]?.role === 'user' ? answer + 1 : Math.max(0, answer);
}

/** A summary stands in the place of the messages after the first one, as many as are `replaced`. */
export function replaceIds(session: AssemblySession, replaced: number): void {
  const gone = Array.from({ length: replaced }, (_, at) => idAt(at + 1, session));
  session.summaries += 1;
  session.removed += replaced - 1;
  const event: TierEvent = historyReplaced(gone, [idAt(1, session)]);
  session.events.push(event);
}

function idAt(index: number, { summaries, removed }: Replacements): string {
  if (index === 0 || summaries === 0) return `m${index}`;
  return index === 1 ? `s${summaries}` : `m${index + removed}`;
}

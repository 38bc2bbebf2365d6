import type { Compactor, HistoryMessage, ItemKey, TierEvent } from '../../core/assembly.ts';

/** When a history is made shorter, and how much of it stays word for word; in tokens. */
export interface CompactionLimits {
  readonly triggerTokens: number;
  readonly verbatimTokens: number;
}

/** A message as far as its length matters. */
export interface SizedMessage {
  readonly id: string;
  readonly role: HistoryMessage['role'];
  readonly tokens: number;
}

/** 24,000 tokens of history start a compaction; the newest 6,000 stay. */
export const COMPACTION_LIMITS: CompactionLimits = { triggerTokens: 24_000, verbatimTokens: 6_000 };

/**
 * The oldest messages that a summary should stand for: none while the history is within the trigger, otherwise all before
 * the verbatim window, which begins with a user's message, so that no answer loses its question and no result its call.
 */
export function compactionSpan<Sized extends SizedMessage>(
  messages: readonly Sized[],
  limits: CompactionLimits = COMPACTION_LIMITS,
): readonly Sized[] {
  const total = messages.reduce((sum, { tokens }) => sum + tokens, 0);
  if (total <= limits.triggerTokens) return [];
  let kept = 0;
  let from = messages.length;
  for (let at = messages.length - 1; at > 0; at--) {
    kept += messages[at]?.tokens ?? 0;
    if (kept > limits.verbatimTokens && from < messages.length) break;
    if (messages[at]?.role === 'user') from = at;
  }
  return from === messages.length ? [] : messages.slice(0, from);
}

/**
 * Asks for the summary of what is too long, and says what that means to a policy: undefined if the history stays as it is.
 * `summaryId` is the id of the message that stands for the removed ones.
 */
export async function compactHistory(
  messages: readonly (HistoryMessage & SizedMessage)[],
  compactor: Compactor,
  { summaryId, limits }: { readonly summaryId: string; readonly limits?: CompactionLimits },
): Promise<{ readonly summary: string; readonly event: TierEvent } | undefined> {
  const span = compactionSpan(messages, limits);
  if (span.length === 0) return undefined;
  const done = await compactor.compact(span);
  return done && { summary: done.summary, event: historyReplaced(done.removed, [summaryId]) };
}

/** What a policy is told when messages have gone and others stand for them. */
export function historyReplaced(removed: readonly string[], added: readonly string[]): TierEvent {
  const keyOf = (id: string): ItemKey => `history:${id}`;
  return { kind: 'history_replaced', removed: removed.map(keyOf), added: added.map(keyOf) };
}

import type { HistoryMessage } from '../../core/assembly.ts';

/**
 * The messages of a history in groups that are never parted: results stand with the answer that called for them, since
 * providers refuse one without the other. A group is named by its first message.
 */
export function historyGroups(messages: readonly HistoryMessage[]): readonly (readonly HistoryMessage[])[] {
  const groups: HistoryMessage[][] = [];
  for (const message of messages) {
    const last = groups.at(-1);
    if (message.role === 'tool' && last) last.push(message);
    else groups.push([message]);
  }
  return groups;
}

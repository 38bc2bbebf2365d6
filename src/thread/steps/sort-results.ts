import type { Message } from '../../core/conversation.ts';

/**
 * Puts the results of the last answer's calls into call order. They are in another one where some of them came before the
 * thread left memory and others after it was read back.
 */
export function sortResults(messages: Message[]): void {
  const at = messages.findLastIndex(({ role }) => role === 'assistant');
  const answer = messages[at];
  if (answer?.role !== 'assistant') return;
  const places = new Map(answer.toolCalls.map(({ id }, index) => [id, index]));
  const placeOf = (message: Message): number =>
    message.role === 'tool' ? (places.get(message.callId) ?? places.size) : places.size;
  messages.push(...messages.splice(at + 1).toSorted((a, b) => placeOf(a) - placeOf(b)));
}

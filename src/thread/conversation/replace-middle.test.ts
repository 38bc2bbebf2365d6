import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Message } from '../../core/conversation.ts';
import { middleLength, replaceMiddle } from './replace-middle.ts';

/** `u` user, `a` answer, `c` answer with a call, followed by its result. */
function messagesOf(shape: string): Message[] {
  return shape.split('').flatMap((kind, index): Message[] => {
    const id = String(index);
    if (kind === 'u') return [{ role: 'user', text: id }];
    const toolCalls = kind === 'c' ? [{ id, name: 't', input: {} }] : [];
    const answer: Message = { role: 'assistant', text: id, toolCalls };
    return kind === 'c' ? [answer, { role: 'tool', callId: id, text: id, isError: false }] : [answer];
  });
}

test.each([
  ['u', 0],
  ['uu', 0],
  ['uc', 0],
  ['uuc', 1],
  ['ucc', 2],
  ['uccu', 2],
  ['uau', 0],
  ['uauc', 2],
])('of %s a summary may stand for %i messages', (shape, length) => {
  expect(middleLength(messagesOf(shape))).toBe(length);
});

test('what is left begins as before, ends with the last exchange, and has no result without its call', () => {
  const shapes = fc.array(fc.constantFrom('u', 'a', 'c'), { maxLength: 20 }).map((kinds) => `u${kinds.join('')}`);
  fc.assert(
    fc.property(shapes, (shape) => {
      const messages = messagesOf(shape);
      const replaced = middleLength(messages);
      if (replaced === 0) return;
      const [first] = messages;
      const end = messages.slice(messages.findLastIndex(({ role }) => role === 'assistant'));
      replaceMiddle(messages, { summary: 'short', replaced });
      expect(messages).toEqual([first, { role: 'user', text: 'short' }, ...end]);
      const called = messages.flatMap((one) => (one.role === 'assistant' ? one.toolCalls.map(({ id }) => id) : []));
      const answered = messages.flatMap((one) => (one.role === 'tool' ? [one.callId] : []));
      expect(answered).toEqual(called);
    }),
  );
});

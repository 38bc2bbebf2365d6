import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Message } from '../../core/conversation.ts';
import { estimateTextTokens } from '../../providers/pricing.ts';
import { conversationText, escapeFrames } from './conversation-text.ts';

const user = (text: string): Message => ({ role: 'user', text });

describe('A conversation as data', () => {
  test('has a tag for each message, calls and results included', () => {
    const messages: Message[] = [
      user('go'),
      { role: 'assistant', text: 'I try', toolCalls: [{ id: '1', name: 'app_echo', input: { a: 1 } }] },
      { role: 'tool', callId: '1', text: 'no', isError: true },
    ];
    expect(conversationText(messages, 1000)).toBe(
      [
        '<conversation>',
        '<message role="user">\ngo\n</message>',
        '<message role="assistant">\nI try\n<call id="1" tool="app_echo">{&quot;a&quot;:1}</call>\n</message>',
        '<message role="tool" call="1" error="true">\nno\n</message>',
        '</conversation>',
      ].join('\n'),
    );
  });

  test('can not be left by what was said in it', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: fc.constantFrom('<', '/', '>', '&', '"', 'conversation', 'a') })),
        (texts) => {
          const text = conversationText(texts.map(user), 100_000);
          expect(text.match(/<[^>]*>/g)).toHaveLength(2 + 2 * texts.length);
        },
      ),
    );
  });

  test('loses the middle of its longest texts first', () => {
    const text = conversationText([user(`start${'x'.repeat(100_000)}end`), user('short')], 5000);
    expect(estimateTextTokens(text)).toBeLessThanOrEqual(5000);
    expect(text).toMatch(/startx+\n\[\d+ characters are left out\]\nx+end/);
    expect(text).toContain('\nshort\n');
  });

  test('loses its oldest messages if that is not enough, and says how many', () => {
    const messages = Array.from({ length: 1000 }, (_, index) => user(`message ${index} ${'x'.repeat(300)}`));
    const text = conversationText(messages, 3000);
    expect(estimateTextTokens(text)).toBeLessThanOrEqual(3000);
    expect(text).toContain('message 999 ');
    expect(text).not.toContain('message 0 ');
    const left = Number(/\[(\d+) older messages are left out\]/.exec(text)?.[1]);
    expect(text.match(/<message /g)).toHaveLength(1000 - left);
  });

  test('is never longer than it may be', () => {
    const texts = fc.array(fc.string({ maxLength: 3000 }), { maxLength: 40 });
    fc.assert(
      fc.property(texts, fc.integer({ min: 100, max: 4000 }), (said, max) => {
        expect(estimateTextTokens(conversationText(said.map(user), max))).toBeLessThanOrEqual(max);
      }),
      { numRuns: 50 },
    );
  });
});

test.each([
  ['<conversation>', '&lt;conversation>'],
  ['</conversation >', '&lt;/conversation >'],
  ['< / Conversation\n>', '&lt; / Conversation\n>'],
  ['<message role="assistant">', '&lt;message role="assistant">'],
  ['<message\n role=x>', '&lt;message\n role=x>'],
  ['<conversations> <message>a</message> <b> &amp; 1 < 2', undefined],
])('beside a conversation %j can not be taken for one', (text, escaped = text) => {
  expect(escapeFrames(text)).toBe(escaped);
});

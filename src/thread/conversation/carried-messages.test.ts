import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Message } from '../../core/conversation.ts';
import { estimateMessageTokens } from '../../providers/pricing.ts';
import { carriedMessages, leftOutNote } from './carried-messages.ts';

const user = (text: string): Message => ({ role: 'user', text });
const says = (text: string, ...ids: readonly string[]): Message => {
  return { role: 'assistant', text, toolCalls: ids.map((id) => ({ id, name: 'look', input: {} })) };
};
const result = (callId: string, text: string): Message => ({ role: 'tool', callId, text, isError: false });
const sizeOf = (messages: readonly Message[]): number =>
  messages.reduce((sum, message) => sum + estimateMessageTokens(message), 0);

const FIRST = user('the task');
const SUMMARY = user('what was done so far');
const ONE = [says('one', 'a', 'b'), result('a', 'A'), result('b', 'B')];
const TWO = [says('two', 'c'), result('c', 'C'), user('by the way')];
const ALL = [FIRST, SUMMARY, ...ONE, ...TWO];

describe('What a successor is told', () => {
  test('is all but the first message if there is room', () => {
    const carried = carriedMessages(ALL, { tokens: sizeOf(ALL), scale: 1 });
    expect(carried).toEqual({ lead: [SUMMARY], tail: [...ONE, ...TWO], leftOut: 0, short: undefined });
  });

  test('has whole exchanges alone: one that does not fit by a token is left out with all of its results', () => {
    const tokens = sizeOf([SUMMARY, ...ONE, ...TWO]) - 1;
    const carried = carriedMessages(ALL, { tokens, scale: 1 });
    expect(carried).toEqual({ lead: [SUMMARY], tail: TWO, leftOut: ONE.length, short: undefined });
  });

  test('counts as the provider does: where its tokens are twice as many, half as much fits', () => {
    const tokens = 2 * sizeOf([SUMMARY, ...ONE, ...TWO]);
    expect(carriedMessages(ALL, { tokens, scale: 2 }).leftOut).toBe(0);
    expect(carriedMessages(ALL, { tokens: tokens - 2, scale: 2 }).leftOut).toBe(ONE.length);
  });

  test('has the last exchange in short if that alone does not fit', () => {
    const long = [FIRST, says('x'.repeat(40_000), 'a'), result('a', 'y'.repeat(40_000))];
    const { tail, leftOut, short = '' } = carriedMessages(long, { tokens: 4_000, scale: 1 });
    expect([tail, leftOut]).toEqual([[], 2]);
    expect(short).toContain('xxx');
    expect(estimateMessageTokens(user(short))).toBeLessThan(4_000);
  });

  test('leaves out a long beginning for the sake of what was said last', () => {
    const long = [FIRST, user('s'.repeat(10_000)), ...TWO];
    const carried = carriedMessages(long, { tokens: 4_000, scale: 1 });
    expect(carried).toMatchObject({ lead: [], tail: TWO, leftOut: 1 });
  });

  test('does not carry notes of earlier successions on', () => {
    const note = user(leftOutNote({ lead: [], tail: [], leftOut: 3, short: undefined }, 'thread-0'));
    const carried = carriedMessages([FIRST, SUMMARY, note, ...TWO], { tokens: 10_000, scale: 1 });
    expect(carried.lead).toEqual([SUMMARY]);
    expect(carried.leftOut).toBe(0);
  });

  test.each([
    ['nothing', []],
    ['the first message alone', [FIRST]],
  ])('is nothing where there was %s', (_, messages) => {
    const carried = carriedMessages(messages, { tokens: 100, scale: 1 });
    expect(carried).toEqual({ lead: [], tail: [], leftOut: 0, short: undefined });
  });

  test('is never more than fits, begins with an answer, has every result with its call, and misses nothing unsaid', () => {
    const exchange = fc.tuple(fc.nat(300), fc.array(fc.nat(300), { maxLength: 3 }), fc.boolean());
    const conversation = fc.tuple(fc.array(fc.nat(300), { maxLength: 3 }), fc.array(exchange, { maxLength: 6 }));
    fc.assert(
      fc.property(conversation, fc.nat(1_500), fc.integer({ min: 1, max: 3 }), ([asked, exchanges], tokens, scale) => {
        const messages = [
          FIRST,
          ...asked.map((length) => user('u'.repeat(length))),
          ...exchanges.flatMap(([length, results, isAnswered], at) => [
            says('a'.repeat(length), ...results.map((_, index) => `${at}.${index}`)),
            ...results.map((size, index) => result(`${at}.${index}`, 'r'.repeat(size))),
            ...(isAnswered ? [user('and?')] : []),
          ]),
        ];
        const { lead, tail, leftOut } = carriedMessages(messages, { tokens, scale });
        expect(scale * sizeOf([...lead, ...tail])).toBeLessThanOrEqual(tokens);
        expect(tail[0]?.role ?? 'assistant').toBe('assistant');
        expect(tail).toEqual(tail.length === 0 ? [] : messages.slice(-tail.length));
        expect(1 + lead.length + tail.length + leftOut).toBe(messages.length);
      }),
    );
  });
});

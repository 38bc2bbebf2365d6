import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { MAX_NANO_USD, usdPerMillionToNano } from '../core/money.ts';
import type { ModelPrice } from '../core/provider.ts';
import {
  affordableOutput,
  estimateHeadTokens,
  estimateInputTokens,
  estimateMessageTokens,
  estimateTextTokens,
  priceOf,
  worstCase,
} from './pricing.ts';

const call = (inputTokens: number, maxOutputTokens: number, hasAudio = false) => ({
  inputTokens,
  maxOutputTokens,
  hasAudio,
});

const PRICE: ModelPrice = { input: 3000, output: 15_000, cacheRead: 300, cacheWrite: 3750 };

function usage(inputTokens: number, outputTokens: number, cacheReadTokens = 0, cacheWriteTokens = 0) {
  return { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens };
}

test.each([
  [usage(0, 0), 0],
  [usage(1000, 100), 3_000_000 + 1_500_000],
  // 1000 read: 600 from the cache, 300 into it, 100 neither.
  [usage(1000, 0, 600, 300), 100 * 3000 + 600 * 300 + 300 * 3750],
  // A provider that reports more cached tokens than input: nothing is taken off.
  [usage(10, 0, 20, 0), 20 * 300],
])('the cost of %j is %i nano-USD', (used, expected) => {
  expect(priceOf(used, PRICE)).toBe(expected);
});

test.each([
  [1, 0.1, 1],
  [3, 0.1, 1],
  [10, 0.1, 1],
  [11, 0.1, 2],
  [2, 37.5, 75],
  [3, 37.5, 113],
])('%i tokens at %d nano-USD cost %i: fractions are rounded up, float noise is not', (tokens, input, expected) => {
  expect(priceOf(usage(tokens, 0), { ...PRICE, input })).toBe(expected);
});

test.each([
  [0.003_625, 1_000_000, 3_625_000],
  [0.018_75, 1_000_000, 18_750_000],
  [0.048_15, 1_000_000, 48_150_000],
  [0.000_5, 3, 2],
  // No call is so long; nothing of it is lost in the digits.
  [0.003_625, 1_000_000_000_000_003, 3_625_000_000_000_011],
])('at %d USD per million, %i tokens cost %i nano-USD: only the cost of a call is rounded up', (usd, tokens, cost) => {
  const input = usdPerMillionToNano(usd);
  expect(priceOf(usage(tokens, 0), { ...PRICE, input })).toBe(cost);
  expect(worstCase(call(tokens, 0), { input, output: 0, cacheRead: 0, cacheWrite: 0 })).toBe(cost);
});

test.each([usage(-1, 0), usage(NaN, 0)])('%j is not a cost', (used) => {
  expect(() => priceOf({ ...used, cacheReadTokens: NaN }, PRICE)).toThrow(/not an amount/);
});

const LISTENS = { ...PRICE, audio: 32_000 };

test.each([
  [{ ...usage(1000, 10), audioTokens: 400 }, LISTENS, 600 * 3000 + 400 * 32_000 + 10 * 15_000],
  // Which of the cached tokens are audio is not known: the rate of audio is added in full.
  [{ ...usage(1000, 0, 1000), audioTokens: 1000 }, LISTENS, 1000 * 300 + 1000 * (32_000 - 3000)],
  [usage(1000, 10), LISTENS, 1000 * 3000 + 10 * 15_000],
  [{ ...usage(1000, 10), audioTokens: 400 }, PRICE, 1000 * 3000 + 10 * 15_000],
  [{ ...usage(1000, 10), audioTokens: 400 }, { ...PRICE, audio: 1 }, 1000 * 3000 + 10 * 15_000],
])('the cost of %j at %j is %i: audio is never cheaper than text', (used, price, expected) => {
  expect(priceOf(used, price)).toBe(expected);
});

test.each([
  [usage(1000, 10), 1000 * 3000 + 10 * 15_000 + 12_000_000],
  [usage(0, 0), 0],
])('the cost of %j has what each call costs beside its tokens, if it was one', (used, expected) => {
  expect(priceOf(used, { ...PRICE, call: 12_000_000 })).toBe(expected);
});

test('a cost beyond every amount stays an amount', () => {
  expect(priceOf(usage(Number.MAX_SAFE_INTEGER, 0), PRICE)).toBe(MAX_NANO_USD);
});

const LONG: ModelPrice = {
  ...PRICE,
  above: [
    { tokens: 1000, input: 6000, output: 20_000, cacheRead: 600, cacheWrite: 7500 },
    { tokens: 2000, input: 9000, output: 30_000, cacheRead: 900, cacheWrite: 9000 },
  ],
};

test.each([
  [usage(1000, 10), 1000 * 3000 + 10 * 15_000],
  [usage(1001, 10), 1001 * 6000 + 10 * 20_000],
  [usage(2500, 10, 2000), 500 * 9000 + 2000 * 900 + 10 * 30_000],
])('where long calls cost more, %j costs %i: all of its tokens at the rates of its length', (used, expected) => {
  expect(priceOf(used, LONG)).toBe(expected);
});

test.each([
  [900, 900 * 3750],
  // A count may be a little short: the next rates are in reach.
  [920, 920 * 7500],
  [1000, 1000 * 7500],
  [1900, 1900 * 9000],
])('the worst case of %i tokens has the dearest rates it may come to', (tokens, expected) => {
  expect(worstCase(call(tokens, 0), LONG)).toBe(expected);
});

test('a long call that turns out cheaper by the token is no cheaper in its worst case', () => {
  const odd: ModelPrice = { ...PRICE, above: [{ tokens: 10, input: 1, output: 1, cacheRead: 1, cacheWrite: 1 }] };
  expect(worstCase(call(100, 5), odd)).toBe(worstCase(call(100, 5), PRICE));
});

test('no call costs more than its worst case', () => {
  const tokens = fc.nat({ max: 1_000_000 });
  const rates = { input: tokens, output: tokens, cacheRead: tokens, cacheWrite: tokens };
  const above = fc.array(fc.record({ ...rates, tokens })).map((steps) => steps.toSorted((a, b) => a.tokens - b.tokens));
  const price = fc.record({ ...rates, above, call: tokens });
  fc.assert(
    fc.property(price, fc.record({ fresh: tokens, read: tokens, write: tokens, output: tokens }), (price, parts) => {
      const all = parts.fresh + parts.read + parts.write;
      const cost = priceOf(usage(all, parts.output, parts.read, parts.write), price);
      expect(Number.isSafeInteger(cost)).toBe(true);
      expect(cost).toBeLessThanOrEqual(worstCase(call(all, parts.output), price));
    }),
  );
});

test('rates that are fractions cost what they are, no more than was reserved, and an amount is kept to', () => {
  const tokens = fc.nat({ max: 100_000 });
  const mills = fc.nat({ max: 1_000_000 });
  const parts = fc.record({ fresh: tokens, read: tokens, write: tokens, output: tokens });
  const rates = fc.record({ input: mills, output: mills, cacheRead: mills, cacheWrite: mills });
  fc.assert(
    fc.property(rates, parts, fc.nat({ max: 1e12 }), ({ input, output, cacheRead, cacheWrite }, used, amount) => {
      const [read, write] = [cacheRead / 1000, cacheWrite / 1000];
      const price = { input: input / 1000, output: output / 1000, cacheRead: read, cacheWrite: write };
      const all = used.fresh + used.read + used.write;
      const cost = priceOf(usage(all, used.output, used.read, used.write), price);
      const exact = used.fresh * input + used.output * output + used.read * cacheRead + used.write * cacheWrite;
      expect(cost).toBe(Math.ceil(exact / 1000));
      expect(cost).toBeLessThanOrEqual(worstCase(call(all, used.output), price));
      const most = Math.min(affordableOutput(call(all, 0), price, amount), 1e9);
      expect(most < 0 || worstCase(call(all, most), price) <= amount).toBe(true);
    }),
  );
});

test('an answer has all the tokens that an amount pays for, and none more', () => {
  const tokens = fc.nat({ max: 100_000 });
  const rates = { input: tokens, output: fc.integer({ min: 1, max: 100_000 }), cacheRead: tokens, cacheWrite: tokens };
  const above = fc.array(fc.record({ ...rates, tokens })).map((steps) => steps.toSorted((a, b) => a.tokens - b.tokens));
  const price = fc.record({ ...rates, above, call: tokens });
  fc.assert(
    fc.property(price, tokens, fc.boolean(), fc.nat({ max: 1e15 }), (price, input, hasAudio, amount) => {
      const most = affordableOutput(call(input, 0, hasAudio), price, amount);
      const worst = (output: number): number => worstCase(call(input, output, hasAudio), price);
      expect(worst(Math.max(0, most + 1))).toBeGreaterThan(amount);
      expect(most < 0 || worst(most) <= amount).toBe(true);
    }),
  );
});

test.each([
  ['', 0],
  ['a', 1],
  ['abcd', 2],
  ['日本語', 3],
])('%j is estimated as %i tokens', (text, expected) => {
  expect(estimateTextTokens(text)).toBe(expected);
});

test('the estimate of a request is the sum of its head and its messages', () => {
  const messages = [
    { role: 'user', text: 'Hello there' },
    { role: 'assistant', text: '', toolCalls: [{ id: '1', name: 'read', input: { path: 'a'.repeat(300) } }] },
    { role: 'tool', callId: '1', text: 'x'.repeat(3000), isError: false },
  ] as const;
  const tools = [{ name: 'read', description: 'Reads.', inputSchema: { type: 'object' } }];
  const parts = messages.map((message) => estimateMessageTokens(message));
  const sum = parts.reduce((total, tokens) => total + tokens, estimateHeadTokens('system', tools));
  expect(estimateInputTokens({ system: 'system', messages, tools })).toBe(sum);
  expect(parts[1]).toBeGreaterThan(100);
  expect(parts[2]).toBeGreaterThan(1000);
});

test('A call with audio may cost as much as if all of its input were that', () => {
  const hears = { ...PRICE, audio: 10 * PRICE.input };
  expect(worstCase(call(100, 0, true), hears)).toBe(1_000 * PRICE.input);
  expect(worstCase(call(100, 5), hears)).toBe(worstCase(call(100, 5), PRICE));
  expect(worstCase(call(100, 5, true), PRICE)).toBe(worstCase(call(100, 5), PRICE));
  const usage = { inputTokens: 100, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, audioTokens: 100 };
  expect(priceOf(usage, hears)).toBe(worstCase(call(100, 0, true), hears));
});

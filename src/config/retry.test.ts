import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { RetryPolicy } from './retry-policy.ts';
import { askedDelayMs, retryDelayMs } from './retry.ts';

const NOW = Date.parse('Sun, 06 Nov 1994 08:49:37 GMT');
const EXPONENTIAL: RetryPolicy = { type: 'exponential', base: 2, max: 60 };
const HEADER: RetryPolicy = { type: 'use_header', header: 'retry-after', fallback: EXPONENTIAL };

function delay(policy: RetryPolicy, attempt: number, headers: Record<string, string> = {}): number | undefined {
  return retryDelayMs(policy, attempt, { headers, now: NOW });
}

describe('without headers', () => {
  test.each([
    [EXPONENTIAL, 0, 2000],
    [EXPONENTIAL, 1, 4000],
    [EXPONENTIAL, 4, 32_000],
    [EXPONENTIAL, 5, 60_000],
    [EXPONENTIAL, 2000, 60_000],
    [EXPONENTIAL, -1, 2000],
    [{ type: 'fixed', delay: 1.5 }, 7, 1500],
    [{ type: 'fixed', delay: 1e9 }, 0, 2 ** 31 - 1],
    [{ type: 'none' }, 0, undefined],
    [HEADER, 2, 8000],
    [{ type: 'use_header', header: 'retry-after', fallback: { type: 'none' } }, 0, undefined],
  ] satisfies [RetryPolicy, number, number | undefined][])(
    '%j at attempt %d waits %s ms',
    (policy, attempt, expected) => {
      expect(delay(policy, attempt)).toBe(expected);
    },
  );
});

describe('what the server asks for', () => {
  test.each([
    [{ 'retry-after': '7' }, 7000],
    [{ 'retry-after': ' 7 ' }, 7000],
    [{ 'retry-after': '0' }, 2000],
    [{ 'retry-after-ms': '0' }, 2000],
    [{ 'retry-after-ms': '0', 'retry-after': '7' }, 7000],
    [{ 'retry-after': '1.5' }, 1500],
    [{ 'Retry-After': '7' }, 7000],
    [{ 'retry-after-ms': '250' }, 250],
    [{ 'retry-after-ms': '250', 'retry-after': '7' }, 250],
    [{ 'retry-after-ms': 'soon', 'retry-after': '7' }, 7000],
    [{ 'retry-after': 'Sun, 06 Nov 1994 08:49:47 GMT' }, 10_000],
    [{ 'retry-after': 'Sunday, 06-Nov-94 08:49:47 GMT' }, 10_000],
    [{ 'retry-after': 'Sun Nov  6 08:49:47 1994' }, 10_000],
    [{ 'retry-after': 'Sun, 06 Nov 1994 08:00:00 GMT' }, 2000],
    [{ 'retry-after': '99999999999' }, 2 ** 31 - 1],
    [{ 'retry-after': '' }, 2000],
    [{ 'retry-after': '-5' }, 2000],
    [{ 'retry-after': 'soon' }, 2000],
    [{ 'retry-after': 'Sunny' }, 2000],
    [{ 'retry-after': '1e3' }, 2000],
    [{ 'retry-after': `Sun${' '.repeat(100_000)}` }, 2000],
  ])('%j waits %d ms', (headers, expected) => {
    expect(delay(HEADER, 0, headers)).toBe(expected);
  });

  test.each([
    [{ 'x-wait': '3', 'retry-after-ms': '1' }, 3000],
    [{ 'x-wait': '3', 'retry-after': '9' }, 9000],
    [{ 'x-wait': '0', 'retry-after': '9' }, 9000],
    [{ 'x-wait': '0' }, 2000],
    [{ 'retry-after': '9' }, 9000],
  ])('a policy may read another header, and waits no less for it: %j waits %d ms', (headers, expected) => {
    expect(delay({ ...HEADER, header: 'x-wait' }, 0, headers)).toBe(expected);
  });

  test.each([
    [EXPONENTIAL, '7', 7000],
    [EXPONENTIAL, '1', 2000],
    [{ type: 'fixed', delay: 1 }, '7', 7000],
    [{ type: 'none' }, '7', undefined],
  ] satisfies [RetryPolicy, string, number | undefined][])(
    '%j never waits less than %s s',
    (policy, asked, expected) => {
      expect(delay(policy, 0, { 'retry-after': asked })).toBe(expected);
    },
  );

  test('inherited names are no headers', () => {
    expect(delay({ ...HEADER, header: 'constructor' }, 0)).toBe(2000);
  });
});

describe('jitter', () => {
  test.each([
    [0, 0],
    [0.5, 4000],
    [0.999, 7992],
  ])('a random %d of an exponential delay of 8 s waits %d ms', (random, expected) => {
    expect(retryDelayMs(EXPONENTIAL, 2, { headers: {}, now: NOW, random: () => random })).toBe(expected);
  });

  test('leaves fixed delays and the server’s wish alone', () => {
    const context = { headers: { 'retry-after': '7' }, now: NOW, random: () => 0 };
    expect(retryDelayMs({ type: 'fixed', delay: 9 }, 0, context)).toBe(9000);
    expect(retryDelayMs(HEADER, 0, context)).toBe(7000);
    expect(retryDelayMs(EXPONENTIAL, 0, context)).toBe(7000);
  });
});

describe('the wait that the server itself asks for', () => {
  test.each<[RetryPolicy, Record<string, string>, number | undefined]>([
    [HEADER, { 'retry-after': '7' }, 7000],
    [HEADER, { 'retry-after-ms': '250' }, 250],
    [HEADER, { 'retry-after': 'Sun, 06 Nov 1994 08:49:47 GMT' }, 10_000],
    [HEADER, {}, undefined],
    [HEADER, { 'retry-after': '0' }, undefined],
    [HEADER, { 'retry-after': 'Sun, 06 Nov 1994 08:00:00 GMT' }, undefined],
    [{ ...HEADER, header: 'x-wait' }, { 'x-wait': '3', 'retry-after': '9' }, 9000],
    [{ ...HEADER, header: 'x-wait' }, { 'x-wait': '3', 'retry-after': '1' }, 3000],
    [{ ...HEADER, header: 'x-wait' }, { 'retry-after': '9' }, 9000],
    [EXPONENTIAL, { 'retry-after': '7' }, 7000],
    [{ type: 'fixed', delay: 1 }, {}, undefined],
    [{ type: 'none' }, { 'retry-after': '7' }, undefined],
  ])('%j and %j: %s ms', (policy, headers, expected) => {
    expect(askedDelayMs(policy, { headers, now: NOW })).toBe(expected);
  });
});

test('every delay is a whole number a timer can take', () => {
  const positive = fc.double({ min: 0.001, max: 1e12, noNaN: true });
  const policy: fc.Arbitrary<RetryPolicy> = fc.oneof(
    fc.record({ type: fc.constant('exponential' as const), base: positive, max: positive }),
    fc.record({ type: fc.constant('fixed' as const), delay: positive }),
  );
  fc.assert(
    fc.property(policy, fc.nat(), fc.string(), (chosen, attempt, value) => {
      const wait = retryDelayMs(chosen, attempt, { headers: { 'retry-after': value }, now: NOW, random: Math.random });
      expect(wait).toSatisfy((ms: number) => Number.isInteger(ms) && ms >= 0 && ms < 2 ** 31);
    }),
  );
});

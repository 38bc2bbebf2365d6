import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { backOffAfter, isNews, NO_BACK_OFF, type BackOff, type RefusedCall } from './back-off.ts';

describe('A refusal', () => {
  test.each<[string, BackOff, RefusedCall, BackOff]>([
    ['closes the provider', NO_BACK_OFF, { startedIn: 0, until: 50 }, { round: 1, streak: 1, until: 50 }],
    [
      'of the same round does not make the wait grow',
      { round: 1, streak: 1, until: 50 },
      { startedIn: 0, until: 40 },
      { round: 1, streak: 1, until: 50 },
    ],
    [
      'of the same round that asks for more is obeyed',
      { round: 1, streak: 1, until: 50 },
      { startedIn: 0, until: 90 },
      { round: 1, streak: 1, until: 90 },
    ],
    [
      'of a call that was started after the last one is one more in a row',
      { round: 1, streak: 1, until: 50 },
      { startedIn: 1, until: 120 },
      { round: 2, streak: 2, until: 120 },
    ],
    [
      'after an answer is the first in a row again',
      { round: 7, streak: 0, until: 50 },
      { startedIn: 0, until: 120 },
      { round: 8, streak: 1, until: 120 },
    ],
  ])('%s', (_, before, refused, after) => {
    expect(backOffAfter(before, refused)).toEqual(after);
  });
});

test('Whatever the order in which refusals of one round arrive, the provider stands the same after them', () => {
  const refusal = fc.record({ startedIn: fc.constant(3), until: fc.nat(1000) });
  fc.assert(
    fc.property(fc.array(refusal, { minLength: 1 }), (refusals) => {
      const before = { round: 3, streak: 2, until: 10 };
      const after = refusals.reduce(backOffAfter, before);
      expect(after).toEqual({ round: 4, streak: 3, until: Math.max(10, ...refusals.map(({ until }) => until)) });
      expect(refusals.every((one) => !isNews(after, one))).toBe(true);
    }),
  );
});

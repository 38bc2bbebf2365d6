import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formatUsd, MAX_NANO_USD, NANO_PER_USD, nanoToUsd, usdToNano } from './money.ts';

describe('usdToNano', () => {
  test.each([
    [0, 0],
    [1, 1_000_000_000],
    [0.1, 100_000_000],
    [0.3, 300_000_000],
    [1.1, 1_100_000_000],
    [0.000_000_001, 1],
    [0.000_003, 3_000],
    [2.675, 2_675_000_000],
    [19.99, 19_990_000_000],
    [9_007_199, 9_007_199_000_000_000],
  ])('makes %d USD %d nano-USD, exactly', (usd, nano) => {
    expect(usdToNano(usd)).toBe(nano);
  });

  test.each([
    [0.000_000_000_1, 1],
    [0.000_000_001_5, 2],
    [1.000_000_000_1, 1_000_000_001],
    [Number.MIN_VALUE, 1],
  ])('rounds %d USD up to %d nano-USD', (usd, nano) => {
    expect(usdToNano(usd)).toBe(nano);
  });

  test.each([-1, -0.000_000_001, Number.NaN, Number.POSITIVE_INFINITY, 9_007_200, 1e300])('refuses %d USD', (usd) => {
    expect(() => usdToNano(usd)).toThrowError(expect.objectContaining({ code: 'invalid_argument' }));
  });

  test('never understates an amount, and overstates it by less than one nano-USD', () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 100_000, noNaN: true }), (usd) => {
        const nano = usdToNano(usd);
        expect(Number.isSafeInteger(nano)).toBe(true);
        expect(nano).toBeGreaterThanOrEqual(usd * NANO_PER_USD * (1 - 1e-14));
        expect(nano).toBeLessThanOrEqual(usd * NANO_PER_USD * (1 + 1e-14) + 1);
      }),
    );
  });

  test('gives back what nanoToUsd made of an amount', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1_000_000 * NANO_PER_USD }), (nano) => {
        expect(usdToNano(nanoToUsd(nano))).toBe(nano);
      }),
    );
  });
});

describe('The largest amount', () => {
  test('is still exact in a number', () => {
    expect(Number.isSafeInteger(MAX_NANO_USD)).toBe(true);
    expect(MAX_NANO_USD / NANO_PER_USD).toBeGreaterThan(9_000_000);
  });
});

describe('formatUsd', () => {
  test.each([
    [0, '$0.00'],
    [1, '$0.00'],
    [4_200_000, '$0.0042'],
    [100_000_000, '$0.10'],
    [1_000_000_000, '$1.00'],
    [1_234_567_000, '$1.234567'],
    [1_230_000_000, '$1.23'],
    [1_200_000_000, '$1.20'],
    [12_345_678_900_000, '$12345.6789'],
    [1_000, '$0.000001'],
    [1_000_100_000, '$1.0001'],
  ])('shows %d nano-USD as %s', (nano, text) => {
    expect(formatUsd(nano)).toBe(text);
  });

  test('always shows two to six decimals', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: MAX_NANO_USD }), (nano) => {
        expect(formatUsd(nano)).toMatch(/^\$\d+\.\d{2}(?:\d{0,3}[1-9])?$/);
      }),
    );
  });
});

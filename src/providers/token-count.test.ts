import { expect, test } from 'vitest';
import { knownCount, tokenCount } from './token-count.ts';

test.each([
  { reported: 0, counts: 0 },
  { reported: 1_234, counts: 1_234 },
  { reported: 0.2, counts: 1 },
  { reported: 1_000_000_000, counts: 1_000_000_000 },
])('A count of $reported is $counts tokens, whatever is known otherwise', ({ reported, counts }) => {
  expect(knownCount(reported)).toBe(counts);
  expect(tokenCount(reported)).toBe(counts);
  expect(tokenCount(reported, 7)).toBe(counts);
});

test.each([
  [undefined],
  [null],
  ['12'],
  [-1],
  [Number.NaN],
  [Infinity],
  // What a counter of 32 or 64 bits says that went below 0.
  [2 ** 32 - 1],
  [2 ** 64 - 1],
  [1_000_000_001],
])('%s is no count: it is nothing, or what is known otherwise', (reported) => {
  expect(knownCount(reported)).toBeUndefined();
  expect(tokenCount(reported)).toBe(0);
  expect(tokenCount(reported, 7)).toBe(7);
});

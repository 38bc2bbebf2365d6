import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { costOf } from '../../test/fixtures/cost-of.ts';
import { compileWildcard, compileWildcards } from './wildcard.ts';

describe('a wildcard', () => {
  test.each([
    ['a/b', 'a/b', true],
    ['a/b', 'a/b/c', false],
    ['', '', true],
    ['', 'a', false],
    ['*', '', true],
    ['*', 'a/b\nc', true],
    ['a/*', 'a/b/c', true],
    ['a/*', 'a', false],
    ['*/c', 'a/b/c', true],
    ['ab*ba', 'aba', false],
    ['*a*a*', 'a', false],
    ['*aab*', 'aaab', true],
    ['*abab*c', 'abaababc', true],
    ['a.c', 'abc', false],
    ['a**c', 'ac', true],
  ])('%j on %j is %j', (pattern, text, expected) => {
    expect(compileWildcard(pattern)(text)).toBe(expected);
  });

  test('matches what the obvious regular expression matches', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', '/', '*', '\n'), maxLength: 16 });
    fc.assert(
      fc.property(text, text, (pattern, text) => {
        const regex = new RegExp(`^${pattern.replaceAll('*', '[^]*')}$`);
        expect(compileWildcard(pattern)(text)).toBe(regex.test(text));
      }),
      { numRuns: 5000 },
    );
  });

  test('of many matches what one of them matches', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', '*'), maxLength: 5 });
    fc.assert(
      fc.property(fc.array(text, { maxLength: 6 }), text, (patterns, text) => {
        expect(compileWildcards(patterns)(text)).toBe(patterns.some((pattern) => compileWildcard(pattern)(text)));
      }),
      { numRuns: 5000 },
    );
  });

  const half = 'a'.repeat(50_000);
  test.each([
    ['many stars', `${'*a'.repeat(2000)}b`],
    ['a part that nearly matches everywhere', `*${half}b${half}*`],
    ['a part that matches nowhere at its end', `*${half}b*`],
  ])('with %s is matched in linear time', (_, pattern) => {
    const text = 'a'.repeat(400_000);
    expect(compileWildcard(pattern)(text)).toBe(false);
    expect(costOf(() => compileWildcard(pattern)(text))).toBeLessThan(200);
  });
});

import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fit, textWidth } from './text-width.ts';

describe('textWidth', () => {
  test.each([
    ['', 0],
    ['abc', 3],
    ['ünï', 3],
    ['e\u0301', 1],
    ['漢字', 4],
    ['👍', 2],
    ['…', 1],
    ['a\u200Db', 2],
    ['\u0600١', 2],
    ['\u06DD\u{110BD}', 2],
  ])('of %j is %i', (text, width) => {
    expect(textWidth(text)).toBe(width);
  });
});

describe('fit', () => {
  test.each([
    ['abcdef', 6, 'abcdef'],
    ['abcdef', 5, 'abcd…'],
    ['漢字漢', 5, '漢字…'],
    ['漢字漢', 4, '漢…'],
    ['abc', 1, '…'],
    ['abc', 0, ''],
    ['abc', -3, ''],
  ])('%j in %i columns is %j', (text, columns, expected) => {
    expect(fit(text, columns)).toBe(expected);
  });

  test('never takes more columns than there are', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.nat(60), (text, columns) => {
        expect(textWidth(fit(text, columns))).toBeLessThanOrEqual(columns);
      }),
    );
  });
});

import { expect, test } from 'vitest';
import { cutText, startOf } from './cut-text.ts';

test.each([
  ['abc', 3, 'abc', 'abc'],
  ['abcd', 3, 'abc', 'abc…'],
  ['a👍', 3, 'a👍', 'a👍'],
  ['a👍b', 3, 'a👍', 'a👍…'],
  ['a👍b', 2, 'a', 'a…'],
  ['abc', 0, '', '…'],
  ['', 0, '', ''],
])('%j is cut to %i characters, and no pair of surrogates in two', (text, most, start, cut) => {
  expect(startOf(text, most)).toBe(start);
  expect(cutText(text, most)).toBe(cut);
});

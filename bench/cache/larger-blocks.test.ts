import { expect, test } from 'vitest';
import { readBlockForm } from './larger-blocks.ts';

test.each([
  [undefined, false, undefined],
  ['1.4', false, { factor: 1.4, changing: false }],
  ['2', true, { factor: 2, changing: true }],
] as const)('--blocks %s, changing %s, is read', (blocks, changing, form) => {
  expect(readBlockForm(blocks, changing)).toEqual(form);
});

test.each([
  [undefined, true, '--changing is about larger blocks: --blocks N is expected with it'],
  ['x', false, '--blocks is "x"; a number above 0 is expected'],
  ['', false, '--blocks is ""; a number above 0 is expected'],
  ['0', false, '--blocks is "0"; a number above 0 is expected'],
  ['Infinity', true, '--blocks is "Infinity"; a number above 0 is expected'],
] as const)('--blocks %s, changing %s, is refused', (blocks, changing, message) => {
  expect(() => readBlockForm(blocks, changing)).toThrow(expect.objectContaining({ code: 'invalid_argument', message }));
});

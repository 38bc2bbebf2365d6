import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { tableLines, wrap } from './text-table.ts';
import { textWidth } from './text-width.ts';

const ROWS = [
  ['run ID', 'run it until it has ended'],
  ['tail', 'follow it'],
] as const;

test('a table has its right side in one column, broken at words', () => {
  expect(tableLines(ROWS, 40)).toEqual(['  run ID  run it until it has ended', '  tail    follow it']);
  expect(tableLines(ROWS, 34)).toEqual(['  run ID  run it until it has', '          ended', '  tail    follow it']);
});

test('where there is no room beside the left side, the right one is below', () => {
  expect(tableLines([['a'.repeat(40), 'does something'], ...ROWS], 80)).toEqual([
    `  ${'a'.repeat(40)}`,
    '          does something',
    '  run ID  run it until it has ended',
    '  tail    follow it',
  ]);
  expect(tableLines(ROWS, 30)[1]).toBe('      run it until it has');
});

test('no line is wider than the columns unless a word is, and no word is lost', () => {
  const words = fc.array(fc.stringMatching(/^[a-z漢]{1,9}$/), { minLength: 1 });
  fc.assert(
    fc.property(words, fc.integer({ min: 18, max: 80 }), (given, columns) => {
      const lines = wrap(given.join(' '), columns);
      expect(lines.filter((line) => textWidth(line) > columns)).toEqual([]);
      expect(lines.join(' ')).toBe(given.join(' '));
    }),
  );
});

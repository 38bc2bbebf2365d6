import { expect, test } from 'vitest';
import { hangWords } from './hang-words.ts';

test.each([
  ['one that fits', '  1.2 s  error', 20, '  1.2 s  error'],
  ['one that is too wide', '  1.2 s  one two three', 16, '  1.2 s  one two\n    three'],
  ['several times', 'aa bb cc dd ee', 8, 'aa bb cc\n    dd\n    ee'],
  ['never within a word', 'see https://example.com/a', 10, 'see\n    https://example.com/a'],
  ['styles aside', '\u001B[31mone two\u001B[39m three', 13, '\u001B[31mone two\u001B[39m three'],
  ['wide characters counted twice', 'ab 漢字漢字', 10, 'ab\n    漢字漢字'],
  ['nothing', '', 10, ''],
])('a line is broken between words: %s', (_, line, columns, expected) => {
  expect(hangWords(line, columns)).toBe(expected);
});

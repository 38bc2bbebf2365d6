import { describe, expect, test } from 'vitest';
import { costOf } from '../../../test/fixtures/cost-of.ts';
import { makeSnippet, MAX_SNIPPET, wantedWords } from './snippet.ts';

const numbers = (from: number, to: number): string =>
  Array.from({ length: to - from + 1 }, (_, index) => `w${from + index}`).join(' ');

describe('a snippet', () => {
  test.each([
    ['"none"', 'a  b\n\nc', 'a b c'],
    ['"none"', numbers(1, 30), `${numbers(1, 20)}…`],
    ['"w2"', numbers(1, 15), numbers(1, 15)],
    ['"w40"', numbers(1, 100), `…${numbers(34, 53)}…`],
    ['"w95"', numbers(1, 100), `…${numbers(89, 100)}`],
    ['"w9"*', numbers(1, 100), `${numbers(3, 22)}…`.replace(/^/, '…')],
    ['("w20" AND "w60" AND "w66")', numbers(1, 100), `…${numbers(54, 73)}…`],
    ['"uber"', `${numbers(1, 30)} ÜBER-Größe!`, `…${numbers(25, 30)} ÜBER-Größe!`],
    ['"rye/file-system/"*', `${numbers(1, 30)} a file`, `…${numbers(26, 30)} a file`],
    ['"x"', '', ''],
    ['"x"', '—!?', '—!?'],
  ])('for %s of %j is %j', (match, text, expected) => {
    expect(makeSnippet(text, wantedWords(match))).toBe(expected);
  });

  test('is short, however long the words are and what is between them', () => {
    for (const text of ['x'.repeat(10_000), `a${' - '.repeat(10_000)}b`, '\u{1f600}'.repeat(10_000)]) {
      const snippet = makeSnippet(text, wantedWords('"a"'));
      expect([snippet.length <= MAX_SNIPPET + 2, snippet.isWellFormed()]).toEqual([true, true]);
    }
  });

  test.each(['a ', 'a', 'b ', '\u0301 ', '- ', 'é ', '\u{1f600}'])('of nothing but %j costs under 200 ms', (piece) => {
    const text = piece.repeat((1024 * 1024) / piece.length);
    expect(costOf(() => makeSnippet(text.slice(0, 32 * 1024), wantedWords('("a" OR "b"*)')))).toBeLessThan(200);
  });
});

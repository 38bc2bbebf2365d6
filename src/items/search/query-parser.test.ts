import Database from 'better-sqlite3';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { costOf } from '../../../test/fixtures/cost-of.ts';
import { SkeinError } from '../../core/errors.ts';
import { compileQuery } from './query-parser.ts';

describe('a search text', () => {
  test.each([
    ['read', '"read"'],
    ['read file', '("read" AND "file")'],
    ['read AND file', '("read" AND "file")'],
    ['read OR write', '("read" OR "write")'],
    ['a b OR c d', '(("a" AND "b") OR ("c" AND "d"))'],
    ['a (b OR c)', '("a" AND ("b" OR "c"))'],
    ['((a))', '"a"'],
    ['a A a "a" OR a OR a', '(("a" AND "A") OR "a")'],
    ['read NOT write', '("read" NOT "write")'],
    ['read -write', '("read" NOT "write")'],
    ['-write read', '("read" NOT "write")'],
    ['a AND NOT b', '("a" NOT "b")'],
    ['a -b -c d', '(("a" AND "d") NOT ("b" OR "c"))'],
    ['a -(b c)', '("a" NOT ("b" AND "c"))'],
    ['a -"b c"', '("a" NOT "b c")'],
    ['a (-b c)', '("a" AND ("c" NOT "b"))'],
    ['"read a file"', '"read a file"'],
    ['"a" "b"', '("a" AND "b")'],
    ['x"a b"y', '("x" AND "a b" AND "y")'],
    ['read*', '"read"*'],
    ['"read fi"*', '"read fi"*'],
    ['rye/file-system/read', '"rye/file-system/read"'],
    ['rye/file-system/*', '"rye/file-system/"'],
    ['file-system', '"file-system"'],
    ['--dry-run', '"--dry-run"'],
    ['a - b', '("a" AND "b")'],
    ['"a"-b', '("a" AND "-b")'],
    ['a & b', '("a" AND "b")'],
    ['a -& b', '("a" AND "b")'],
    ['a OR &', '"a"'],
    ['Grüße 東京', '("Grüße" AND "東京")'],
    ['a\u00a0b\tc\nd', '("a" AND "b" AND "c" AND "d")'],
    ['a\0b', '("a" AND "b")'],
    ['"a\0b"', '"a b"'],
  ])('%j becomes %s', (text, expected) => {
    expect(compileQuery(text)).toBe(expected);
  });

  test.each(['', ' ', '\n\t', '*', ' * ', '\0'])('%j asks for everything', (text) => {
    expect(compileQuery(text)).toBeUndefined();
  });

  test.each([
    ['a not b or c and d', '("a" AND "not" AND "b" AND "or" AND "c" AND "and" AND "d")'],
    ['NEAR(a b)', '("NEAR" AND ("a" AND "b"))'],
    ['title:secret', '"title:secret"'],
    ['{a b}:c', '("{a" AND "b}:c")'],
    ['^start', '"^start"'],
    ['a + b', '("a" AND "b")'],
    ["x'; DROP TABLE items;--", `("x';" AND "DROP" AND "TABLE" AND "items;--")`],
    ['ORDER NOTE', '("ORDER" AND "NOTE")'],
    ['ANDROID OR NOTES', '("ANDROID" OR "NOTES")'],
  ])('has no other syntax: %j becomes %s', (text, expected) => {
    expect(compileQuery(text)).toBe(expected);
  });

  test.each([
    ['a OR', 5, 'a word is missing at the end'],
    ['OR a', 1, 'a word is missing before "OR"'],
    ['a OR OR b', 6, 'a word is missing before "OR"'],
    ['a AND', 6, 'a word is missing at the end'],
    ['AND a', 1, 'a word is missing before "AND"'],
    ['a NOT', 6, 'a word is missing at the end'],
    ['a NOT NOT b', 7, 'a word is missing before "NOT"'],
    ['NOT a', 1, 'it only says what to leave out'],
    ['-a -b', 1, 'it only says what to leave out'],
    ['a OR -b', 6, 'it only says what to leave out'],
    ['a (NOT b)', 4, 'it only says what to leave out'],
    ['(a', 1, 'this "(" is not closed'],
    ['a (b (c)', 3, 'this "(" is not closed'],
    ['a)', 2, 'there is no "(" for this ")"'],
    ['a () b', 4, 'a word is missing before ")"'],
    ['a "b c', 3, 'this quote is not closed'],
    ['"', 1, 'this quote is not closed'],
    ['*a', 1, '"*" stands only at the end of a word'],
    ['a f*o', 4, '"*" stands only at the end of a word'],
    ['a *', 3, '"*" stands only at the end of a word'],
    ['a**', 2, '"*" stands only at the end of a word'],
    ['&', 1, 'there is no letter or digit'],
    ['"" -> ...', 1, 'there is no letter or digit'],
    [`${'('.repeat(17)}a${')'.repeat(17)}`, 17, 'parentheses are nested deeper than 16'],
    [`a "${'b '.repeat(64)}"`, 3, 'it has 65 words; 64 are accepted'],
    [Array.from({ length: 65 }, (_, index) => index).join(' '), 183, 'it has 65 words; 64 are accepted'],
    [`${'a* '.repeat(16)}b c*`, 51, 'it has 17 words that end in "*"; 16 are accepted'],
    [`"a b"* OR (${'a* '.repeat(17)})`, 57, 'it has 18 words that end in "*"; 16 are accepted'],
  ])('%j is refused at character %i: %s', (text, position, reason) => {
    const refusal = { code: 'invalid_argument', detail: { position }, message: expect.stringContaining(reason) };
    expect(() => compileQuery(text)).toThrow(expect.objectContaining(refusal));
    expect(() => compileQuery(text)).toThrow(`at character ${position}:`);
  });

  test('may have 16 words that end in a star, besides others', () => {
    const words = Array.from({ length: 16 }, (_, index) => `w${index}* x${index}`);
    expect(compileQuery(words.join(' '))).toContain('"w15"* AND "x15"');
  });

  test('of more than 1,000 characters is refused', () => {
    expect(compileQuery(`"${'x'.repeat(998)}"`)).toHaveLength(1000);
    expect(() => compileQuery('x'.repeat(1001))).toThrow('1001 characters; 1000 are accepted');
  });
});

describe('any search text', () => {
  const index = new Database(':memory:');
  index.exec(
    `CREATE VIRTUAL TABLE texts USING fts5 (c0, c1, tokenize = "unicode61 remove_diacritics 2", prefix = '1 2')`,
  );
  index.exec(`INSERT INTO texts VALUES ('a b c', 'secret')`);
  const match = index.prepare<[string], { rowid: number }>('SELECT rowid FROM texts WHERE texts MATCH ?');
  const piece = fc.constantFrom(
    'a',
    'b*',
    'OR',
    'AND',
    'NOT',
    '-',
    '(',
    ')',
    '"',
    '*',
    ' ',
    ' ',
    '\0',
    "'",
    ':',
    '^',
    '{',
    'é',
    '\ud800',
  );

  test.each<[string, fc.Arbitrary<string>]>([
    ['of arbitrary characters', fc.string({ unit: 'binary', maxLength: 1100 })],
    ['of graphemes', fc.string({ unit: 'grapheme', maxLength: 200 })],
    ['full of operators', fc.array(piece, { maxLength: 60 }).map((pieces) => pieces.join(''))],
  ])('%s is either refused or an expression that FTS5 understands', (_, texts) => {
    fc.assert(
      fc.property(texts, (text) => {
        const expression = compiled(text);
        expect(expression === undefined ? [] : match.all(expression)).toBeInstanceOf(Array);
      }),
      { numRuns: 2000 },
    );
  });

  test('that is as hard as it gets is answered at once', () => {
    const hard = [
      '('.repeat(1000),
      '"'.repeat(999),
      '-'.repeat(1000),
      'a OR '.repeat(199),
      '(a OR '.repeat(16),
      ' '.repeat(1000),
      `${' '.repeat(40_000)}x`,
    ];
    expect(costOf(() => hard.forEach((text) => compiled(text)))).toBeLessThan(200);
  });

  function compiled(text: string): string | undefined {
    try {
      return compileQuery(text);
    } catch (error) {
      if (error instanceof SkeinError && error.code === 'invalid_argument') return undefined;
      throw error;
    }
  }
});

describe('a boolean search', () => {
  const WORDS = ['alpha', 'beta', 'gamma', 'delta'];
  const index = new Database(':memory:');
  index.exec(`CREATE VIRTUAL TABLE texts USING fts5 (c0, tokenize = "unicode61 remove_diacritics 2", prefix = '1 2')`);
  // Text number n holds the words whose bits are set in n.
  const texts = Array.from({ length: 2 ** WORDS.length }, (_, n) => WORDS.filter((_, bit) => (n & (1 << bit)) !== 0));
  for (const [n, words] of texts.entries())
    index.prepare('INSERT INTO texts (rowid, c0) VALUES (?, ?)').run(n, words.join(' '));
  const match = index.prepare<[string], number>('SELECT rowid FROM texts WHERE texts MATCH ? ORDER BY rowid').pluck();

  type Query = { readonly text: string; readonly holds: (words: readonly string[]) => boolean };
  const { query } = fc.letrec<{ query: Query; all: Query; one: Query }>((tie) => ({
    one: fc.oneof(
      { depthSize: 'small' },
      fc
        .constantFrom(...WORDS)
        .map((word) => ({ text: word, holds: (words: readonly string[]) => words.includes(word) })),
      tie('query').map(({ text, holds }) => ({ text: `(${text})`, holds })),
    ),
    all: fc
      .tuple(fc.array(tie('one'), { minLength: 1, maxLength: 3 }), fc.array(tie('one'), { maxLength: 2 }))
      .map(([wanted, unwanted]) => ({
        text: [...wanted.map(({ text }) => text), ...unwanted.map(({ text }) => `-${text}`)].join(' '),
        holds: (words) => wanted.every(({ holds }) => holds(words)) && !unwanted.some(({ holds }) => holds(words)),
      })),
    query: fc.array(tie('all'), { minLength: 1, maxLength: 3 }).map((parts) => ({
      text: parts.map(({ text }) => text).join(' OR '),
      holds: (words) => parts.some(({ holds }) => holds(words)),
    })),
  }));

  test('finds exactly what its words say', () => {
    fc.assert(
      fc.property(query, ({ text, holds }) => {
        fc.pre(text.length <= 1000 && (text.match(/a\b/g)?.length ?? 0) <= 64);
        const expected = [...texts.entries()].filter(([, words]) => holds(words)).map(([n]) => n);
        expect(match.all(compileQuery(text) ?? '')).toEqual(expected);
      }),
      { numRuns: 200 },
    );
  });
});

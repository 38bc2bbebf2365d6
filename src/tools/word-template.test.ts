import { describe, expect, test } from 'vitest';
import { costOf } from '../../test/fixtures/cost-of.ts';
import { thrownBy } from '../../test/fixtures/thrown-by.ts';
import { fillWord, parseWord } from './word-template.ts';

const ALLOWED = ['file', 'params', 'params.*'];
const fill = (text: string): string => fillWord(parseWord(text, ALLOWED), (path) => `<${path}>`);

describe('a word', () => {
  test.each([
    ['plain', 'plain'],
    ['', ''],
    ['${file}', '<file>'],
    ['--out=${file}.txt', '--out=<file>.txt'],
    ['${params}${params.a}-${params.a.0.b}', '<params><params.a>-<params.a.0.b>'],
    ['cost: $5 $ {file}', 'cost: $5 $ {file}'],
    ['$${file} $$$${file} $$${file}', '${file} $${file} $<file>'],
    ['$(rm -rf /) `id` ; && | > *', '$(rm -rf /) `id` ; && | > *'],
  ])('%j is filled as %j', (text, filled) => {
    expect(fill(text)).toBe(filled);
  });

  test('does not look again at what was put in', () => {
    expect(fillWord(parseWord('${file}', ALLOWED), () => '${params} $$')).toBe('${params} $$');
  });

  test.each(['${home}', '${}', '${file', '${file name}', '${file.size}', '${constructor}', '${params.}x${', '${FILE}'])(
    'may not have %s in it',
    (text) => {
      const thrown = thrownBy(() => fill(text));
      expect(thrown).toMatchObject({ code: 'invalid_item' });
      expect(String(thrown)).toContain('there are ${file}, ${params}, ${params.*}');
    },
  );

  test.each([
    ['${', false],
    ['$${', true],
    ['${params.a}', true],
    [`\${\${${'a'.repeat(150)}`, false],
  ])('of 200,000 characters of %j takes no time', (piece, isWord) => {
    const text = piece.repeat(200_000 / piece.length);
    expect(isWord ? fill(text) : thrownBy(() => fill(text)).message).not.toBe('');
    expect(costOf(() => fill(text))).toBeLessThan(200);
  });
});

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseYaml } from '../config/yaml.ts';
import { readPlainMapping } from './plain-mapping.ts';

const lines = (count: number): string => Array.from({ length: count }, (_, at) => `a${at}: b\n`).join('');
const read = (yaml: string): unknown => parseYaml(yaml, { file: 'test' });

describe('A plain mapping', () => {
  test('is read without the parser, in any order and with spaces around values', () => {
    const yaml = 'name: a-b\ntitle:   Two words\nversion: "1.0.0"\ntags: [ one,two/three , four ]\npath: a/b.c\n';
    expect(readPlainMapping(yaml)).toEqual({
      name: 'a-b',
      title: 'Two words',
      version: '1.0.0',
      tags: ['one', 'two/three', 'four'],
      path: 'a/b.c',
    });
    expect(readPlainMapping(yaml)).toEqual(read(yaml));
  });

  test('of 50 lines is read to its end', () => {
    expect(readPlainMapping(lines(50))).toEqual(read(lines(50)));
  });

  test.each([
    ['nothing', ''],
    ['an empty line', 'a: b\n\nc: d'],
    ['a number', 'a: 1'],
    ['a date', 'a: 2026-01-01'],
    ['a truth', 'a: True'],
    ['nothing said', 'a: null'],
    ['a truth in a list', 'a: [b, false]'],
    ['a number in a list', 'a: [b, 1]'],
    ['an empty value', 'a:'],
    ['an empty list', 'a: []'],
    ['a comment', 'a: b # c'],
    ['a colon in a value', 'a: b: c'],
    ['an escape', 'a: "b\\n"'],
    ['a text on two lines', 'a: b\n  c'],
    ['a map in a map', 'a:\n  b: c'],
    ['a repeated name', 'a: b\na: c'],
    ['a name of objects', '__proto__: b'],
    ['a name that is no text', 'null: b'],
    ['another line end', 'a: b\r\nc: d\r\n'],
    ['a space at the end', 'a: b '],
    ['a tab', 'a:\tb'],
    ['an alias', 'a: *b'],
    ['a marker', '---\na: b'],
    ['very many lines', lines(51)],
    ['an empty line behind as many as are read', `${lines(50)}\nc: d\n`],
  ])("has no %s: that is the parser's", (_name, yaml) => {
    expect(readPlainMapping(yaml)).toBeUndefined();
  });

  test('is what the parser reads, for any text', () => {
    const piece = fc.constantFrom(
      'a',
      'b_c',
      'null',
      'Null',
      'yes',
      'no',
      'on',
      'y',
      'NaN',
      'e5',
      'x1',
      '1',
      '-',
      '.',
      '/',
      ' ',
      '  ',
      ': ',
      ':',
      ', ',
      ',',
      '[',
      ']',
      '"',
      "'",
      '\n',
      '#',
      ' #',
      '\t',
      '{',
      '&',
      'é',
      '~',
      'true',
      '\\',
      '?',
    );
    const words = fc.array(fc.constantFrom('a', 'b-c', 'd/e', 'null', 'x.y'), { minLength: 1, maxLength: 3 });
    const plain = words.chain((all) => fc.constantFrom(all.join(' '), `[${all.join(', ')}]`, `"${all.join(' ')}"`));
    const value = fc.oneof(
      plain,
      fc.array(piece, { maxLength: 6 }).map((all) => all.join('')),
    );
    const line = fc
      .tuple(fc.constantFrom('name', 'tags', 'a-b', '_x'), value)
      .map(([name, text]) => `${name}: ${text}`);
    let seen = 0;
    fc.assert(
      fc.property(fc.array(line, { minLength: 1, maxLength: 3 }), (lines) => {
        const yaml = lines.join('\n');
        const found = readPlainMapping(yaml);
        if (found === undefined) return;
        seen++;
        expect(found).toEqual(read(yaml));
      }),
      { numRuns: 1000 },
    );
    expect(seen).toBeGreaterThan(100);
  });
});

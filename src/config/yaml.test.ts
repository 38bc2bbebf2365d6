import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { Lexer } from 'yaml';
import { costOf } from '../../test/fixtures/cost-of.ts';
import { MAX_YAML_BYTES, parseYaml, readYamlFile } from './yaml.ts';

const SOURCE = { file: 'a.yaml' };

describe('parseYaml', () => {
  test.each([
    ['', null],
    ['# only a comment', null],
    ['a: 1', { a: 1 }],
    ['a:', { a: null }],
    ['a: yes\nb: no\nc: on', { a: 'yes', b: 'no', c: 'on' }],
    ['a: true\nb: "true"', { a: true, b: 'true' }],
    ['a: 1.0\nb: "1.0"', { a: 1, b: '1.0' }],
    ['1: a', { '1': 'a' }],
    ['a: [1, {b: 2}]\nc:\n  - d\n  - e: f', { a: [1, { b: 2 }], c: ['d', { e: 'f' }] }],
    ['a: 2026-01-01', { a: '2026-01-01' }],
    ['constructor: 1\ntoString: 2', { constructor: 1, toString: 2 }],
    ['\uFEFFa: 1', { a: 1 }],
    ['a: |\n  one\n  two\n', { a: 'one\ntwo\n' }],
  ])('%j is read as %j', (text, expected) => {
    expect(parseYaml(text, SOURCE)).toEqual(expected);
  });

  test.each([
    ['an alias', 'a: &x 1\nb: *x', 2, 'aliases'],
    ['a recursive alias', 'a: &x [*x]', 1, 'aliases'],
    ['a known tag', 'a: 1\nb: !!str 3', 2, 'tags'],
    ['an unknown tag', 'a: !foo 3', 1, 'tag'],
    ['a binary', 'a: !!binary aGk=', 1, 'tag'],
    ['a tagged map', 'a: !!map {b: 1}', 1, 'tags'],
    ['a tagged key', '!!str a: 1', 1, 'tags'],
    ['a merge key', 'a: 1\n<<: {b: 1}', 2, 'merge'],
    ['a key twice', 'a: 1\nb: 2\na: 3', 3, '"a" appears twice'],
    ['a key twice in two spellings', '1: a\n"1": b', 2, '"1" appears twice'],
    ['__proto__', '__proto__: {x: 1}', 1, '__proto__'],
    ['a map as key', '? {a: 1}\n: 2', 1, 'keys'],
    ['infinity', 'a: .inf', 1, 'finite'],
    ['an overflowing number', 'a: 1e400', 1, 'finite'],
    ['two documents', 'a: 1\n---\nb: 2', 2, 'documents'],
    ['a tab as indentation', 'a:\n\t- b', 2, 'Tabs'],
    ['an unclosed list', 'a: [1', 1, 'YAML'],
    ['an unknown directive', '%FOO\n---\na: 1', 1, 'FOO'],
  ])('refuses %s and names the line', (_, text, line, message) => {
    expect(() => parseYaml(text, SOURCE)).toThrow(
      expect.objectContaining({
        code: 'invalid_config',
        message: expect.stringContaining(message),
        where: expect.objectContaining({ file: 'a.yaml', line }),
      }),
    );
  });

  test('refuses deep nesting', () => {
    const deep = `${'['.repeat(65)}${']'.repeat(65)}`;
    expect(() => parseYaml(deep, SOURCE)).toThrow('deeper than 64');
    expect(() => parseYaml('['.repeat(100_000), SOURCE)).toThrow(expect.objectContaining({ code: 'invalid_config' }));
  });

  test('refuses a text above 256 KiB', () => {
    expect(() => parseYaml('a'.repeat(MAX_YAML_BYTES + 1), SOURCE)).toThrow('256 KiB');
  });

  test('errors carry the code of the source', () => {
    expect(() => parseYaml('a: *x', { file: 'k.md', code: 'invalid_item' })).toThrow(
      expect.objectContaining({ code: 'invalid_item' }),
    );
  });

  test('4,000 keys are read, and more than 30,000 words and marks are refused', () => {
    const keys = (count: number): string => Array.from({ length: count }, (_, index) => `key${index}: 1\n`).join('');
    expect(Object.keys(parseYaml(keys(4000), SOURCE) as object)).toHaveLength(4000);
    expect(() => parseYaml(keys(5000), SOURCE)).toThrow(/more than 30000 words and marks/);
  });

  // On this stands that short texts are not counted.
  test('no character makes more than two words and marks', () => {
    const mark = fc.constantFrom(
      ...' \n\r\t-:?,[]{}#&*!|>\'"%@`a\u0002\u0018\u001f\ufeff'.split(''),
      '---',
      '...',
      '\n%YAML 1.2\n',
    );
    fc.assert(
      fc.property(fc.string({ unit: mark, maxLength: 60 }), (text) => {
        expect([...new Lexer().lex(text)].length).toBeLessThanOrEqual(2 * (text.length + 1));
      }),
      { numRuns: 2000 },
    );
  });

  test.each(
    '- a\n¦- !a\n¦- []\n¦:\n¦-\n¦[¦{¦- ¦? ¦]\n¦%a\n¦---\n¦#\n¦\n¦a:\n¦"¦\'¦a: b: c\n¦[a,¦["",¦{? ¦x\n  ¦\t¦&a ¦*a ¦a: |\n b\n¦`¦@'.split(
      '¦',
    ),
  )('%j over and over is read or refused in under 200 ms', (piece) => {
    for (const bytes of [29_000, 256 * 1024]) {
      const text = piece.repeat(Math.floor(bytes / piece.length));
      expect(costOf(() => parseYaml(text, SOURCE))).toBeLessThan(200);
      expect(costOf(() => parseYaml(`a: "${text}`.slice(0, bytes), SOURCE))).toBeLessThan(200);
    }
  });

  test('a text full of faults costs no stack traces', () => {
    const limit = Error.stackTraceLimit;
    expect(costOf(() => parseYaml(`a: "${String.raw`\x`.repeat(120_000)}"`, SOURCE))).toBeLessThan(200);
    expect(Error.stackTraceLimit).toBe(limit);
  });
});

describe('readYamlFile', () => {
  const folder = mkdtempSync(join(tmpdir(), 'skein-yaml-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const write = (name: string, content: string | Uint8Array): string => {
    const file = join(folder, name);
    writeFileSync(file, content);
    return file;
  };

  test('an absent file is undefined, also below a file', () => {
    expect(readYamlFile(join(folder, 'no.yaml'))).toBeUndefined();
    expect(readYamlFile(join(write('plain', ''), 'no.yaml'))).toBeUndefined();
  });

  test('an empty file is an empty map', () => {
    expect(readYamlFile(write('empty.yaml', '# nothing\n'))).toEqual({});
  });

  test.each([
    ['a list', '- a', 'must be a map'],
    ['a text', 'hello', 'must be a map'],
    ['bytes that are not UTF-8', new Uint8Array([0x61, 0x3a, 0x20, 0xff]), 'UTF-8'],
    ['an oversized file', ' '.repeat(MAX_YAML_BYTES + 1), '256 KiB'],
  ])('refuses %s', (_, content, message) => {
    const file = write('bad.yaml', content);
    expect(() => readYamlFile(file)).toThrow(
      expect.objectContaining({
        code: 'invalid_config',
        message: expect.stringContaining(message),
        where: expect.objectContaining({ file }),
      }),
    );
  });

  test('refuses a link that leads nowhere', () => {
    const file = join(folder, 'link.yaml');
    symlinkSync(join(folder, 'gone.yaml'), file);
    expect(() => readYamlFile(file)).toThrow(
      expect.objectContaining({ code: 'invalid_config', message: 'a link that leads nowhere', where: { file } }),
    );
  });

  test('refuses a folder', () => {
    const file = join(folder, 'dir.yaml');
    mkdirSync(file);
    expect(() => readYamlFile(file)).toThrow('not a regular file');
  });
});

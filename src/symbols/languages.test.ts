import { hash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { readSymbols } from './file-symbols.ts';
import { createGrammars } from './grammars.ts';
import { languageOf } from './languages.ts';
import type { FileSymbols } from './file-symbols.ts';

const grammars = createGrammars();

async function symbolsOf(path: string, text: string, maxMs?: number): Promise<FileSymbols> {
  const found = languageOf(path);
  if (!found) throw new Error(`${path} has no language`);
  return readSymbols({ path, text, language: found.language }, await grammars(found.grammar), maxMs);
}

/** Each file: a source, a line with its path, and its block but for the path. */
const folder = new URL('fixtures/languages/', import.meta.url);
const cases = readdirSync(folder).map((name) => {
  const [source = '', path = '', block = ''] = readFileSync(new URL(name, folder), 'utf8').split(/^----- (.*)\n/m);
  return { name: name.replace('.txt', ''), source, path, block: `${path}:\n${block.trimEnd()}` };
});

describe('The symbols of a source file', () => {
  test.each(cases)('are read from $name', async ({ path, source, block }) => {
    expect((await symbolsOf(path, source)).block).toBe(block);
  });

  test('are there for every language that is promised', () => {
    const extensions = ['.ts', '.tsx', '.js', '.py', '.go', '.rs', '.java', '.c', '.cpp', '.h'];
    expect(extensions.filter((extension) => !languageOf(`a${extension}`))).toEqual([]);
    expect(languageOf('a.md')).toBeUndefined();
  });

  test.each(cases)('have a hash of exactly the bytes of the block: $name', async ({ path, source }) => {
    const symbols = await symbolsOf(path, source);
    expect(symbols.hash).toBe(hash('sha256', symbols.block));
    expect(await symbolsOf(path, source)).toEqual(symbols);
  });

  test.each([
    ['lines that are added above', (text: string) => `\n\n\n${text}`],
    ['another body', (text: string) => text.replace('{ return 1; }', '{ return 2 + 2; }')],
    ['a comment', (text: string) => `// What it is for.\n${text}`],
    ['another private field', (text: string) => text.replace('#a = 1;', '#b = 2; #c = 3;')],
  ])('do not change with %s', async (_, change) => {
    const source = 'class A {\n  #a = 1;\n  m() { return 1; }\n}\n';
    expect(await symbolsOf('a.ts', change(source))).toEqual(await symbolsOf('a.ts', source));
  });

  test('are cut where a declaration is long', async () => {
    const { block } = await symbolsOf('a.ts', `function f(${'parameter: number, '.repeat(50)}) {}`);
    const [, line = ''] = block.split('\n');
    expect(line).toHaveLength(122);
    expect(line).toMatch(/^f f\(parameter.*…$/);
  });
});

describe('A hostile source', () => {
  test.each([
    ['deep blocks', 'a.js', '{'.repeat(100_000)],
    ['deep brackets', 'a.py', `x = ${'['.repeat(100_000)}`],
    ['classes in classes', 'a.ts', 'class A { b = class { x = 1; '.repeat(2000)],
    ['namespaces in namespaces', 'a.cpp', 'namespace a { '.repeat(5000)],
    ['a long line', 'a.js', `var a = [${'1,'.repeat(400_000)}];function f() {}`],
    ['no end of a text', 'a.py', `"""${'a'.repeat(500_000)}`],
    ['control characters', 'a.ts', 'function f(a\u0000\u0007\u001b[31m) {}'],
    ['lone surrogates', 'a.ts', `function f(a = '${'\ud800'.repeat(200)}') {}`],
    ['nothing', 'a.go', ''],
  ])('has a block without anything odd in it: %s', async (_, path, text) => {
    const { block } = await symbolsOf(path, text);
    expect(block.split('\n')[0]).toBe(`${path}:`);
    expect(block.length).toBeLessThan(60_000);
    // oxlint-disable-next-line no-control-regex -- they are what is looked for
    expect(block).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/);
    expect(block.isWellFormed()).toBe(true);
  });

  test.each([
    ['a path without an end', 'a.rs', `use ${'a::'.repeat(16_000)}b;`],
    ['many paths', 'b.rs', 'use a::b::c;\n'.repeat(20_000)],
    ['many names of a long place', 'a.py', `from ${'a'.repeat(2000)} import ${'a,'.repeat(900)}a\n`.repeat(50)],
  ])('has few and short imports: %s', async (_, path, text) => {
    const found = await symbolsOf(path, text);
    expect(found.links.length).toBeLessThanOrEqual(2_000);
    expect(JSON.stringify(found).length).toBeLessThan(700_000);
  });

  test('that declares no end of things has a block with an end', async () => {
    const { block } = await symbolsOf('a.ts', Array.from({ length: 5000 }, (_, at) => `const a${at} = 1;`).join('\n'));
    expect(block.split('\n')).toHaveLength(402);
    expect(block.endsWith('\n…')).toBe(true);
  });

  test('that takes too long has its path alone, and the parser goes on', async () => {
    const text = 'const a = 1;\n'.repeat(50_000);
    const { block, problem } = await symbolsOf('a.ts', text, -1);
    expect(block).toBe('a.ts:');
    expect(problem).toBe('it takes more than -1 ms to parse');
    expect((await symbolsOf('a.ts', 'const b = 1;')).block).toBe('a.ts:\nv b');
  });
});

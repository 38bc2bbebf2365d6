import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createFileContext, type ProjectFiles } from './file-context.ts';
import { openSymbolsBench, type SymbolsBench } from './fixtures/symbols-bench.ts';

const PROJECT = {
  'src/a.ts': '\uFEFFconst a = 1;\n',
  'b.md': 'text',
  '.ai/keys/private.pem': 'key',
  '.git/config': 'token',
};

const open = ({ root }: SymbolsBench, selected?: string[]): ProjectFiles =>
  createFileContext({ root, files: () => ['b.md', 'src/a.ts'], ...(selected && { selected }) });

describe('A file context', () => {
  test('has the text of every file as it is now, without a byte order mark', () => {
    using bench = openSymbolsBench(PROJECT);
    const context = open(bench);
    expect(context.content('src/a.ts')).toBe('const a = 1;\n');
    bench.write({ 'src/a.ts': 'new' });
    expect(context.content('src/a.ts')).toBe('new');
    rmSync(join(bench.root, 'src'), { recursive: true });
    expect(context.content('src/a.ts')).toBeUndefined();
    expect(context.tree()).toEqual(['b.md', 'src/a.ts']);
  });

  test('keeps selected files in the order they were selected in', () => {
    using bench = openSymbolsBench(PROJECT);
    const context = open(bench, ['src/a.ts']);
    context.select('b.md');
    context.select('src/a.ts');
    expect(context.selected()).toEqual(['src/a.ts', 'b.md']);
    expect([context.drop('src/a.ts'), context.drop('src/a.ts')]).toEqual([true, false]);
    expect(context.selected()).toEqual(['b.md']);
  });

  test.each([
    '../outside.txt',
    'src/../b.md',
    './b.md',
    'src//a.ts',
    '',
    '.',
    '/etc/passwd',
    'b.md\0',
    'src\\a.ts',
    'src',
    'missing.ts',
    'out/secret.txt',
    'out.txt',
    'nowhere',
    'big.txt',
    'binary.bin',
    '.git/config',
    '.ai/keys/private.pem',
    'innocent.txt',
    'innocent/config',
    'line\nbreak.txt',
  ])('refuses %j', (path) => {
    using outside = openSymbolsBench({ 'secret.txt': 'secret' });
    using bench = openSymbolsBench({ ...PROJECT, 'big.txt': 'x'.repeat(1024 * 1024 + 1), 'binary.bin': 'a\0b' });
    bench.write({ 'line\nbreak.txt': 'its name would be a line of the prompt' });
    symlinkSync(outside.root, join(bench.root, 'out'));
    symlinkSync(join(outside.root, 'secret.txt'), join(bench.root, 'out.txt'));
    symlinkSync('gone', join(bench.root, 'nowhere'));
    symlinkSync('.ai/keys/private.pem', join(bench.root, 'innocent.txt'));
    symlinkSync('.git', join(bench.root, 'innocent'));
    const context = open(bench);
    expect(context.content(path)).toBeUndefined();
    expect(() => context.select(path)).toThrow(expect.objectContaining({ code: 'invalid_argument' }));
    expect(context.selected()).toEqual([]);
  });

  test('follows links inside the project, and finds it behind one', () => {
    using bench = openSymbolsBench(PROJECT);
    mkdirSync(join(bench.root, 'real'));
    writeFileSync(join(bench.root, 'real', 'c.txt'), 'inside');
    symlinkSync('real', join(bench.root, 'link'));
    expect(open(bench).content('link/c.txt')).toBe('inside');
    const linked = createFileContext({ root: join(bench.root, 'link'), files: () => [] });
    expect(linked.content('c.txt')).toBe('inside');
    expect(linked.content('../b.md')).toBeUndefined();
  });
});

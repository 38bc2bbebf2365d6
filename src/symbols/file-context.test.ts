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

const OUTSIDE = 'it leads out of the project';
const ODD = 'that is no path of a file';
const HIDDEN = 'it is not for models to see';

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
    ['./b.md', 'b.md'],
    ['src//a.ts', 'src/a.ts'],
    ['src/../src/a.ts', 'src/a.ts'],
    ['src/../../b.md', '../b.md'],
    ['/etc/passwd', expect.stringMatching(/^\.\.\/.*etc\/passwd$/)],
  ])('calls %s as it is kept, %s', (path, name) => {
    using bench = openSymbolsBench(PROJECT);
    expect(open(bench).nameOf(path)).toEqual(name);
  });

  test('calls an absolute path within the project as it is kept, also one through a link to it', () => {
    using bench = openSymbolsBench(PROJECT);
    symlinkSync('src', join(bench.root, 'link'));
    const root = join(bench.root, 'link');
    const context = createFileContext({ root, files: () => [] });
    expect([root, join(bench.root, 'src')].map((folder) => context.nameOf(`${folder}//a.ts`))).toEqual([
      'a.ts',
      'a.ts',
    ]);
    expect(context.nameOf(join(bench.root, 'b.md'))).toBe('../b.md');
  });

  test.each([
    ['../outside.txt', OUTSIDE],
    ['src/../b.md', OUTSIDE],
    ['./b.md', ODD],
    ['src//a.ts', ODD],
    ['', ODD],
    ['.', ODD],
    ['/etc/passwd', ODD],
    ['b.md\0', 'its name has control characters'],
    ['src\\a.ts', ODD],
    ['src', 'it is no regular file, but a folder or the like'],
    ['missing.ts', 'it is not there'],
    ['b.md/a.ts', 'it is not there'],
    ['out/secret.txt', OUTSIDE],
    ['out.txt', OUTSIDE],
    ['nowhere', 'it is not there'],
    ['big.txt', 'it has more than 1048576 bytes'],
    ['binary.bin', 'it is binary'],
    ['latin.txt', 'it is not UTF-8 text'],
    ['.git/config', HIDDEN],
    ['.ai/keys/private.pem', HIDDEN],
    ['innocent.txt', HIDDEN],
    ['innocent/config', HIDDEN],
    ['line\nbreak.txt', 'its name has control characters'],
  ])('refuses %j: %s', (path, reason) => {
    using outside = openSymbolsBench({ 'secret.txt': 'secret' });
    using bench = openSymbolsBench({ ...PROJECT, 'big.txt': 'x'.repeat(1024 * 1024 + 1), 'binary.bin': 'a\0b' });
    bench.write({ 'line\nbreak.txt': 'its name would be a line of the prompt', 'latin.txt': Buffer.of(0xe4) });
    symlinkSync(outside.root, join(bench.root, 'out'));
    symlinkSync(join(outside.root, 'secret.txt'), join(bench.root, 'out.txt'));
    symlinkSync('gone', join(bench.root, 'nowhere'));
    symlinkSync('.ai/keys/private.pem', join(bench.root, 'innocent.txt'));
    symlinkSync('.git', join(bench.root, 'innocent'));
    const context = open(bench);
    expect(context.content(path)).toBeUndefined();
    const message = `${path} is no text file of the project that can be read: ${reason}`;
    expect(() => context.select(path)).toThrow(expect.objectContaining({ code: 'invalid_argument', message }));
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

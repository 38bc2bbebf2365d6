import {
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openCacheFolder } from './cache-folder.ts';
import { openSymbolsBench, type SymbolsBench } from './fixtures/symbols-bench.ts';

const PROJECT = { '.ai/config/agent.yaml': '', 'a.ts': 'const a = 1;\n', 'b.ts': 'const b = 1;\n', 'c.py': 'c = 1\n' };
const SOURCES = ['a.ts', 'b.ts', 'c.py'];

/** The paths that a new process would have to parse. */
async function parsedBy(bench: SymbolsBench): Promise<string[]> {
  const parsed: string[] = [];
  const index = bench.open(parsed);
  await index.refresh();
  expect(index.paths().map((path) => index.block(path)?.split('\n')[1]?.slice(0, 3))).toEqual(['v a', 'v b', 'v c']);
  return parsed.toSorted();
}

const cacheFile = ({ root }: SymbolsBench): string => join(root, '.ai', 'cache', 'symbols', 'symbols.jsonl');

function damage(bench: SymbolsBench, change: (text: string) => string | Uint8Array): void {
  writeFileSync(cacheFile(bench), change(readFileSync(cacheFile(bench), 'utf8')));
}

describe('The cache of symbols', () => {
  test('saves the next process all parsing', async () => {
    using bench = openSymbolsBench(PROJECT);
    expect(await parsedBy(bench)).toEqual(SOURCES);
    expect(await parsedBy(bench)).toEqual([]);
  });

  test('is kept out of version control, for its owner alone', async () => {
    using bench = openSymbolsBench(PROJECT);
    await parsedBy(bench);
    expect(readFileSync(join(bench.root, '.ai', 'cache', '.gitignore'), 'utf8')).toBe('*\n');
    expect(statSync(cacheFile(bench)).mode & 0o777).toBe(0o600);
  });

  test('goes by content: a file that was only touched is not parsed again, and its new stamp is kept', async () => {
    using bench = openSymbolsBench(PROJECT);
    await parsedBy(bench);
    const size = statSync(cacheFile(bench)).size;
    utimesSync(join(bench.root, 'a.ts'), 1_000_000, 1_000_000);
    expect(await parsedBy(bench)).toEqual([]);
    expect(statSync(cacheFile(bench)).size).toBeGreaterThan(size);
    const grown = statSync(cacheFile(bench)).size;
    expect(await parsedBy(bench)).toEqual([]);
    expect(statSync(cacheFile(bench)).size).toBe(grown);
  });

  test.each<[string, (text: string) => string | Uint8Array, string[]]>([
    ['is cut', (text) => text.slice(0, -30), ['c.py']],
    ['is empty', () => '', SOURCES],
    ['is garbage', () => new Uint8Array(5000).fill(0xff), SOURCES],
    ['has one other character in a block', (text) => text.replace('v b', 'v x'), ['b.ts']],
    ['has no fields, though a check sum', (text) => text.replace(/^/gm, 'x'), SOURCES],
    ['has lines that are no objects', (text) => `null\n[]\n${text}`, []],
    ['has every line twice', (text) => text + text, []],
  ])('is rebuilt where it %s', async (_, change, parsed) => {
    using bench = openSymbolsBench(PROJECT);
    await parsedBy(bench);
    damage(bench, change);
    expect(await parsedBy(bench)).toEqual(parsed);
    expect(await parsedBy(bench)).toEqual([]);
  });

  test('is not believed where it did not come to be: in another project, or in a folder of its own that was copied', async () => {
    using bench = openSymbolsBench(PROJECT);
    using other = openSymbolsBench(PROJECT);
    await parsedBy(bench);
    await parsedBy(other);
    writeFileSync(cacheFile(other), readFileSync(cacheFile(bench)));
    expect(await parsedBy(other)).toEqual(SOURCES);
    expect(await parsedBy(other)).toEqual([]);
    const folder = dirname(cacheFile(bench));
    cpSync(folder, `${folder}-copy`, { recursive: true });
    renameSync(folder, `${folder}-before`);
    renameSync(`${folder}-copy`, folder);
    expect(await parsedBy(bench)).toEqual(SOURCES);
  });

  test('is written anew when most of it counts for nothing', async () => {
    using bench = openSymbolsBench(PROJECT);
    await parsedBy(bench);
    const size = statSync(cacheFile(bench)).size;
    damage(bench, (text) => text + text.repeat(500));
    expect(await parsedBy(bench)).toEqual([]);
    expect(statSync(cacheFile(bench)).size).toBeLessThanOrEqual(size);
  });

  test('is not read where it is too large, and written anew', async () => {
    using bench = openSymbolsBench(PROJECT);
    await parsedBy(bench);
    // A hole: it takes no room on the disk.
    truncateSync(cacheFile(bench), 257 * 1024 * 1024);
    expect(await parsedBy(bench)).toEqual(SOURCES);
    expect(statSync(cacheFile(bench)).size).toBeLessThan(10_000);
    expect(await parsedBy(bench)).toEqual([]);
  });

  test('is not read through a link, nor written', async () => {
    using bench = openSymbolsBench(PROJECT);
    const other = join(bench.root, 'other.txt');
    writeFileSync(other, 'mine');
    await parsedBy(bench);
    rmSync(cacheFile(bench));
    symlinkSync(other, cacheFile(bench));
    expect(await parsedBy(bench)).toEqual(SOURCES);
    expect(readFileSync(other, 'utf8')).toBe('mine');
    expect(lstatSync(cacheFile(bench)).isSymbolicLink()).toBe(true);
  });

  test('has no place in a project without a space, nor behind a link', () => {
    using bench = openSymbolsBench({ 'a.ts': '' });
    expect(openCacheFolder(bench.root)).toBeUndefined();
    expect(existsSync(join(bench.root, '.ai'))).toBe(false);
    mkdirSync(join(bench.root, '.ai'));
    mkdirSync(join(bench.root, 'elsewhere'));
    symlinkSync('../elsewhere', join(bench.root, '.ai', 'cache'));
    expect(openCacheFolder(bench.root)).toBeUndefined();
    rmSync(join(bench.root, '.ai'), { recursive: true });
    symlinkSync('elsewhere', join(bench.root, '.ai'));
    expect(openCacheFolder(bench.root)).toBeUndefined();
    expect(readdirSync(join(bench.root, 'elsewhere'))).toEqual([]);
  });
});

import { statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { appendCache, readCache } from './cache-file.ts';
import { openCacheFolder } from './cache-folder.ts';
import { stampOf } from './file-stamp.ts';
import { withoutSymbols } from './file-symbols.ts';
import { openSymbolsBench, type SymbolsBench } from './fixtures/symbols-bench.ts';
import { scanFiles } from './scan-files.ts';
import type { ScanResult } from './symbol-task.ts';

const NOW = Date.now() + 3_600_000;
const names = (count: number): string[] => Array.from({ length: count }, (_, at) => `f${at}.ts`).toSorted();

/** A project of which the cache knows every file as it is. */
function openCached(paths: readonly string[]): SymbolsBench & { readonly scan: (known: string[]) => ScanResult } {
  const bench = openSymbolsBench({ '.ai/x': '', ...Object.fromEntries(paths.map((path) => [path, ''])) });
  const cacheFolder = openCacheFolder(bench.root);
  const entries = paths.map((path) => {
    const stamp = stampOf(statSync(join(bench.root, path)), NOW);
    return { path, stamp, content: 'x', ...withoutSymbols(path, 'of the cache') };
  });
  appendCache(cacheFolder, entries);
  expect(readCache(cacheFolder).entries.size).toBe(paths.length);
  const task = { kind: 'scan', root: bench.root, cacheFolder, now: NOW } as const;
  const scan = (known: string[]): ScanResult =>
    scanFiles({ ...task, known: Object.fromEntries(known.map((path) => [path, 'another'])) });
  return { ...bench, scan };
}

describe('The cache of symbols', () => {
  test.each<[string, number, string[], { entries: number; stale: number }]>([
    ['is asked by who knows nothing', 3, [], { entries: 3, stale: 0 }],
    ['is not asked for what is known, and was edited', 3, names(3), { entries: 0, stale: 3 }],
    ['is not asked for a few new files', 3, names(2), { entries: 0, stale: 3 }],
    ['is asked for many new files', 40, names(2), { entries: 38, stale: 2 }],
  ])('%s', (_, count, known, expected) => {
    using bench = openCached(names(count));
    const { entries, stale } = bench.scan(known);
    expect({ entries: entries.length, stale: stale.length }).toEqual(expected);
  });
});

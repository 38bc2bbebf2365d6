import { statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { findChanges } from './find-changes.ts';
import { openSymbolsBench } from './fixtures/symbols-bench.ts';
import { createGrammars } from './grammars.ts';
import { parseFiles } from './parse-files.ts';
import { scanFiles } from './scan-files.ts';
import type { IndexedFile, SymbolRunner } from './symbol-task.ts';

const knownOf = (entries: readonly IndexedFile[]): ReadonlyMap<string, IndexedFile> =>
  new Map(entries.map((entry) => [entry.path, entry]));

/** A worker that says what it has parsed. */
function talkative(parsed: string[]): Pick<SymbolRunner, 'scan' | 'parse'> {
  const grammars = createGrammars();
  return {
    scan: (task) => Promise.resolve(scanFiles(task)),
    parse: async (task) => {
      const result = await parseFiles(task, grammars);
      parsed.push(...result.entries.map(({ path }) => path));
      return result;
    },
  };
}

/** A worker that dies of some files. */
function mortal(deadly: readonly string[], tasks: number[]): Pick<SymbolRunner, 'scan' | 'parse'> {
  const grammars = createGrammars();
  return {
    scan: (task) => Promise.resolve(scanFiles(task)),
    parse: (task) => {
      tasks.push(task.paths.length);
      return task.paths.some((path) => deadly.includes(path))
        ? Promise.reject(new Error('memory access out of bounds'))
        : parseFiles(task, grammars);
    },
  };
}

describe('Finding changes', () => {
  test('goes on without a file that its worker dies of, and parses all the others', async () => {
    const names = Array.from({ length: 60 }, (_, at) => `f${String(at).padStart(2, '0')}.ts`);
    using bench = openSymbolsBench(Object.fromEntries(names.map((name) => [name, 'const a = 1;'])));
    const tasks: number[] = [];
    const search = { root: bench.root, runner: mortal(['f30.ts'], tasks), now: Date.now() + 3_600_000 };
    const { entries } = await findChanges({ ...search, known: new Map() });
    const failed = entries.filter(({ problem }) => problem !== undefined);
    expect(failed).toEqual([
      expect.objectContaining({
        path: 'f30.ts',
        block: 'f30.ts:',
        problem: 'parsing it failed (memory access out of bounds)',
      }),
    ]);
    expect(entries.filter(({ block }) => block.endsWith('\nv a'))).toHaveLength(59);
    expect(tasks.filter((size) => size > 1)).toEqual([25, 25, 10]);
    const known = knownOf(entries);
    tasks.length = 0;
    expect((await findChanges({ ...search, known })).entries).toEqual([]);
    expect(tasks).toEqual([]);
  });

  test.each([
    ['was touched', -86_400, true],
    ['is dated tomorrow', 86_400, false],
  ])('parses no file again that %s, and adds nothing to the cache for it', async (_, after, isSettled) => {
    using bench = openSymbolsBench({ '.ai/x': '', 'a.ts': 'const a = 1;', 'b.ts': 'const b = 1;' });
    const parsed: string[] = [];
    const search = { root: bench.root, runner: talkative(parsed), now: Date.now() + 3_600_000 };
    const { entries } = await findChanges({ ...search, known: new Map() });
    const cache = join(bench.root, '.ai/cache/symbols/symbols.jsonl');
    const { size } = statSync(cache);
    const at = search.now / 1000 + after;
    utimesSync(join(bench.root, 'a.ts'), at, at);
    parsed.length = 0;
    let known = knownOf(entries);
    for (const isFirst of [true, false]) {
      const changes = await findChanges({ ...search, known });
      const again = isFirst || !isSettled ? entries.slice(0, 1) : [];
      expect(changes.entries.map((entry) => ({ ...entry, stamp: '' }))).toEqual(
        again.map((entry) => ({ ...entry, stamp: '' })),
      );
      known = new Map([...known, ...knownOf(changes.entries)]);
    }
    expect([parsed, statSync(cache).size]).toEqual([[], size]);
  });

  test('parses a file again that was edited to the same length at the same time', async () => {
    using bench = openSymbolsBench({ 'a.ts': 'const a = 1;' });
    const parsed: string[] = [];
    // By this clock whatever is written is too young for a stamp.
    const search = { root: bench.root, runner: talkative(parsed), now: Date.now() - 3_600_000 };
    const { entries } = await findChanges({ ...search, known: new Map() });
    bench.write({ 'a.ts': 'const b = 1;' });
    const edited = await findChanges({ ...search, known: knownOf(entries) });
    expect(edited.entries.map(({ block }) => block)).toEqual(['a.ts:\nv b']);
    await findChanges({ ...search, known: knownOf(edited.entries) });
    expect(parsed).toEqual(['a.ts', 'a.ts']);
  });

  test('tries a file again that failed, once it looks different', async () => {
    using bench = openSymbolsBench({ 'a.ts': 'const a = 1;' });
    const parsed: string[] = [];
    const search = { root: bench.root, runner: talkative(parsed), now: Date.now() + 3_600_000 };
    const { entries } = await findChanges({ ...search, known: new Map() });
    const failed = entries.map((entry) => ({ ...entry, stamp: '', problem: 'it takes more than 2000 ms to parse' }));
    const { entries: again } = await findChanges({ ...search, known: knownOf(failed) });
    expect([again, parsed]).toEqual([entries, ['a.ts', 'a.ts']]);
  });
});

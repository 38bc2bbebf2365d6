import { describe, expect, test } from 'vitest';
import { findChanges } from './find-changes.ts';
import { openSymbolsBench } from './fixtures/symbols-bench.ts';
import { createGrammars } from './grammars.ts';
import { parseFiles } from './parse-files.ts';
import { scanFiles } from './scan-files.ts';
import type { SymbolRunner } from './symbol-task.ts';

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
    const { entries } = await findChanges({ ...search, known: {} });
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
    const known = Object.fromEntries(entries.map(({ path, stamp }) => [path, stamp]));
    tasks.length = 0;
    expect((await findChanges({ ...search, known })).entries).toEqual([]);
    expect(tasks).toEqual([]);
  });
});

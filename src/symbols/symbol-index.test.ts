import { hash } from 'node:crypto';
import { rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { systemClock } from '../core/clock.ts';
import { SkeinError } from '../core/errors.ts';
import { createLazyTasks } from '../core/lazy-tasks.ts';
import { openSymbolsBench } from './fixtures/symbols-bench.ts';
import { scanFiles } from './scan-files.ts';
import { createSymbolIndex } from './symbol-index.ts';
import { createSymbolRunner } from './symbol-runner.ts';
import type { ScanTask } from './symbol-task.ts';

const PROJECT = {
  'src/a.ts': "import { b } from './b.ts';\nexport const a = b;\n",
  'src/b.ts': 'export const b = 1;\n',
  'README.md': '# Read me\n',
};

/** A worker that scans, and is lost with each task that is under way when it is closed. */
function createWorker() {
  const lost = Promise.withResolvers<never>();
  const reached = { scan: Promise.withResolvers<void>(), parse: Promise.withResolvers<void>() };
  return {
    reached,
    run: (text: string, endsAt: 'scan' | 'parse'): Promise<string> => {
      // The runner's own.
      const task = JSON.parse(text) as ScanTask | { readonly kind: 'parse' };
      reached[task.kind].resolve();
      if (task.kind !== 'scan' || endsAt === 'scan') return lost.promise;
      return Promise.resolve(JSON.stringify(scanFiles(task)));
    },
    close: () => Promise.resolve(lost.reject(new Error('the worker was terminated'))),
  };
}

describe('A symbol index', () => {
  test('is empty before its first refresh', () => {
    using bench = openSymbolsBench(PROJECT);
    const index = bench.open();
    expect([index.paths(), index.files(), index.block('src/a.ts')]).toEqual([[], [], undefined]);
  });

  test('has a block and its hash for every source file', async () => {
    using bench = openSymbolsBench(PROJECT);
    const index = bench.open();
    await index.refresh();
    expect(index.paths()).toEqual(['src/a.ts', 'src/b.ts']);
    expect(index.block('src/a.ts')).toBe('src/a.ts:\n< ./b.ts\n+v a');
    expect(index.hash('src/a.ts')).toBe(hash('sha256', 'src/a.ts:\n< ./b.ts\n+v a'));
    expect([index.block('README.md'), index.hash('README.md')]).toEqual([undefined, undefined]);
    expect(index.files()).toEqual(['README.md', 'src/a.ts', 'src/b.ts']);
  });

  test.each([['all files', undefined] as const, ['the edited file alone', ['src/b.ts']] as const])(
    'parses only what was edited, when asked for %s',
    async (_, paths) => {
      using bench = openSymbolsBench(PROJECT);
      const parsed: string[] = [];
      const index = bench.open(parsed);
      await index.refresh();
      const before = index.hash('src/a.ts');
      bench.write({ 'src/b.ts': 'export const other = 1;\n' });
      parsed.length = 0;
      await index.refresh(paths);
      expect(parsed).toEqual(['src/b.ts']);
      expect(index.block('src/b.ts')).toBe('src/b.ts:\n+v other');
      expect(index.hash('src/a.ts')).toBe(before);
    },
  );

  test('finds new files, and those a .gitignore leaves out from now on, when asked for them alone', async () => {
    using bench = openSymbolsBench(PROJECT);
    const index = bench.open();
    await index.refresh();
    bench.write({ 'src/c.ts': '' });
    await index.refresh(['src/c.ts']);
    expect(index.paths()).toEqual(['src/a.ts', 'src/b.ts', 'src/c.ts']);
    bench.write({ '.gitignore': 'b.ts\n' });
    await index.refresh(['.gitignore']);
    expect(index.paths()).toEqual(['src/a.ts', 'src/c.ts']);
  });

  test.each([['all files', undefined] as const, ['them alone', ['src/b.ts', 'README.md']] as const])(
    'forgets files that are gone, when asked for %s',
    async (_, paths) => {
      using bench = openSymbolsBench(PROJECT);
      const index = bench.open();
      await index.refresh();
      for (const path of ['src/b.ts', 'README.md']) rmSync(join(bench.root, path));
      await index.refresh(paths);
      expect([index.paths(), index.files()]).toEqual([['src/a.ts'], ['src/a.ts']]);
    },
  );

  test('takes refreshes at the same time one after another', async () => {
    using bench = openSymbolsBench(PROJECT);
    const parsed: string[] = [];
    const index = bench.open(parsed);
    await Promise.all([index.refresh(), index.refresh(), index.refresh(['src/a.ts'])]);
    expect(parsed).toEqual(['src/a.ts', 'src/b.ts']);
  });

  test.each(['scan', 'parse'] as const)('refuses a refresh whose %s is cut off by closing', async (during) => {
    using bench = openSymbolsBench({ 'a.ts': 'const a = 1;', 'b.ts': 'const b = 1;' });
    const worker = createWorker();
    const own = { run: (task: string) => worker.run(task, during), close: () => worker.close() };
    const tasks = createLazyTasks(
      () => Promise.resolve(own),
      () => new SkeinError('runtime_closed', 'closed'),
    );
    const index = createSymbolIndex({ root: bench.root, runner: createSymbolRunner(tasks), clock: systemClock });
    const closing = worker.reached[during].promise.then(() => tasks.close());
    await expect(index.refresh()).rejects.toMatchObject({ code: 'runtime_closed' });
    await closing;
    expect(index.files()).toEqual([]);
  });

  test.each([
    ['binary files', { 'src/a.ts': 'G\0\u0001' }, 'it is binary'],
    ['text in another encoding', { 'src/a.ts': new Uint8Array([0xc3, 0x28, 0x0a]) }, 'it is not UTF-8 text'],
    ['a line of 10 MB', { 'src/a.ts': 'a'.repeat(10_000_000) }, 'it has more than 1048576 bytes'],
  ])('leaves out %s, and says so', async (_, files, reason) => {
    using bench = openSymbolsBench({ ...PROJECT, ...files });
    const index = bench.open();
    await index.refresh();
    expect(index.paths()).toEqual(['src/b.ts']);
    expect(index.warnings()).toEqual([{ path: 'src/a.ts', reason }]);
  });

  test('follows no links', async () => {
    using bench = openSymbolsBench(PROJECT);
    using outside = openSymbolsBench({ 'secret.ts': 'export const secret = 1;' });
    symlinkSync(outside.root, join(bench.root, 'folder'));
    symlinkSync(join(outside.root, 'secret.ts'), join(bench.root, 'secret.ts'));
    symlinkSync('..', join(bench.root, 'src', 'circle'));
    const index = bench.open();
    await index.refresh();
    expect(index.files()).toEqual(['README.md', 'src/a.ts', 'src/b.ts']);
  });

  test('has the same blocks for the same files, whatever happened before, and an edit changes that file alone', async () => {
    using bench = openSymbolsBench();
    const index = bench.open();
    const name = fc.constantFrom('a.ts', 'b/c.py', 'd.go', 'e.java');
    const text = fc.constantFrom(
      '',
      'class A:\n  pass\n',
      'func F() {}\n',
      'class B { int x; }\n',
      'export const q = 1;\n',
    );
    const edits = fc.array(fc.tuple(name, text), { minLength: 1, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(edits, async (steps) => {
        for (const [path, content] of steps) {
          const others = index.paths().filter((other) => other !== path);
          const before = others.map((other) => index.hash(other));
          bench.write({ [path]: content });
          await index.refresh([path]);
          expect(others.map((other) => index.hash(other))).toEqual(before);
        }
        const fresh = bench.open();
        await fresh.refresh();
        expect(fresh.paths().map((path) => fresh.block(path))).toEqual(index.paths().map((path) => index.block(path)));
      }),
      { numRuns: 30 },
    );
  });
});

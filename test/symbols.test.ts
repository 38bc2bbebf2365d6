import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { afterAll, describe, expect, test } from 'vitest';
import type * as Assembly from '../src/assembly.ts';
import { systemClock } from '../src/core/clock.ts';
import { openSymbolsBench } from '../src/symbols/fixtures/symbols-bench.ts';
import { createSymbolIndex } from '../src/symbols/symbol-index.ts';
import { createSymbolPool } from '../src/symbols/symbol-pool.ts';
import { createSymbolRunner } from '../src/symbols/symbol-runner.ts';
import { importEntry } from './fixtures/skein.ts';

const pool = createSymbolPool();
const runner = createSymbolRunner(pool);
afterAll(() => pool.close());

describe('The symbol worker', () => {
  test('indexes sources, its own among them', async () => {
    const index = createSymbolIndex({ root: join(import.meta.dirname, '../src/symbols'), runner, clock: systemClock });
    await index.refresh();
    expect(index.block('symbol-pool.ts')).toContain('+f createSymbolPool(');
    expect(index.paths().every((path) => path.endsWith('.ts'))).toBe(true);
    expect(index.paths().length).toBeLessThan(index.files().length);
    expect(index.legend().length).toBeGreaterThan(100);
    expect(index.warnings()).toEqual([]);
  });

  test('works for any program, which then knows what uses what', async () => {
    const { buildRefGraph, openSymbolIndex } = (await importEntry('skein/assembly')) as unknown as typeof Assembly;
    using bench = openSymbolsBench({ 'a.ts': "import './b.ts';", 'b.ts': 'export const b = 1;' });
    await using index = openSymbolIndex(bench.root);
    expect(index.paths()).toEqual([]);
    await index.refresh();
    expect(index.block('b.ts')).toBe('b.ts:\n+v b');
    const graph = await buildRefGraph(index.entries());
    expect([graph.references('a.ts'), graph.referencedBy('b.ts')]).toEqual([['b.ts'], ['a.ts']]);
    await index[Symbol.asyncDispose]();
    await expect(index.refresh()).rejects.toMatchObject({ code: 'runtime_closed' });
    expect(index.block('b.ts')).toBe('b.ts:\n+v b');
  });

  test('refuses a refresh that is under way when the index is closed', async () => {
    const { openSymbolIndex } = (await importEntry('skein/assembly')) as unknown as typeof Assembly;
    using bench = openSymbolsBench({ 'a.ts': 'const a = 1;' });
    await using index = openSymbolIndex(bench.root);
    const refresh = index.refresh();
    const closing = setImmediate().then(() => index[Symbol.asyncDispose]());
    await expect(refresh).rejects.toMatchObject({ code: 'runtime_closed' });
    await closing;
    expect([index.files(), index.warnings()]).toEqual([[], []]);
  });

  test('is replaced after a task that failed, and works on', async () => {
    using bench = openSymbolsBench({ 'a.ts': 'const a = 1;' });
    const missing = { root: bench.root, cacheFolder: undefined, now: 0, kind: 'parse' as const };
    // What no task says makes the code in the worker throw.
    await expect(runner.parse({ ...missing, paths: [null as unknown as string] })).rejects.toThrow(TypeError);
    const index = createSymbolIndex({ root: bench.root, runner, clock: systemClock });
    await index.refresh();
    expect(index.block('a.ts')).toBe('a.ts:\nv a');
  });

  test('that fails in a task does the others that are waiting for it', async () => {
    using bench = openSymbolsBench({ 'a.ts': 'const a = 1;' });
    const missing = { root: bench.root, cacheFolder: undefined, now: 0, kind: 'parse' as const };
    const failing = runner.parse({ ...missing, paths: [null as unknown as string] });
    const others = ['a.ts', 'a.ts'].map((path) => runner.parse({ ...missing, paths: [path] }));
    await expect(failing).rejects.toThrow(TypeError);
    const parsed = await Promise.all(others);
    expect(parsed.map((one) => JSON.stringify(one))).toEqual(parsed.map(() => expect.stringContaining('v a')));
  });

  test('that does not answer in time is ended', async () => {
    using bench = openSymbolsBench({ 'a.ts': readFileSync(import.meta.filename) });
    const slow = createSymbolPool(1);
    const index = createSymbolIndex({ root: bench.root, runner: createSymbolRunner(slow), clock: systemClock });
    await expect(index.refresh()).rejects.toMatchObject({ code: 'deadline_exceeded' });
    expect(index.paths()).toEqual([]);
    await slow.close();
  });
});

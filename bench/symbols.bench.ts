/*
 * Symbols: how long it takes until the symbols of a project are there, with and without the cache on disk. See README.md
 * for what is measured. `node bench/symbols.bench.ts [options]`
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Measured } from './job.ts';
import { readSeriesOptions } from './series-options.ts';
import { runSeries } from './series.ts';
import { createSourceProject } from './source-project.ts';

const { sizes, runs, json, scratch } = readSeriesOptions('symbols', {
  files: { about: 'source files, copied from node_modules', standard: 2_000, least: 1 },
});
const { files } = sizes;
using project = createSourceProject(files, scratch);
await runSeries({ scenario: 'symbols', code: 'dist', items: files, runs, json }, () =>
  measureBoth(project.root, files),
);

/** With an empty cache on disk, and then with what that has left there. */
async function measureBoth(root: string, files: number): Promise<Measured> {
  rmSync(join(root, '.ai', 'cache'), { recursive: true, force: true });
  const cold = await measureOnce([root, String(files), 'symbols_cold']);
  const warm = await measureOnce([root, String(files), 'symbols_warm']);
  return { metrics: { ...warm.metrics, ...cold.metrics }, problems: [...cold.problems, ...warm.problems] };
}

/** In a process of its own: nothing is compiled, nothing is in memory. */
async function measureOnce(task: readonly string[]): Promise<Measured> {
  const child = fork(join(import.meta.dirname, 'symbols-child.ts'), task);
  const [[measured]] = await Promise.all([once(child, 'message'), once(child, 'exit')]);
  // The child sends one message, of this kind.
  return measured as Measured;
}

/*
 * Symbols: how long it takes until the symbols of a project are there, with and without the cache on disk. See README.md
 * for what is measured. `node bench/symbols.bench.ts [options]`
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { wholeNumber } from './arguments.ts';
import type { Measured } from './job.ts';
import { runSeries } from './series.ts';
import { createSourceProject } from './source-project.ts';

const USAGE = `Usage: node bench/symbols.bench.ts [options]
  --files N          source files, copied from node_modules (default 2000)
  --runs N           runs, of which the median counts (default 3)
  --json             print the results as JSON
  --scratch FOLDER   where the project is made (default: the temporary folder)`;

try {
  await main(readOptions());
} catch (error) {
  console.error(`${error instanceof Error ? error.message : String(error)}\n\n${USAGE}`);
  process.exitCode = 2;
}

type Options = ReturnType<typeof readOptions>;

async function main({ files, runs, json, scratch }: Options): Promise<void> {
  using project = createSourceProject(files, scratch);
  await runSeries({ scenario: 'symbols', items: files, runs, json }, () => measureBoth(project.root, files));
}

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

function readOptions() {
  const { values } = parseArgs({
    options: {
      files: { type: 'string', default: '2000' },
      runs: { type: 'string', default: '3' },
      json: { type: 'boolean', default: false },
      scratch: { type: 'string', default: tmpdir() },
    },
  });
  return {
    files: wholeNumber('files', values.files, 1),
    runs: wholeNumber('runs', values.runs, 1),
    json: values.json,
    scratch: values.scratch,
  };
}

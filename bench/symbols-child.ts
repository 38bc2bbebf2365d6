/* The process of one run of `symbols.bench.ts`: indexes a project, and sends what it found to its parent. */
import { appendFileSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../src/core/clock.ts';
import { buildRefGraph } from '../src/symbols/ref-graph.ts';
import { createSymbolIndex } from '../src/symbols/symbol-index.ts';
import { createSymbolPool } from '../src/symbols/symbol-pool.ts';
import { createSymbolRunner } from '../src/symbols/symbol-runner.ts';
import { watchHost } from './host-probe.ts';
import type { Measured } from './job.ts';

const [root = '', expected = '', metric = ''] = process.argv.slice(2);
const measured = await measure();
await new Promise<void>((resolve, reject) => {
  process.send?.(measured, (error: Error | null) => (error ? reject(error) : resolve()));
});
// The probe's timers must not hold the bench up.
process.exit(0);

async function measure(): Promise<Measured> {
  const pool = createSymbolPool();
  const index = createSymbolIndex({ root, runner: createSymbolRunner(pool), clock: systemClock });
  const host = watchHost();
  const wall = await timed(() => index.refresh());
  const symbols_graph = await timed(() => buildRefGraph(index.entries()));
  const { max } = host.stop();
  const paths = index.paths();
  const source = paths.reduce((bytes, path) => bytes + statSync(join(root, path)).size, 0);
  const blocks = paths.reduce((bytes, path) => bytes + Buffer.byteLength(index.block(path) ?? ''), 0);
  const symbols_edited = await timedEdit(paths[0] ?? '', () => index.refresh([paths[0] ?? '']));
  await pool.close();
  return {
    metrics: {
      [metric]: wall / 1000,
      symbols_graph,
      symbols_edited,
      host_task_max: max,
      source_size: source / 1e6,
      block_share: (100 * blocks) / source,
    },
    problems: [
      ...(paths.length === Number(expected) ? [] : [`${paths.length} of ${expected} files have a block`]),
      ...index.warnings().map(({ path, reason }) => `${path}: ${reason}`),
    ],
  };
}

/** Adds to a file, and takes it away again. */
async function timedEdit(path: string, refresh: () => Promise<void>): Promise<number> {
  const file = join(root, path);
  const { size } = statSync(file);
  appendFileSync(file, '\n// edited\n');
  try {
    return await timed(refresh);
  } finally {
    truncateSync(file, size);
  }
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

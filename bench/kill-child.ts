/*
 * The process that is killed: runs many threads and writes a line for everything it has been told is durable. An event
 * reaches a listener after its commit, a spawn resolves after its row is written, a result after its ending.
 */
import { killScripts, startSkein } from './skein-project.ts';
import { spawnFanOut } from './spawn-threads.ts';
import type { ThreadHandle } from '../src/index.ts';

// Written by `kill-rounds.ts`, the only one who starts this file.
const { folder, threads, llmMs } = JSON.parse(process.argv[2] ?? '') as {
  readonly folder: string;
  readonly threads: number;
  readonly llmMs: number;
};
const CHILDREN = 20;

const runtime = await startSkein(folder, killScripts(llmMs, CHILDREN));
runtime.on('event', ({ thread_id, event_type, criticality, sequence }) => {
  if (criticality === 'critical' && sequence !== undefined) show(`event ${thread_id} ${sequence} ${event_type}`);
});
const parent = runtime.spawn('nursery', {}, { model: 'scripted:nursery', limits: { spawns: CHILDREN, spend: 100 } });
const roots = Array.from({ length: threads }, (_, index) => spawnFanOut(runtime, index));
await Promise.all([parent, ...roots].map(async (spawned) => follow(await spawned)));
await runtime.close();

async function follow({ id, result }: ThreadHandle): Promise<void> {
  show(`spawned ${id}`);
  show(`ended ${id} ${(await result).status}`);
}

/** Written at once: output to a pipe is synchronous on POSIX systems. */
function show(line: string): void {
  process.stdout.write(`${line}.\n`);
}

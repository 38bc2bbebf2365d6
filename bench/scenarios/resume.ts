import { collectGarbage } from '../garbage.ts';
import { sizesOr, type Job, type Measured, type Scenario } from '../job.ts';
import { hostMetrics, measurePhase } from '../phase.ts';
import { readBack, rowsPerThread } from '../read-back.ts';
import { createBenchProject, endlessScript, parkScript, startSkein } from '../skein-project.ts';
import { spawnFanOut } from '../spawn-threads.ts';
import type { ThreadHandle } from '../../src/index.ts';

const WARM_UP = 500;
const WAVE = 250;
/** How long the calls take after one of which a thread is suspended. */
const CALL_MS = 20;

/** N suspended threads are resumed at once: CPU and time until the last is done. */
export const resume: Scenario = {
  name: 'resume',
  contenders: ['skein'],
  cases: ({ threads, isLong }) =>
    sizesOr(threads, isLong ? [10_000] : [5_000]).map((count) => ({ threads: count, turns: 1, llmMs: 0 })),
  measure,
};

async function measure({ params, scratch }: Job): Promise<Measured> {
  using project = createBenchProject(scratch);
  await leaveSuspended(project.folder, params.threads + WARM_UP);
  // Another runtime: none of them is in its memory, and its model answers at once.
  const runtime = await startSkein(project.folder, { 'fan-out': parkScript(0) });
  const suspended = runtime.list({ status: ['suspended'], limit: params.threads + WARM_UP });
  const handles = suspended.map(({ id }) => runtime.thread(id));
  await finish(handles.slice(0, WARM_UP));
  await collectGarbage();
  const rest = handles.slice(WARM_UP);
  const { cpuUs, wallMs, host } = await measurePhase(() => finish(rest));
  await runtime.close();
  const found = await readBack(project.database, 'all');
  const { statuses, problems } = found;
  return {
    metrics: {
      cpu_per_thread: cpuUs / rest.length,
      wall: wallMs / 1_000,
      threads_per_second: rest.length / (wallMs / 1_000),
      ...hostMetrics(host),
      ...rowsPerThread(found),
    },
    problems: [
      ...problems,
      ...(statuses['completed'] === params.threads + WARM_UP ? [] : [`statuses are ${JSON.stringify(statuses)}`]),
    ],
  };
}

/** A runtime that leaves so many suspended threads. */
async function leaveSuspended(folder: string, threads: number): Promise<void> {
  await using runtime = await startSkein(folder, { 'fan-out': endlessScript(CALL_MS) });
  for (let left = threads; left > 0; left -= WAVE) {
    const wave = Array.from({ length: Math.min(WAVE, left) }, (_, index) => spawnFanOut(runtime, index));
    await Promise.all(wave.map(async (spawned) => (await spawned).suspend()));
  }
}

async function finish(handles: readonly ThreadHandle[]): Promise<void> {
  const endings: Promise<unknown>[] = [];
  for (let from = 0; from < handles.length; from += WAVE) {
    const resumed = await Promise.all(handles.slice(from, from + WAVE).map((handle) => handle.resume()));
    endings.push(...resumed.map(({ result }) => result));
  }
  await Promise.all(endings);
}

import { spawnFanOut } from '../contenders/skein.ts';
import { collectGarbage } from '../garbage.ts';
import { watchHost } from '../host-probe.ts';
import type { Job, Measured, Scenario } from '../job.ts';
import { createBenchProject, fanOutScript, startSkein } from '../skein-project.ts';
import type { Runtime, ThreadEnding } from '../../src/index.ts';

/** Spawns between two pauses, so that the bench's own loop is not what is measured. */
const CHUNK = 100;

/** The longest task on the host during a fan-out, by its own CPU time. */
export const host: Scenario = {
  name: 'host',
  contenders: ['skein'],
  cases: ({ threads, turns, llmMs }) =>
    (llmMs.length > 0 ? llmMs : [0, 100]).map((ms) => ({ threads: threads[0] ?? 10_000, turns, llmMs: ms })),
  measure,
};

async function measure({ params, scratch }: Job): Promise<Measured> {
  using project = createBenchProject(scratch);
  await using runtime = await startSkein(project.folder, { 'fan-out': fanOutScript(params.turns, params.llmMs) });
  await fanOut(runtime, 1_000);
  await collectGarbage();
  const watch = watchHost();
  const endings = await fanOut(runtime, params.threads);
  const { max, p99, share } = watch.stop();
  const failed = endings.filter(({ status }) => status !== 'completed').length;
  return {
    metrics: { host_task_max: max, host_task_p99: p99, host_cpu_share: share },
    problems: failed > 0 ? [`${failed} threads did not complete`] : [],
  };
}

async function fanOut(runtime: Runtime, threads: number): Promise<ThreadEnding[]> {
  const endings: Promise<ThreadEnding>[] = [];
  for (let from = 0; from < threads; from += CHUNK) {
    const wave = Array.from({ length: Math.min(CHUNK, threads - from) }, (_, index) =>
      spawnFanOut(runtime, from + index),
    );
    for (const handle of await Promise.all(wave)) endings.push(handle.result);
  }
  return Promise.all(endings);
}

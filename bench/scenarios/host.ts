import { collectGarbage } from '../garbage.ts';
import { watchHost } from '../host-probe.ts';
import type { Job, Measured, Scenario } from '../job.ts';
import { createBenchProject, fanOutScript, startSkein } from '../skein-project.ts';
import { spawnFanOut, spawnInWaves } from '../spawn-threads.ts';
import type { Runtime, ThreadEnding } from '../../src/index.ts';

const WAVE = 100;

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
  const handles = await spawnInWaves({ threads, wave: WAVE, spawn: (index) => spawnFanOut(runtime, index) });
  return Promise.all(handles.map(({ result }) => result));
}

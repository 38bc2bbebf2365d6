import { sizesOr, type Job, type Measured, type Scenario } from '../job.ts';
import { hostMetrics, measurePhase } from '../phase.ts';
import { readBack, rowsPerThread } from '../read-back.ts';
import { createBenchProject, fanOutScript, SPAWN, startSkein } from '../skein-project.ts';
import { spawnInWaves } from '../spawn-threads.ts';
import type { Runtime, ThreadEnding, ThreadHandle } from '../../src/index.ts';

const STAGES = 3;
const WARM_UP = 200;
const WAVE = 100;

/**
 * N pipelines at once: a thread that runs three others, one after the other, each with what the one before has come to.
 * It leaves its place while it waits.
 */
export const pipeline: Scenario = {
  name: 'pipeline',
  contenders: ['skein'],
  cases: ({ threads, turns, llmMs }) =>
    sizesOr(threads, [1_000]).flatMap((count) =>
      sizesOr(llmMs, [0]).map((ms) => ({ threads: count, turns, llmMs: ms, variant: `${STAGES} stages` })),
    ),
  measure,
};

async function measure({ params, scratch }: Job): Promise<Measured> {
  const { threads: pipelines, turns, llmMs } = params;
  using project = createBenchProject(scratch);
  const scripts = { 'fan-out': fanOutScript(turns, llmMs), line: lineScript(llmMs) };
  const runtime = await startSkein(project.folder, scripts);
  await run(runtime, WARM_UP);
  const { value: endings, cpuUs, wallMs, host } = await measurePhase(() => run(runtime, pipelines));
  await runtime.close();
  const found = await readBack(project.database, 'all');
  const { statuses, problems } = found;
  const failed = endings.filter(({ status }) => status !== 'completed').length;
  const expected = (pipelines + WARM_UP) * (STAGES + 1);
  return {
    metrics: {
      cpu_per_thread: cpuUs / (pipelines * (STAGES + 1)),
      wall: wallMs / 1_000,
      pipelines_per_second: pipelines / (wallMs / 1_000),
      ...hostMetrics(host),
      ...rowsPerThread(found),
    },
    problems: [
      ...problems,
      ...(failed > 0 ? [`${failed} pipelines did not complete`] : []),
      ...(statuses['completed'] === expected ? [] : [JSON.stringify(statuses)]),
    ],
  };
}

function lineScript(llmMs: number): Record<string, unknown> {
  const stage = (topic: string): object => ({
    name: SPAWN,
    input: {
      directive_name: 'fan-out',
      model: 'scripted:fan-out',
      inputs: { topic },
      limit_overrides: { spend: 0.25 },
    },
  });
  const rules = Array.from({ length: STAGES }, (_, index) => ({
    turn: index + 1,
    tool_calls: [stage(index === 0 ? 'the beginning' : '${last.result.result}')],
    delay_ms: llmMs,
  }));
  return { rules: [...rules, { text: 'The last stage has ended.', delay_ms: llmMs }] };
}

async function run(runtime: Runtime, pipelines: number): Promise<ThreadEnding[]> {
  const options = { model: 'scripted:line', limits: { spawns: STAGES, spend: 2 } };
  const spawn = (): Promise<ThreadHandle> => runtime.spawn('nursery', {}, options);
  const handles = await spawnInWaves({ threads: pipelines, wave: WAVE, spawn });
  return await Promise.all(handles.map(({ result }) => result));
}

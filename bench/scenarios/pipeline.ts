import { BRIEF, takesSize, type LibrarySource } from '../contenders/contender.ts';
import { NOTHING_STORED } from '../contenders/in-memory.ts';
import { SIZE_OPTIONS, sizesOr, wantsAll, type Job, type Measured, type Scenario } from '../job.ts';
import { measureRounds, type RoundCost } from '../nested-threads.ts';
import { hostMetrics, measureCpu, measurePhase } from '../phase.ts';
import { pipelinesOfLibrary } from '../pipeline-library.ts';
import { readBack, rowsPerThread } from '../read-back.ts';
import { createBenchProject, fanOutScript, SPAWN, startSkein } from '../skein-project.ts';
import { spawnInWaves, WAVE } from '../spawn-threads.ts';
import type { Runtime, ThreadEnding, ThreadHandle } from '../../src/index.ts';

const STAGES = 3;
/** Most pipelines that anybody but Skein runs where nobody is asked for by name: 10,000 threads. The slowest have a limit of their own. */
const MOST_OF_LIBRARIES = 10_000 / (STAGES + 1);

/**
 * N pipelines at once: a thread that runs three others, one after the other, each with what the one before has come to.
 * It leaves its place while it waits.
 */
export function pipeline(libraries: LibrarySource): Scenario {
  return {
    name: 'pipeline',
    contenders: ['skein', ...libraries.names],
    takes: SIZE_OPTIONS,
    cases: ({ threads, turns, llmMs }) =>
      sizesOr(threads, [1_000]).flatMap((count) =>
        sizesOr(llmMs, [0]).map((ms) => ({ threads: count, turns, llmMs: ms, variant: `${STAGES} stages` })),
      ),
    takesPart(contender, { threads: pipelines }, asked) {
      if (contender === 'skein') return true;
      if (pipelines > MOST_OF_LIBRARIES) return false;
      return takesSize(contender, pipelines, asked) && (wantsAll(asked) || BRIEF.has(contender));
    },
    async measure(job) {
      if (job.contender === 'skein') return measureSkein(job);
      const { threads: pipelines, turns, llmMs } = job.params;
      const taken = await pipelinesOfLibrary(await libraries.load(job.contender), {
        pipelines,
        stages: STAGES,
        turns,
        llmMs,
      });
      return { metrics: { ...figuresOf(taken, pipelines), ...NOTHING_STORED }, problems: [] };
    },
  };
}

async function measureSkein({ params, scratch }: Job): Promise<Measured> {
  const { threads: pipelines, turns, llmMs } = params;
  using project = createBenchProject(scratch);
  const scripts = { 'fan-out': fanOutScript(turns, llmMs), line: lineScript(llmMs) };
  const runtime = await startSkein(project.folder, scripts);
  let ended = 0;
  let failed = 0;
  const round = async (): Promise<void> => {
    const endings = await run(runtime, pipelines);
    ended += endings.length;
    failed += endings.filter(({ status }) => status !== 'completed').length;
  };
  const taken = await measureRounds(round);
  // Once more, since it costs something to watch.
  const { host } = await measurePhase(round);
  const { cpuUs: closeUs } = await measureCpu(() => runtime.close());
  const found = await readBack(project.database, 'all');
  const { statuses, problems } = found;
  return {
    metrics: {
      ...figuresOf(taken, pipelines),
      ...hostMetrics(host),
      ...rowsPerThread(found),
      close_cpu: closeUs / 1e3,
    },
    problems: [
      ...problems,
      ...(failed > 0 ? [`${failed} pipelines did not complete`] : []),
      ...(statuses['completed'] === ended * (STAGES + 1) ? [] : [JSON.stringify(statuses)]),
    ],
  };
}

function figuresOf({ cpuUs, wallMs }: RoundCost, pipelines: number): Record<string, number> {
  return {
    cpu_per_thread: cpuUs / (pipelines * (STAGES + 1)),
    wall: wallMs / 1_000,
    pipelines_per_second: pipelines / (wallMs / 1_000),
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

import type { Library, LibrarySource } from '../contenders/contender.ts';
import { sizesOr, type Job, type Measured, type Params, type Scenario } from '../job.ts';
import { answerIn, measureNested, nestedThreads, NOTHING_STORED, toolRunning, type Phase } from '../nested-threads.ts';
import { hostMetrics, measurePhase, type Taken } from '../phase.ts';
import { readBack, rowsPerThread } from '../read-back.ts';
import { createBenchProject, fanOutScript, SPAWN, startSkein } from '../skein-project.ts';
import { spawnInWaves } from '../spawn-threads.ts';
import { answerOf, fanOutWork } from '../workload.ts';
import type { Runtime, ThreadEnding, ThreadHandle } from '../../src/index.ts';

const STAGES = 3;
const WARM_UP = 200;
const WAVE = 100;

/** Who takes no part where it is not to take long. */
const LONG_ONLY = new Set(['p-limit', 'openai-agents', 'langgraph-bare', 'langgraph', 'mastra']);

/**
 * N pipelines at once: a thread that runs three others, one after the other, each with what the one before has come to.
 * It leaves its place while it waits.
 */
export function pipeline(libraries: LibrarySource): Scenario {
  return {
    name: 'pipeline',
    contenders: ['skein', ...libraries.names],
    cases: ({ threads, turns, llmMs }) =>
      sizesOr(threads, [1_000]).flatMap((count) =>
        sizesOr(llmMs, [0]).map((ms) => ({ threads: count, turns, llmMs: ms, variant: `${STAGES} stages` })),
      ),
    takesPart: (contender, _params, { threads, isLong }) => isLong || threads.length > 0 || !LONG_ONLY.has(contender),
    async measure(job) {
      if (job.contender === 'skein') return measureSkein(job);
      return measureLibrary(await libraries.load(job.contender), job.params);
    },
  };
}

async function measureSkein({ params, scratch }: Job): Promise<Measured> {
  const { threads: pipelines, turns, llmMs } = params;
  using project = createBenchProject(scratch);
  const scripts = { 'fan-out': fanOutScript(turns, llmMs), line: lineScript(llmMs) };
  const runtime = await startSkein(project.folder, scripts);
  await run(runtime, WARM_UP);
  const taken = await measurePhase(() => run(runtime, pipelines));
  await runtime.close();
  const found = await readBack(project.database, 'all');
  const { statuses, problems } = found;
  const failed = taken.value.filter(({ status }) => status !== 'completed').length;
  const expected = (pipelines + WARM_UP) * (STAGES + 1);
  return {
    metrics: {
      ...figuresOf(taken, pipelines),
      ...hostMetrics(taken.host),
      ...rowsPerThread(found),
    },
    problems: [
      ...problems,
      ...(failed > 0 ? [`${failed} pipelines did not complete`] : []),
      ...(statuses['completed'] === expected ? [] : [JSON.stringify(statuses)]),
    ],
  };
}

function figuresOf({ cpuUs, wallMs }: Taken<unknown>, pipelines: number): Record<string, number> {
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

/**
 * The same with a library: an agent whose tool runs the next stage. What a stage comes to is known, so the model that passes it on
 * has it in its answers.
 */
async function measureLibrary(library: Library, { threads, turns, llmMs }: Params): Promise<Measured> {
  const count = { ended: 0 };
  const stage = nestedThreads(library, fanOutWork({ turns, llmMs }), count);
  const passedOn = answerOf(turns, turns).text;
  const work = {
    turns: STAGES + 1,
    llmMs,
    answerOf: (turn: number) =>
      turn > STAGES
        ? answerIn(turn, 'The last stage has ended.')
        : answerIn(turn, '', [{ word: turn === 1 ? 'the beginning' : passedOn }]),
    callTool: toolRunning(stage),
  };
  const line = nestedThreads(library, work, count);
  const phase = (pipelines: number): Phase => ({
    threads: pipelines * (STAGES + 1),
    roots: pipelines,
    run: () =>
      Promise.all(Array.from({ length: pipelines }, (_, index) => line(`Start the threads, then wait: ${index}`))),
  });
  const taken = await measureNested(library, { count, warmUp: phase(WARM_UP), measured: phase(threads) });
  return { metrics: { ...figuresOf(taken, threads), ...NOTHING_STORED }, problems: [] };
}

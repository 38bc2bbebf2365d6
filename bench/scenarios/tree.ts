import type { Library, LibrarySource } from '../contenders/contender.ts';
import { sizesOr, type Job, type Measured, type Scenario } from '../job.ts';
import {
  answerIn,
  measureNested,
  nestedThreads,
  NOTHING_STORED,
  toolRunning,
  type Count,
  type Phase,
  type RunNested,
} from '../nested-threads.ts';
import { hostMetrics, measurePhase, type Taken } from '../phase.ts';
import { readBack, rowsPerThread } from '../read-back.ts';
import { createBenchProject, ORCHESTRATE, parkScript, SPAWN, startSkein } from '../skein-project.ts';
import { lookUp } from '../workload.ts';
import type { Runtime } from '../../src/index.ts';

const DEPTH = 4;
const FAN_OUT = 10;
/** USD that the worst case of a thread's own calls stays below. */
const OWN_SPEND = 1;

/** Who takes no part where it is not to take long. */
const LONG_ONLY = new Set(['p-limit', 'openai-agents', 'langgraph-bare', 'langgraph', 'mastra']);

/** Threads that start threads, four levels deep: each starts ten, waits for them, and ends. One thread is the caller's. */
export function tree(libraries: LibrarySource): Scenario {
  return {
    name: 'tree',
    contenders: ['skein', ...libraries.names],
    cases: ({ llmMs }) =>
      sizesOr(llmMs, [0]).map((ms) => ({ threads: sizeOf(DEPTH), turns: 1, llmMs: ms, variant: `${DEPTH} levels` })),
    takesPart: (contender, _params, { isLong }) => isLong || !LONG_ONLY.has(contender),
    async measure(job) {
      if (job.contender === 'skein') return measureSkein(job);
      return measureLibrary(await libraries.load(job.contender), job.params.llmMs);
    },
  };
}

/** Threads of a tree with so many levels below its root. */
function sizeOf(levels: number): number {
  return levels === 0 ? 1 : 1 + FAN_OUT * sizeOf(levels - 1);
}

async function measureSkein({ params, scratch }: Job): Promise<Measured> {
  using project = createBenchProject(scratch);
  const levels = Array.from({ length: DEPTH + 1 }, (_, levels) => [nameOf(levels), scriptOf(levels, params.llmMs)]);
  const runtime = await startSkein(project.folder, Object.fromEntries(levels));
  await grow(runtime, DEPTH - 1);
  const taken = await measurePhase(() => grow(runtime, DEPTH));
  await runtime.close();
  const found = await readBack(project.database, 'all');
  const { threads, statuses, problems } = found;
  const expected = sizeOf(DEPTH) + sizeOf(DEPTH - 1);
  return {
    metrics: {
      ...figuresOf(taken, params.threads),
      ...hostMetrics(taken.host),
      ...rowsPerThread(found),
    },
    problems: [
      ...problems,
      ...(taken.value === 'completed' ? [] : [`the root is ${taken.value}`]),
      ...(statuses['completed'] === expected && threads === expected ? [] : [JSON.stringify(statuses)]),
    ],
  };
}

function figuresOf({ cpuUs, wallMs }: Taken<unknown>, threads: number): Record<string, number> {
  return {
    cpu_per_thread: cpuUs / threads,
    wall: wallMs / 1_000,
    threads_per_second: threads / (wallMs / 1_000),
  };
}

async function grow(runtime: Runtime, levels: number): Promise<string> {
  const limits = { spawns: sizeOf(levels), spend: spendOf(levels), depth: DEPTH };
  const root = await runtime.spawn('nursery', {}, { model: `scripted:${nameOf(levels)}`, limits });
  return (await root.result).status;
}

function nameOf(levels: number): string {
  return levels === 0 ? 'leaf' : `above-${levels}`;
}

function spendOf(levels: number): number {
  return OWN_SPEND * sizeOf(levels);
}

function scriptOf(levels: number, llmMs: number): Record<string, unknown> {
  if (levels === 0) return parkScript(llmMs);
  const below = levels - 1;
  const input = {
    directive_name: below === 0 ? 'park' : 'nursery',
    model: `scripted:${nameOf(below)}`,
    async_exec: true,
    limit_overrides: { spawns: sizeOf(below), spend: spendOf(below) },
  };
  const collect = { ids: { over: '${last.results}', as: 'one', value: '${one.thread_id}' } };
  const wait = { name: ORCHESTRATE, input: { operation: 'wait_threads', thread_ids: '${collected.ids}' } };
  const usage = { output_tokens: 100 };
  return {
    rules: [
      { turn: 1, tool_calls: Array.from({ length: FAN_OUT }, () => ({ name: SPAWN, input })), usage, delay_ms: llmMs },
      { turn: 2, collect, tool_calls: [wait], usage, delay_ms: llmMs },
      { text: 'All of them have ended.', delay_ms: llmMs },
    ],
  };
}

/** The same with a library: an agent whose tool runs ten others of the level below. It needs no turn to wait for them. */
async function measureLibrary(library: Library, llmMs: number): Promise<Measured> {
  const count = { ended: 0 };
  const phase = (levels: number): Phase => {
    const run = threadsAt(levels, { library, llmMs, count });
    return { threads: sizeOf(levels), roots: 1, run: () => run('Start the threads, then wait.') };
  };
  const measured = phase(DEPTH);
  const taken = await measureNested(library, { count, warmUp: phase(DEPTH - 1), measured });
  return { metrics: { ...figuresOf(taken, measured.threads), ...NOTHING_STORED }, problems: [] };
}

type Growing = { readonly library: Library; readonly llmMs: number; readonly count: Count };

function threadsAt(levels: number, growing: Growing): RunNested {
  const { library, llmMs, count } = growing;
  if (levels === 0) {
    const answerOf = (turn: number) => answerIn(turn, 'Done.');
    return nestedThreads(library, { turns: 1, llmMs, answerOf, callTool: lookUp }, count);
  }
  const inputs = Array.from({ length: FAN_OUT }, (_, index) => ({ word: `Wait: ${index}` }));
  const work = {
    turns: 2,
    llmMs,
    answerOf: (turn: number) =>
      turn === 1 ? answerIn(turn, 'Ten of them.', inputs) : answerIn(turn, 'All of them have ended.'),
    callTool: toolRunning(threadsAt(levels - 1, growing)),
  };
  return nestedThreads(library, work, count);
}

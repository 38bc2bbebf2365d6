import { BRIEF, type LibrarySource } from '../contenders/contender.ts';
import { NOTHING_STORED } from '../contenders/in-memory.ts';
import { sizesOr, type Job, type Measured, type Scenario } from '../job.ts';
import { measureRounds, type RoundCost } from '../nested-threads.ts';
import { hostMetrics, measureCpu, measurePhase } from '../phase.ts';
import { readBack, rowsPerThread } from '../read-back.ts';
import { createBenchProject, ORCHESTRATE, parkScript, SPAWN, startSkein } from '../skein-project.ts';
import { treeOfLibrary } from '../tree-library.ts';
import type { Runtime } from '../../src/index.ts';

const DEPTH = 4;
const FAN_OUT = 10;
/** Threads of a tree. */
const SIZE = sizeOf(DEPTH);
/** USD that the worst case of a thread's own calls stays below. */
const OWN_SPEND = 1;

/** Threads that start threads, four levels deep: each starts ten, waits for them, and ends. One thread is the caller's. */
export function tree(libraries: LibrarySource): Scenario {
  return {
    name: 'tree',
    contenders: ['skein', ...libraries.names],
    takes: ['llm'],
    cases: ({ llmMs }) =>
      sizesOr(llmMs, [0]).map((ms) => ({ threads: SIZE, turns: 1, llmMs: ms, variant: `${DEPTH} levels` })),
    takesPart: (contender, _params, { isLong }) => isLong || BRIEF.has(contender),
    async measure(job) {
      if (job.contender === 'skein') return measureSkein(job);
      const shape = { levels: DEPTH, fanOut: FAN_OUT, threads: SIZE, llmMs: job.params.llmMs };
      const taken = await treeOfLibrary(await libraries.load(job.contender), shape);
      return { metrics: { ...figuresOf(taken), ...NOTHING_STORED }, problems: [] };
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
  const roots: string[] = [];
  const run = async (): Promise<void> => void roots.push(await grow(runtime));
  const taken = await measureRounds(run);
  // Once more, since it costs something to watch.
  const { host } = await measurePhase(run);
  const { cpuUs: closeUs } = await measureCpu(() => runtime.close());
  const found = await readBack(project.database, 'all');
  const { threads, statuses, problems } = found;
  const expected = roots.length * SIZE;
  return {
    metrics: { ...figuresOf(taken), ...hostMetrics(host), ...rowsPerThread(found), close_cpu: closeUs / 1e3 },
    problems: [
      ...problems,
      ...roots.filter((status) => status !== 'completed').map((status) => `a root is ${status}`),
      ...(statuses['completed'] === expected && threads === expected ? [] : [JSON.stringify(statuses)]),
    ],
  };
}

function figuresOf({ cpuUs, wallMs }: RoundCost): Record<string, number> {
  return { cpu_per_thread: cpuUs / SIZE, wall: wallMs / 1_000, threads_per_second: SIZE / (wallMs / 1_000) };
}

async function grow(runtime: Runtime): Promise<string> {
  const limits = { spawns: SIZE, spend: spendOf(DEPTH), depth: DEPTH };
  const root = await runtime.spawn('nursery', {}, { model: `scripted:${nameOf(DEPTH)}`, limits });
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

import { sizesOr, type Job, type Measured, type Scenario } from '../job.ts';
import { hostMetrics, measurePhase } from '../phase.ts';
import { readBack, rowsPerThread } from '../read-back.ts';
import { createBenchProject, ORCHESTRATE, parkScript, SPAWN, startSkein } from '../skein-project.ts';
import type { Runtime } from '../../src/index.ts';

const DEPTH = 4;
const FAN_OUT = 10;
/** USD that the worst case of a thread's own calls stays below. */
const OWN_SPEND = 1;

/** Threads that start threads, four levels deep: each starts ten, waits for them, and ends. One thread is the caller's. */
export const tree: Scenario = {
  name: 'tree',
  contenders: ['skein'],
  cases: ({ llmMs }) =>
    sizesOr(llmMs, [0]).map((ms) => ({ threads: sizeOf(DEPTH), turns: 1, llmMs: ms, variant: `${DEPTH} levels` })),
  measure,
};

/** Threads of a tree with so many levels below its root. */
function sizeOf(levels: number): number {
  return levels === 0 ? 1 : 1 + FAN_OUT * sizeOf(levels - 1);
}

async function measure({ params, scratch }: Job): Promise<Measured> {
  using project = createBenchProject(scratch);
  const levels = Array.from({ length: DEPTH + 1 }, (_, levels) => [nameOf(levels), scriptOf(levels, params.llmMs)]);
  const runtime = await startSkein(project.folder, Object.fromEntries(levels));
  await grow(runtime, DEPTH - 1);
  const { value, cpuUs, wallMs, host } = await measurePhase(() => grow(runtime, DEPTH));
  await runtime.close();
  const found = await readBack(project.database, 'all');
  const { threads, statuses, problems } = found;
  const expected = sizeOf(DEPTH) + sizeOf(DEPTH - 1);
  return {
    metrics: {
      cpu_per_thread: cpuUs / params.threads,
      wall: wallMs / 1_000,
      threads_per_second: params.threads / (wallMs / 1_000),
      ...hostMetrics(host),
      ...rowsPerThread(found),
    },
    problems: [
      ...problems,
      ...(value === 'completed' ? [] : [`the root is ${value}`]),
      ...(statuses['completed'] === expected && threads === expected ? [] : [JSON.stringify(statuses)]),
    ],
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

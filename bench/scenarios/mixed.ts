import { setImmediate } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { loadConfig } from '../../src/config/load.ts';
import { createAcknowledged } from '../../test/simulation/acknowledged.ts';
import { startIncarnation, type Incarnation } from '../../test/simulation/incarnation.ts';
import { createWorld, type World } from '../../test/simulation/world.ts';
import type { Job, Measured, Scenario } from '../job.ts';
import { createRandom } from '../random.ts';
import { createBenchProject, ORCHESTRATE, parkScript, SPAWN } from '../skein-project.ts';

const SLOTS = 8;
const SMALL = 3;
const HOUR_MS = 3_600_000;
const SHORT_MS = 10_000;
/** The small parent comes when the big one's children have taken every slot. */
const LATER_MS = 600_000;
/** More than anything here lasts. */
const FOREVER = 1_000_000;
const SYSTEM_DIR = fileURLToPath(new URL('../../config', import.meta.url));

/**
 * A parent with N children, half of which take an hour, in eight slots; ten minutes later one with three children of ten
 * seconds. How long the small one waits, in hours of a simulated clock: the shipped host, store and workers, in one thread,
 * where a seed decides in which order messages come (ADR 44).
 */
export const mixed: Scenario = {
  name: 'mixed',
  contenders: ['skein'],
  cases: ({ threads }) => [{ threads: threads[0] ?? 200, turns: 1, llmMs: HOUR_MS }],
  measure,
};

async function measure({ params, scratch }: Job): Promise<Measured> {
  using project = createBenchProject(scratch);
  const world = createWorld(createRandom(1));
  const problems: string[] = [];
  const life = await startIncarnation({
    world,
    path: project.database,
    workload: workloadIn(project.folder, params.threads),
    acknowledged: createAcknowledged(),
    plant: undefined,
    problem: ({ code, message }) => void problems.push(`${code}: ${message}`),
  });
  const big = await finish(world, () => start(life, 'big', params.threads));
  await pass(world, LATER_MS);
  const small = await finish(world, () => start(life, 'small', SMALL));
  const from = world.now();
  const smallEnding = await finish(world, () => small.result);
  const waited = world.now() - from;
  const bigEnding = await finish(world, () => big.result);
  const all = world.now() - from;
  // It never rejects.
  void life.runtime.close({ graceMs: 0 });
  while (!life.isOver() && world.step(FOREVER)) await setImmediate();
  for (const { status } of [smallEnding, bigEnding]) if (status !== 'completed') problems.push(`a parent is ${status}`);
  return { metrics: { small_wait: waited / HOUR_MS, big_wait: all / HOUR_MS }, problems };
}

function start({ runtime }: Incarnation, script: string, children: number): ReturnType<typeof runtime.spawn> {
  const limits = { spawns: children, spend: 10 * children, duration_seconds: FOREVER };
  return runtime.spawn('nursery', {}, { model: `scripted:${script}`, limits });
}

/** Lets the world go on until something is there. */
async function finish<Value>(world: World, begin: () => Promise<Value>): Promise<Value> {
  const over = new AbortController();
  const value = begin().finally(() => over.abort());
  while (!over.signal.aborted) {
    if (!world.step(FOREVER * 1_000)) throw new Error('nothing more happens');
    await setImmediate();
  }
  return await value;
}

/** Lets so much time pass. */
async function pass(world: World, ms: number): Promise<void> {
  const end = world.now() + ms;
  while (world.now() < end && world.step(FOREVER * 1_000)) await setImmediate();
}

type Workload = Parameters<typeof startIncarnation>[0]['workload'];

function workloadIn(projectPath: string, children: number): Workload {
  const price = { input: 3, output: 15, cache_read: 0.3, cache_write: 3.75 };
  const model = { provider: 'scripted', context_window: 1_000_000_000, price };
  const scripts = {
    hour: parkScript(HOUR_MS),
    short: parkScript(SHORT_MS),
    big: parentScript(Array.from({ length: children }, (_, index) => (index % 2 === 0 ? 'hour' : 'short'))),
    small: parentScript(Array.from({ length: SMALL }, () => 'short')),
  };
  const { config } = loadConfig({
    systemDir: SYSTEM_DIR,
    projectDir: projectPath,
    overrides: {
      agent: {
        models: Object.fromEntries(Object.keys(scripts).map((name) => [name, model])),
        trust: { project: 'off', system: 'off' },
      },
      resilience: {
        coordination: { wait_timeout_seconds: FOREVER, worker_heartbeat_seconds: 0, max_wait_thread_ids: children },
        concurrency: { max_total_threads: SLOTS, max_concurrent_children: children },
        limits: { defaults: { duration_seconds: FOREVER } },
      },
    },
  });
  return { projectPath, systemDir: SYSTEM_DIR, config, scripts, tools: () => [], hooks: () => undefined };
}

function parentScript(children: readonly string[]): Record<string, unknown> {
  const input = { directive_name: 'park', async_exec: true };
  const collect = { ids: { over: '${last.results}', as: 'one', value: '${one.thread_id}' } };
  const wait = { name: ORCHESTRATE, input: { operation: 'wait_threads', thread_ids: '${collected.ids}' } };
  const usage = { output_tokens: 100 };
  return {
    rules: [
      {
        turn: 1,
        tool_calls: children.map((name) => ({ name: SPAWN, input: { ...input, model: `scripted:${name}` } })),
        usage,
      },
      { turn: 2, collect, tool_calls: [wait], usage },
      { text: 'All of them have ended.' },
    ],
  };
}

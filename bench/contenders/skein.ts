/*
 * Skein through its public API: a temporary project, one thread a spawn, the scripted model, a registered tool loaded
 * in the workers, everything on and durable. After the run the runtime is closed and its database is read back.
 */
import { setImmediate } from 'node:timers/promises';
import type { Runtime, ThreadHandle } from '../../src/index.ts';
import { readBack, type ReadBack } from '../read-back.ts';
import { createBenchProject, fanOutScript, startSkein, type BenchProject } from '../skein-project.ts';
import { spawnFanOut } from '../spawn-threads.ts';
import type { Contender, ContenderSetup } from './contender.ts';

/** Threads that are asked for in one turn of the event loop. */
const WAVE = 100;

/** Nano-USD by thread id, as the handles' endings say. */
type Costs = Map<string, number>;

/** Makes the contender. */
export async function createSkein({ params, scratch }: ContenderSetup): Promise<Contender> {
  const { turns, llmMs } = params;
  const project = createBenchProject(scratch);
  const runtime = await startSkein(project.folder, { 'fan-out': fanOutScript(turns, llmMs) });
  let costs: Costs = new Map();
  return {
    async run(threads) {
      costs = new Map();
      const endings: Promise<void>[] = [];
      for (let index = 0; index < threads; index++) {
        endings.push(follow(spawnFanOut(runtime, index), turns, costs));
        // So that the caller's own loop is not the longest task on the host.
        if (endings.length % WAVE === 0) await setImmediate();
      }
      await Promise.all(endings);
    },
    inspect: () => inspect(runtime, project, costs),
    async [Symbol.asyncDispose]() {
      await runtime.close();
      project[Symbol.dispose]();
    },
  };
}

async function follow(spawned: Promise<ThreadHandle>, turns: number, costs: Costs): Promise<void> {
  const { id, result } = await spawned;
  const { status, cost, error } = await result;
  if (status !== 'completed' || cost.turns !== turns)
    throw new Error(`${id} is ${status} after ${cost.turns} turns: ${error?.message ?? ''}`);
  costs.set(id, Math.round(cost.spend * 1e9));
}

async function inspect(
  runtime: Runtime,
  project: BenchProject,
  costs: Costs,
): Promise<{ metrics: Record<string, number>; problems: string[] }> {
  const { workers } = await runtime.view();
  const recorded = workers.reduce((sum, worker) => sum + worker.events, 0);
  const before = process.cpuUsage();
  await runtime.close();
  const { user, system } = process.cpuUsage(before);
  const all = await readBack(project.database, 'all');
  const measured = await readBack(project.database, new Set(costs.keys()));
  const lost = recorded - all.events;
  const moneyDifference = measured.moneyDifference + differenceToHandles(measured, costs);
  return {
    metrics: {
      ...perThread(measured),
      events_lost: lost,
      money_difference: moneyDifference,
      close_cpu: (user + system) / 1e3,
    },
    problems: [
      ...measured.problems,
      ...(lost === 0 ? [] : [`${lost} of ${recorded} recorded events are not in the database`]),
      ...(moneyDifference === 0 ? [] : [`money differs by ${moneyDifference} nano-USD`]),
      ...(measured.statuses['completed'] === costs.size ? [] : [`statuses ${JSON.stringify(measured.statuses)}`]),
    ],
  };
}

function perThread({ threads, events, eventBytes, ledgerRows, checkpoints }: ReadBack): Record<string, number> {
  return {
    events_per_thread: events / threads,
    event_bytes_per_thread: eventBytes / threads,
    ledger_rows_per_thread: ledgerRows / threads,
    checkpoints_per_thread: checkpoints / threads,
  };
}

function differenceToHandles({ spendByThread }: ReadBack, costs: Costs): number {
  let difference = 0;
  for (const [id, cost] of costs) difference += Math.abs(cost - (spendByThread.get(id) ?? 0));
  return difference;
}

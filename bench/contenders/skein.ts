/*
 * Skein through its public API: a temporary project, one thread a spawn, the scripted model, a registered tool loaded
 * in the workers, everything on and durable. At the end the runtime is closed, its database is read back, and every thread of
 * every run is looked at.
 */
import { setImmediate } from 'node:timers/promises';
import type { StoredEvent } from '../../src/core/events.ts';
import type { Runtime, ThreadHandle } from '../../src/index.ts';
import { readBack, rowsPerThread, type ReadBack } from '../read-back.ts';
import { createBenchProject, fanOutScript, startSkein, type BenchProject } from '../skein-project.ts';
import { spawnFanOut, WAVE } from '../spawn-threads.ts';
import { fanOutWork, lookUp, type Work } from '../workload.ts';
import type { Contender, ContenderSetup, Finished } from './contender.ts';
import { outcomeOf, problemOf } from './outcome.ts';

/** What a thread cost, as its handle says. */
type Cost = { readonly id: string; readonly nanoUsd: number };

/** Makes the contender. */
export async function createSkein({ params, scratch }: ContenderSetup): Promise<Contender> {
  const work = fanOutWork(params);
  const project = createBenchProject(scratch);
  const runtime = await startSkein(project.folder, { 'fan-out': fanOutScript(params.turns, params.llmMs) });
  // Of all runs: each is looked at. Lists by wave, since a map of all of them that grows is a task of 10 and 20 ms on the host.
  const costs: (readonly Cost[])[] = [];
  let started = 0;
  return {
    async run(threads) {
      const waves: Promise<readonly Cost[]>[] = [];
      for (let left = threads; left > 0; left -= WAVE) {
        const wave = Array.from({ length: Math.min(WAVE, left) }, () => spawnFanOut(runtime, started++));
        waves.push(Promise.all(wave.map((spawned) => follow(spawned, work))));
        // So that neither the caller's own loop nor what it takes to wait for all of them is the longest task on the host.
        await setImmediate();
      }
      costs.push(...(await Promise.all(waves)));
    },
    inspect: () => inspect(runtime, { project, work, costs: costs.flat() }),
    async [Symbol.asyncDispose]() {
      await runtime.close();
      project[Symbol.dispose]();
    },
  };
}

async function follow(spawned: Promise<ThreadHandle>, { turns, answerOf }: Work): Promise<Cost> {
  const { id, result } = await spawned;
  const { status, text, cost, error } = await result;
  if (status !== 'completed' || cost.turns !== turns || text !== answerOf(turns).text)
    throw new Error(`${id} is ${status} after ${cost.turns} turns: ${error?.message ?? text}`);
  return { id, nanoUsd: Math.round(cost.spend * 1e9) };
}

type Ran = { readonly project: BenchProject; readonly work: Work; readonly costs: readonly Cost[] };

async function inspect(
  runtime: Runtime,
  { project, work, costs }: Ran,
): Promise<{ metrics: Record<string, number>; problems: string[] }> {
  const { workers } = await runtime.view();
  const recorded = workers.reduce((sum, worker) => sum + worker.events, 0);
  const before = process.cpuUsage();
  await runtime.close();
  const { user, system } = process.cpuUsage(before);
  const expected = outcomeOf(work);
  const found = await readBack(project.database, 'all', (events) => {
    const problem = problemOf(finishedIn(events, work), expected);
    return problem === undefined ? [] : [problem];
  });
  const lost = recorded - found.events;
  const moneyDifference = found.moneyDifference + differenceToHandles(found, costs);
  // Each handle's own, and of each thread one.
  const ids = new Set(costs.map(({ id }) => id));
  const areAllThere = [found.threads, found.statuses['completed'], ids.size].every((count) => count === costs.length);
  return {
    metrics: {
      ...rowsPerThread(found),
      events_lost: lost,
      money_difference: moneyDifference,
      close_cpu: (user + system) / 1e3,
    },
    problems: [
      ...found.problems,
      ...(lost === 0 ? [] : [`${lost} of ${recorded} recorded events are not in the database`]),
      ...(moneyDifference === 0 ? [] : [`money differs by ${moneyDifference} nano-USD`]),
      ...(areAllThere
        ? []
        : [
            `${costs.length} handles are of ${ids.size} threads, and the database has ${JSON.stringify(found.statuses)}`,
          ]),
    ],
  };
}

/** What a thread has come to, by what is stored of it. */
function finishedIn(events: readonly StoredEvent[], { answerOf }: Work): Finished {
  const answers = events.filter((event) => event.event_type === 'cognition_out');
  const results = events.filter((event) => event.event_type === 'tool_call_result');
  const isRight = ({ payload }: (typeof results)[number], index: number): boolean => {
    const [toolInput] = answerOf(index + 1).toolInputs;
    return toolInput !== undefined && payload.output === JSON.stringify(lookUp(toolInput));
  };
  const text = answers.at(-1)?.payload.text ?? '';
  return { answers: answers.length, toolResults: results.filter(isRight).length, text };
}

function differenceToHandles({ spendByThread }: ReadBack, costs: readonly Cost[]): number {
  return costs.reduce((sum, { id, nanoUsd }) => sum + Math.abs(nanoUsd - (spendByThread.get(id) ?? 0)), 0);
}

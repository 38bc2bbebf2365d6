/*
 * Skein with log and ledger off. The runtime has no such switch, and is not to have one: this puts the shipped parts
 * together in another way (`bare-skein.ts`), with a journal that encodes and keeps nothing, and a store that acknowledges
 * everything at the end of the tick. Host and threads share one thread, as in `plain`, so nothing is cloned on the way.
 *
 * What is left is everything else: the directive found, its permissions checked, prompt and hooks, the thread machine,
 * limits, prices, tool dispatch, admission, slots, fair queue, handles, and cancel. What is missing beside `skein`: event
 * lines, checkpoints, reservations, SQLite, validation of events (there are none), the ports between threads. Nothing of
 * it is durable, and a budget that more than one thread shares is not held.
 */
import type { Runtime } from '../../src/index.ts';
import { readBack } from '../read-back.ts';
import { benchOptions, createBenchProject, fanOutScript } from '../skein-project.ts';
import { spawnFanOut } from '../spawn-threads.ts';
import { answerOf } from '../workload.ts';
import { startBareSkein } from './bare-skein.ts';
import type { Contender, ContenderSetup } from './contender.ts';

/** Makes the contender. */
export async function createSkeinBare({ params, scratch }: ContenderSetup): Promise<Contender> {
  const { turns, llmMs } = params;
  const project = createBenchProject(scratch);
  const scripts = { 'fan-out': fanOutScript(turns, llmMs) };
  const options = benchOptions(project.folder, scripts, { trust: { system: 'off' } });
  const runtime = await startBareSkein({ ...options, env: {} });
  runtime.on('problem', (failure) => console.error(`skein reports: ${failure.code}: ${failure.message}`));
  let ran = 0;
  return {
    async run(threads) {
      const first = ran;
      ran += threads;
      await Promise.all(Array.from({ length: threads }, (_, index) => runThread(runtime, first + index, turns)));
    },
    async inspect() {
      await runtime.close();
      const { events, ledgerRows } = await readBack(project.database, 'all');
      return { metrics: { events_per_thread: events / ran, ledger_rows_per_thread: ledgerRows / ran }, problems: [] };
    },
    async [Symbol.asyncDispose]() {
      await runtime.close();
      project[Symbol.dispose]();
    },
  };
}

async function runThread(runtime: Runtime, index: number, turns: number): Promise<void> {
  const { id, result } = await spawnFanOut(runtime, index);
  const { status, text, cost, error } = await result;
  if (status !== 'completed' || cost.turns !== turns || text !== answerOf(turns, turns).text)
    throw new Error(`${id} is ${status} after ${cost.turns} turns: ${error?.message ?? ''}`);
}

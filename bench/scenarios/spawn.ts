import { collectGarbage, sleep } from '../garbage.ts';
import { PROBE_ARGUMENTS, startProbe } from '../isolates.ts';
import type { Job, Measured, Scenario } from '../job.ts';
import { PARK_MS, parkThreads, warmUp } from '../park.ts';
import { createBenchProject, parkScript, startSkein } from '../skein-project.ts';

/** Threads per measured window. */
const WINDOW = 1_000;
/** Windows around a tenth of the threads, and at the end, of which the median counts. */
const WINDOWS = 10;

/** What one more thread costs while many are live: CPU over all threads of the process, until it is in its model call. */
export const spawn: Scenario = {
  name: 'spawn',
  contenders: ['skein'],
  nodeArguments: PROBE_ARGUMENTS,
  cases: ({ threads }) =>
    (threads.length > 0 ? threads : [100_000]).map((count) => ({ threads: count, turns: 1, llmMs: PARK_MS })),
  measure,
};

async function measure({ params, scratch }: Job): Promise<Measured> {
  const probe = startProbe(PARK_MS);
  using project = createBenchProject(scratch);
  await using runtime = await startSkein(project.folder, { park: parkScript(PARK_MS) });
  await warmUp(runtime, probe, 5_000);
  await collectGarbage();
  await sleep(500);
  const windows: number[] = [];
  for (let live = 0; live < params.threads; live += WINDOW) {
    const before = process.cpuUsage();
    await parkThreads(runtime, probe, WINDOW);
    const { user, system } = process.cpuUsage(before);
    windows.push((user + system) / WINDOW);
  }
  console.error(`CPU per spawn by ${WINDOW}: ${windows.map(Math.round).join(' ')}`);
  const early = medianBefore(windows, params.threads / 10 / WINDOW + WINDOWS / 2);
  const late = medianBefore(windows, windows.length);
  await runtime.close({ graceMs: 0 });
  return {
    metrics: { spawn_early: early, spawn_late: late, spawn_ratio: late / early },
    problems: [],
  };
}

function medianBefore(windows: readonly number[], end: number): number {
  const taken = windows.slice(Math.max(0, end - WINDOWS), end).toSorted((a, b) => a - b);
  return taken[Math.floor(taken.length / 2)] ?? Number.NaN;
}

import { PROBE_ARGUMENTS, startProbe, type Probe } from './isolates.ts';
import { sizesOr, type Measured, type Scenario } from './job.ts';
import { createBenchProject, parkScript, startSkein } from './skein-project.ts';
import { spawnInWaves, WAVE } from './spawn-threads.ts';
import type { Runtime, ThreadHandle } from '../src/index.ts';

/** Milliseconds that a parked model call takes; an unusual number, since the probe counts timers of this length. */
const PARK_MS = 3_600_007;

/** Where threads are parked: each waits in its model call. */
export type ParkingLot = { readonly runtime: Runtime; readonly probe: Probe; readonly database: string };

/** A scenario of which all threads are parked. */
export type ParkScenario = {
  readonly name: string;
  /** Threads of a run, unless the command line says otherwise; `long`: of those that may take long. */
  readonly threads: readonly number[];
  readonly long: readonly number[];
  /** Threads that are parked and cancelled before. */
  readonly warmUp: number;
  readonly measure: (lot: ParkingLot, threads: number) => Promise<Measured>;
};

/** Makes the scenario: its cases, and a runtime that is warm when it is measured. */
export function parkScenario({ name, threads, long, warmUp: first, measure }: ParkScenario): Scenario {
  return {
    name,
    contenders: ['skein'],
    nodeArguments: PROBE_ARGUMENTS,
    cases: (asked) =>
      sizesOr(asked.threads, asked.isLong ? long : threads).map((count) => ({
        threads: count,
        turns: 1,
        llmMs: PARK_MS,
      })),
    async measure({ params, scratch }) {
      const probe = startProbe(PARK_MS);
      using project = createBenchProject(scratch);
      await using runtime = await startSkein(project.folder, { park: parkScript(PARK_MS) });
      const lot = { runtime, probe, database: project.database };
      await warmUp(lot, first);
      return await measure(lot, params.threads);
    },
  };
}

/** Starts threads of the directive `park` and waits until each is in its model call. */
export async function parkThreads(
  { runtime, probe }: Pick<ParkingLot, 'runtime' | 'probe'>,
  threads: number,
): Promise<ThreadHandle[]> {
  const wanted = probe.calls() + threads;
  const spawn = (): Promise<ThreadHandle> => runtime.spawn('park', {}, { model: 'scripted:park' });
  const handles = await spawnInWaves({ threads, wave: WAVE, spawn });
  await probe.callsReach(wanted);
  return handles;
}

/** Parks threads and cancels them, so that everything on their way has been compiled. */
export async function warmUp(lot: Pick<ParkingLot, 'runtime' | 'probe'>, threads: number): Promise<void> {
  const handles = await parkThreads(lot, threads);
  await Promise.all(handles.map((handle) => handle.cancel('warm-up')));
}

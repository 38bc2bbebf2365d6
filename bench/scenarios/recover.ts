import { PROBE_ARGUMENTS, startProbe } from '../isolates.ts';
import { sizesOr, type Job, type Measured, type Scenario } from '../job.ts';
import { startOtherHalf } from '../other-half.ts';
import { parkThreads } from '../park.ts';
import { hostMetrics, measurePhase } from '../phase.ts';
import { readBack, rowsPerThread } from '../read-back.ts';
import { createBenchProject, parkScript, startSkein } from '../skein-project.ts';

/** Length of the model calls, ms; an unusual number, since the probe counts timers of this length. */
const CALL_MS = 3_600_011;
/** Name of the scenario's other half: the process that is killed. */
const VICTIM = 'victim';

/**
 * A process with N live threads is killed: time from the next start, in a process that has not loaded the package before, to the
 * last thread's being in its model call again.
 */
export const recover: Scenario = {
  name: 'recover',
  contenders: ['skein'],
  nodeArguments: PROBE_ARGUMENTS,
  cases: ({ threads, isLong }) =>
    sizesOr(threads, isLong ? [10_000] : [5_000]).map((count) => ({ threads: count, turns: 1, llmMs: CALL_MS })),
  measure: (job) => (job.params.variant === VICTIM ? beKilled(job) : measure(job)),
};

async function measure(job: Job): Promise<Measured> {
  const { threads } = job.params;
  using project = createBenchProject(job.scratch);
  await runAndKill({ ...job, scratch: project.folder, params: { ...job.params, variant: VICTIM } });
  const probe = startProbe(CALL_MS);
  const wanted = probe.calls() + threads;
  const start = await measurePhase(() =>
    startSkein(project.folder, { park: parkScript(CALL_MS) }, { onRestart: 'resume' }),
  );
  const runtime = start.value;
  const running = await measurePhase(() => probe.callsReach(wanted));
  const view = await runtime.view();
  await runtime.close({ graceMs: 0 });
  const found = await readBack(project.database, 'all');
  return {
    metrics: {
      recover_time: (start.wallMs + running.wallMs) / 1_000,
      start_time: start.wallMs / 1_000,
      start_task: start.host.max,
      cpu_per_thread: (start.cpuUs + running.cpuUs) / threads,
      ...hostMetrics(running.host),
      ...rowsPerThread(found),
    },
    problems: [
      ...found.problems,
      ...(view.running === threads ? [] : [`${view.running} of ${threads} threads run again`]),
    ],
  };
}

/** Runs the other half in a process of its own, and kills it when all its threads are live. */
async function runAndKill(job: Job): Promise<void> {
  const { child, gone } = await startOtherHalf(job);
  child.kill('SIGKILL');
  await gone;
}

/** The process that is killed; its project is where it is told to be. */
async function beKilled({ params, scratch }: Job): Promise<Measured> {
  const probe = startProbe(CALL_MS);
  const runtime = await startSkein(scratch, { park: parkScript(CALL_MS) });
  await parkThreads({ runtime, probe }, params.threads);
  process.send?.('live');
  return await new Promise(() => undefined);
}

import { LIMITED, takesSize, type ContenderSource } from '../contenders/contender.ts';
import { sleep } from '../garbage.ts';
import { PROBE_ARGUMENTS, startProbe, wholeHeap } from '../isolates.ts';
import { sizesOr, wantsAll, type Job, type Measured, type Scenario } from '../job.ts';
import type { HostTasks } from '../host-probe.ts';
import { hostMetrics, measureCpu, measurePhase, type Taken } from '../phase.ts';

/** Threads of the warm-up. */
const WARM_UP = 1_000;
/** How often it is tried, and how much longer the calls are each time. */
const TRIES = 3;
const LONGER = 4;
const TOO_SHORT = 'the first calls had ended before all threads were live and counted';

/**
 * N threads of one turn that are all live at once, in a model call that takes longer than it takes to start them: CPU and
 * heap of each, which must not depend on N. All of them complete.
 */
export function scale(contenders: ContenderSource): Scenario {
  return {
    name: 'scale',
    contenders: contenders.names.filter((name) => name !== LIMITED),
    nodeArguments: PROBE_ARGUMENTS,
    needsSample: true,
    cases: ({ threads, isLong }) =>
      sizesOr(threads, isLong ? [100, 1_000, 10_000, 100_000] : [100, 1_000, 10_000]).map((count) => ({
        threads: count,
        turns: 1,
        // As long as this machine needs.
        llmMs: 0,
      })),
    takesPart: (contender, { threads }, asked) =>
      contender === 'skein' || (wantsAll(asked) && takesSize(contender, threads, asked)),
    measure: (job) => measureLive(job.params.threads, (llmMs) => tryOnce(contenders, job, llmMs)),
  };
}

/** What was found with calls of one length; `isLate`: they were too short for all threads to be live at once. */
type Attempt = { readonly measured: Measured; readonly isLate: boolean };

/**
 * Measures with calls that take longer, if others had the machine and not all threads were live before the first had ended. What
 * went wrong is never tried again: a fault that is there now and then would be lost with the try that showed it.
 */
export async function measureLive(threads: number, attempt: (llmMs: number) => Promise<Attempt>): Promise<Measured> {
  // Several times what a quiet machine needs.
  let llmMs = Math.max(1_500, threads * 0.6);
  for (let tries = 1; ; tries++) {
    const { measured, isLate } = await attempt(llmMs);
    if (!isLate) return measured;
    if (measured.problems.length > 0 || tries === TRIES) {
      return { ...measured, problems: [...measured.problems, TOO_SHORT] };
    }
    console.error(`With calls of ${llmMs} ms ${TOO_SHORT}. Once more, with longer ones`);
    llmMs *= LONGER;
  }
}

async function tryOnce(contenders: ContenderSource, job: Job, llmMs: number): Promise<Attempt> {
  const { threads } = job.params;
  const isSkein = job.contender === 'skein';
  const probe = startProbe(llmMs);
  const setup = { params: { ...job.params, llmMs }, sample: job.sample, scratch: job.scratch };
  await using contender = await contenders.create(job.contender, setup);
  await contender.run(Math.min(WARM_UP, threads));
  const before = await probe.heap();
  const callsBefore = probe.calls();
  const from = performance.now();
  // Of the others nobody looks at the host: they are started in one go.
  const measured = isSkein ? measurePhase : measureUnseen;
  const starting = await measured(async () => {
    const run = contender.run(threads);
    // Skein's calls can be counted, which is surer; each thread has one, so that none is waited for longer than the run takes.
    await Promise.race([isSkein ? probe.callsReach(callsBefore + threads, Infinity) : quiet(), run]);
    // In an object, since a promise would be waited for.
    return { run };
  });
  const rss = process.memoryUsage.rss();
  const calls = probe.calls() - callsBefore;
  const heap = await probe.heap();
  const left = llmMs - EARLY_MS - (performance.now() - from);
  await sleep(Math.max(0, left));
  const ending = await measured(() => starting.value.run);
  const wallMs = performance.now() - from;
  const { metrics, problems } = await contender.inspect();
  const found = {
    metrics: {
      cpu_per_thread: (starting.cpuUs + ending.cpuUs) / threads,
      heap_per_thread: (wholeHeap(heap) - wholeHeap(before)) / threads,
      live_rss: rss / 1e6,
      call_time: llmMs / 1_000,
      wall: wallMs / 1_000,
      ...worseOf(starting.host, ending.host),
      ...metrics,
    },
    // More or fewer would be no less wrong with longer calls.
    problems: isSkein && calls !== threads ? [...problems, `${calls} calls of ${threads} threads`] : problems,
  };
  return { measured: found, isLate: left < 0 };
}

async function measureUnseen<Value>(work: () => Promise<Value>): Promise<Taken<Value> & { readonly host: undefined }> {
  return { ...(await measureCpu(work)), host: undefined };
}

function worseOf(one: HostTasks | undefined, other: HostTasks | undefined): Record<string, number> {
  return one && other ? hostMetrics(one.max > other.max ? one : other) : {};
}

/** How long before the first calls end they are looked at again. */
const EARLY_MS = 200;
const LOOK_MS = 100;
/** Looks in a row at which next to nothing was done. */
const QUIET_LOOKS = 3;
const QUIET_SHARE = 0.2;

/** Waits until this process has nothing to do but to wait. */
async function quiet(): Promise<void> {
  for (let looks = 0; looks < QUIET_LOOKS;) {
    const before = process.cpuUsage();
    await sleep(LOOK_MS);
    const { user, system } = process.cpuUsage(before);
    looks = user + system < QUIET_SHARE * LOOK_MS * 1_000 ? looks + 1 : 0;
  }
}

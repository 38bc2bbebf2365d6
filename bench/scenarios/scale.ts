import type { ContenderSource } from '../contenders/contender.ts';
import { sleep } from '../garbage.ts';
import { PROBE_ARGUMENTS, startProbe, type HeapByRole } from '../isolates.ts';
import { sizesOr, type Job, type Measured, type Scenario } from '../job.ts';
import { hostMetrics, measurePhase } from '../phase.ts';

/** Threads of the warm-up. */
const WARM_UP = 1_000;
/** Most threads that anybody but Skein runs. */
const MOST = 10_000;
/** It lets only some of its threads be live. */
const LIMITED = 'p-limit';
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
        // Longer than anybody needs to start them.
        llmMs: Math.max(2_000, count * 0.8),
      })),
    takesPart: (contender, { threads }, asked) =>
      contender === 'skein' || (threads <= MOST && (asked.isLong || asked.threads.length > 0)),
    measure: (job) => measure(contenders, job),
  };
}

async function measure(contenders: ContenderSource, job: Job): Promise<Measured> {
  const { threads, llmMs } = job.params;
  const probe = startProbe(llmMs);
  await using contender = await contenders.create(job.contender, { ...job, sample: job.sample });
  await contender.run(Math.min(WARM_UP, threads));
  const before = await probe.heap();
  const callsBefore = probe.calls();
  const from = performance.now();
  const starting = await measurePhase(async () => {
    const run = contender.run(threads);
    // Skein's calls can be counted, which is surer.
    const isSkein = job.contender === 'skein';
    await Promise.race([isSkein ? probe.callsReach(callsBefore + threads, llmMs) : quiet(), run]);
    // In an object, since a promise would be waited for.
    return { run };
  });
  const rss = process.memoryUsage.rss();
  const calls = probe.calls() - callsBefore;
  const heap = await probe.heap();
  const left = llmMs - EARLY_MS - (performance.now() - from);
  await sleep(Math.max(0, left));
  const ending = await measurePhase(() => starting.value.run);
  const { metrics, problems } = await contender.inspect();
  return {
    metrics: {
      cpu_per_thread: (starting.cpuUs + ending.cpuUs) / threads,
      heap_per_thread: (sumOf(heap) - sumOf(before)) / threads,
      live_rss: rss / 1e6,
      wall: (performance.now() - from) / 1_000,
      ...hostMetrics(starting.host.max > ending.host.max ? starting.host : ending.host),
      ...metrics,
    },
    problems: [
      ...problems,
      ...(left < 0 ? ['the first calls had ended before all threads were live and counted'] : []),
      ...(job.contender === 'skein' && calls !== threads ? [`${calls} of ${threads} threads were live at once`] : []),
    ],
  };
}

function sumOf({ host, workers, store }: HeapByRole): number {
  return host + workers + store;
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

import type { Contender, ContenderSource } from '../contenders/contender.ts';
import { collectGarbage, sleep } from '../garbage.ts';
import { sizesOr, type Job, type Measured, type Scenario } from '../job.ts';
import { hostMetrics, measureCpu, measurePhase } from '../phase.ts';

/** Threads of a round of the warm-up. */
const ROUND = 5_000;
/** Threads after which the warm-up is over: what Skein does once a thread is compiled after some 10,000 of them. */
const ENOUGH = 20_000;
/** After this time no further round begins: who takes that long for one has had its code compiled in it. */
const ENOUGH_MS = 10_000;
/** Most threads that anybody but Skein runs. */
const MOST = 10_000;
/** Who takes part in which case where it is not to take long: the dearest not at all, the dear ones in the smallest. */
const EVERYWHERE = new Set(['skein', 'plain-encode']);
const WITHOUT_DELAY = new Set([...EVERYWHERE, 'skein-bare', 'plain', 'openai-agents']);
const LONG_ONLY = new Set(['mastra']);
/** The smallest case. */
const FEW = 2_000;

/** N threads at once, each with a few turns: what a turn costs over all threads of the process. */
export function fanout(contenders: ContenderSource): Scenario {
  return {
    name: 'fanout',
    contenders: contenders.names,
    needsSample: true,
    cases: ({ threads, turns, llmMs, isLong }) =>
      sizesOr(threads, [FEW, 10_000]).flatMap((count) =>
        sizesOr(llmMs, isLong || count <= FEW ? [0, 100] : [0]).map((ms) => ({ threads: count, turns, llmMs: ms })),
      ),
    takesPart(contender, { threads, llmMs }, asked) {
      if (asked.isLong || asked.threads.length > 0) return threads <= MOST || contender === 'skein';
      if (llmMs > 0) return EVERYWHERE.has(contender);
      return WITHOUT_DELAY.has(contender) || (threads <= FEW && !LONG_ONLY.has(contender));
    },
    measure: (job) => measure(contenders, job),
  };
}

async function measure(contenders: ContenderSource, job: Job): Promise<Measured> {
  const { threads, turns } = job.params;
  await using contender = await contenders.create(job.contender, { ...job, sample: job.sample });
  await warmUp(contender);
  await collectGarbage();
  await sleep(200);
  const { cpuUs, wallMs } = await measureCpu(() => contender.run(threads));
  const peakRss = process.resourceUsage().maxRSS;
  // Once more, since it costs something to watch.
  const host = job.contender === 'skein' ? (await measurePhase(() => contender.run(threads))).host : undefined;
  const { metrics, problems } = await contender.inspect();
  return {
    metrics: {
      cpu_per_turn: cpuUs / (threads * turns),
      wall: wallMs / 1_000,
      threads_per_second: threads / (wallMs / 1_000),
      peak_rss: peakRss / 1024,
      ...(host && hostMetrics(host)),
      ...metrics,
    },
    problems,
  };
}

/** The same for every contender, in the process in which it is measured. */
async function warmUp(contender: Contender): Promise<void> {
  const from = performance.now();
  let threads = 0;
  do {
    await contender.run(ROUND);
    threads += ROUND;
  } while (threads < ENOUGH && performance.now() - from < ENOUGH_MS);
}

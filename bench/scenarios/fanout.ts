import { takesSize, type ContenderSource } from '../contenders/contender.ts';
import { SIZE_OPTIONS, sizesOr, wantsAll, type Job, type Measured, type Scenario } from '../job.ts';
import { hostMetrics, measureCpu, measurePhase } from '../phase.ts';
import { runRounds, type Rounds } from '../rounds.ts';

/**
 * The warm-up: what Skein does once a thread is compiled after some 10,000 of them, and who takes ten seconds for a round has
 * had its code compiled in it.
 */
const WARM_UP: Rounds = { threads: 5_000, enough: 20_000, enoughMs: 10_000 };
/**
 * How long is measured. What keeps little alive pays for its memory in steps, once in some 10,000 threads: of one round the lower
 * bound had 6 to 17 µs a turn.
 */
const MEASURED_MS = 3_000;
/** The size that has a model that takes its time as well, where it may take long. */
const LARGE = 10_000;
/** Who takes no part where it is not to take long, nor where a model takes its time that nobody has asked for. */
const LONG_ONLY = new Set(['p-limit', 'piscina-comlink', 'langgraph-bare', 'mastra']);

/** N threads at once, each with a few turns: what a turn costs over all threads of the process. */
export function fanout(contenders: ContenderSource): Scenario {
  return {
    name: 'fanout',
    contenders: contenders.names,
    needsSample: true,
    takes: SIZE_OPTIONS,
    cases: ({ threads, turns, llmMs, isLong }) =>
      sizesOr(threads, isLong ? [2_000, LARGE] : [2_000]).flatMap((count) =>
        sizesOr(llmMs, isLong && count === LARGE ? [0, 100] : [0]).map((ms) => ({
          threads: count,
          turns,
          llmMs: ms,
        })),
      ),
    takesPart(contender, { threads, llmMs }, asked) {
      const isWanted = wantsAll(asked) && (asked.llmMs.length > 0 || llmMs === 0);
      if (LONG_ONLY.has(contender) && !isWanted) return false;
      return takesSize(contender, threads, asked);
    },
    measure: (job) => measure(contenders, job),
  };
}

async function measure(contenders: ContenderSource, job: Job): Promise<Measured> {
  const { threads, turns } = job.params;
  await using contender = await contenders.create(job.contender, { ...job, sample: job.sample });
  const run = (count: number): Promise<void> => contender.run(count);
  await runRounds(run, WARM_UP);
  const { value: rounds, cpuUs, wallMs } = await measureCpu(() => runRounds(run, { threads, enoughMs: MEASURED_MS }));
  const peakRss = process.resourceUsage().maxRSS;
  // Once more, since it costs something to watch.
  const host = job.contender === 'skein' ? (await measurePhase(() => run(threads))).host : undefined;
  const { metrics, problems } = await contender.inspect();
  return {
    metrics: {
      cpu_per_turn: cpuUs / (rounds * threads * turns),
      wall: wallMs / rounds / 1_000,
      threads_per_second: (rounds * threads) / (wallMs / 1_000),
      peak_rss: (peakRss * 1_024) / 1e6,
      ...(host && hostMetrics(host)),
      ...metrics,
    },
    problems,
  };
}

import { createContender } from '../contenders/by-name.ts';
import { collectGarbage, sleep } from '../garbage.ts';
import type { Job, Measured, Scenario } from '../job.ts';

/** Threads of the warm-up; every contender runs as many in the same process before it is measured. */
const WARM_UP = 1_000;

/** N threads at once, each with a few turns: what a turn costs over all threads of the process. */
export const fanout: Scenario = {
  name: 'fanout',
  contenders: ['skein', 'plain-encode', 'langgraph'],
  cases: ({ threads, turns, llmMs }) =>
    (threads.length > 0 ? threads : [2_000, 10_000]).flatMap((count) =>
      (llmMs.length > 0 ? llmMs : [0, 100]).map((ms) => ({ threads: count, turns, llmMs: ms })),
    ),
  measure,
};

async function measure({ contender: name, params, sample, scratch }: Job): Promise<Measured> {
  await using contender = await createContender(name, { params, sample, scratch });
  await contender.run(Math.min(WARM_UP, params.threads));
  await collectGarbage();
  await sleep(200);
  const cpuBefore = process.cpuUsage();
  const startedAt = performance.now();
  await contender.run(params.threads);
  const wall = (performance.now() - startedAt) / 1_000;
  const { user, system } = process.cpuUsage(cpuBefore);
  const { metrics, problems } = await contender.inspect();
  return {
    metrics: {
      cpu_per_turn: (user + system) / (params.threads * params.turns),
      wall,
      threads_per_second: params.threads / wall,
      peak_rss: process.resourceUsage().maxRSS / 1024,
      ...metrics,
    },
    problems,
  };
}

import { sleep } from '../garbage.ts';
import { PROBE_ARGUMENTS, startProbe } from '../isolates.ts';
import type { Job, Measured, Scenario } from '../job.ts';
import { PARK_MS, parkThreads, warmUp } from '../park.ts';
import { readEvents } from '../read-back.ts';
import { createBenchProject, parkScript, startSkein } from '../skein-project.ts';
import { toThreadSample } from '../thread-sample.ts';

/** Threads that are there before the count begins. */
const BASE = 100;

/** Heap of a live thread that waits in its model call, over all isolates after gc, its prompt's text included. */
export const parked: Scenario = {
  name: 'parked',
  contenders: ['skein'],
  nodeArguments: PROBE_ARGUMENTS,
  cases: ({ threads }) =>
    (threads.length > 0 ? threads : [10_000]).map((count) => ({ threads: count, turns: 1, llmMs: PARK_MS })),
  measure,
};

async function measure({ params, scratch }: Job): Promise<Measured> {
  const probe = startProbe(PARK_MS);
  using project = createBenchProject(scratch);
  await using runtime = await startSkein(project.folder, { park: parkScript(PARK_MS) });
  await warmUp(runtime, probe, 1_000);
  const [first] = await parkThreads(runtime, probe, BASE);
  await sleep(500);
  const before = { ...(await probe.heap()), rss: process.memoryUsage.rss() };
  await parkThreads(runtime, probe, params.threads - BASE);
  await sleep(500);
  const after = { ...(await probe.heap()), rss: process.memoryUsage.rss() };
  const { workers } = await runtime.view();
  const calling = workers.reduce((sum, { states }) => sum + (states['running.calling'] ?? 0), 0);
  const per = (key: keyof typeof after): number => (after[key] - before[key]) / (params.threads - BASE);
  await runtime.close({ graceMs: 0 });
  const events = first ? await readEvents(project.database, first.id) : [];
  return {
    metrics: {
      heap_per_thread: per('host') + per('workers') + per('store'),
      worker_heap_per_thread: per('workers'),
      host_heap_per_thread: per('host'),
      store_heap_per_thread: per('store'),
      rss_per_thread: per('rss'),
      prompt_bytes: Buffer.byteLength(toThreadSample(events).prompt),
    },
    problems: calling === params.threads ? [] : [`${calling} of ${params.threads} threads were in their model call`],
  };
}

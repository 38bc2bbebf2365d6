import { sleep } from '../garbage.ts';
import type { Measured } from '../job.ts';
import { hostMetrics, measurePhase } from '../phase.ts';
import { parkScenario, parkThreads, type ParkingLot } from '../park.ts';
import { readEvents } from '../read-back.ts';
import { toThreadSample } from '../thread-sample.ts';

/** Threads that are there before the count begins; of few threads, half of them. */
const BASE = 100;

/** Heap of a live thread that waits in its model call, over all isolates after gc, its prompt's text included. */
export const parked = parkScenario({
  name: 'parked',
  threads: [10_000],
  long: [1_000, 10_000, 100_000],
  warmUp: 1_000,
  measure,
});

async function measure(lot: ParkingLot, threads: number): Promise<Measured> {
  const { runtime, probe, database } = lot;
  const base = Math.min(BASE, Math.floor(threads / 2));
  const [first] = await parkThreads(lot, base);
  await sleep(500);
  const before = { ...(await probe.heap()), rss: process.memoryUsage.rss() };
  const { host } = await measurePhase(() => parkThreads(lot, threads - base));
  await sleep(500);
  const after = { ...(await probe.heap()), rss: process.memoryUsage.rss() };
  const { workers } = await runtime.view();
  const calling = workers.reduce((sum, { states }) => sum + (states['running.calling'] ?? 0), 0);
  const per = (key: keyof typeof after): number => (after[key] - before[key]) / (threads - base);
  await runtime.close({ graceMs: 0 });
  const events = first ? await readEvents(database, first.id) : [];
  return {
    metrics: {
      heap_per_thread: per('host') + per('workers') + per('store'),
      worker_heap_per_thread: per('workers'),
      host_heap_per_thread: per('host'),
      store_heap_per_thread: per('store'),
      rss_per_thread: per('rss'),
      ...hostMetrics(host),
      prompt_bytes: Buffer.byteLength(toThreadSample(events).prompt),
    },
    problems: calling === threads ? [] : [`${calling} of ${threads} threads were in their model call`],
  };
}

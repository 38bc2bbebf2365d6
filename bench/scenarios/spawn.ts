import { collectGarbage, sleep } from '../garbage.ts';
import type { Measured } from '../job.ts';
import { hostMetrics, measureCpu, measurePhase } from '../phase.ts';
import { median } from '../results.ts';
import { parkScenario, parkThreads, type ParkingLot } from '../park.ts';

/** Threads per measured window. */
const WINDOW = 1_000;
/** Windows around a tenth of the threads, and at the end, of which the median counts. */
const WINDOWS = 10;

/** What one more thread costs while many are live: CPU over all threads of the process, until it is in its model call. */
export const spawn = parkScenario({ name: 'spawn', threads: [20_000], long: [100_000], warmUp: 20_000, measure });

async function measure(lot: ParkingLot, threads: number): Promise<Measured> {
  await collectGarbage();
  await sleep(500);
  const windows: number[] = [];
  const { host } = await measurePhase(async () => {
    while (windows.length * WINDOW < threads) {
      const size = Math.min(WINDOW, threads - windows.length * WINDOW);
      const { cpuUs } = await measureCpu(() => parkThreads(lot, size));
      windows.push(cpuUs / size);
    }
  });
  console.error(`CPU per spawn by ${WINDOW}: ${windows.map(Math.round).join(' ')}`);
  const early = medianBefore(windows, threads / 10 / WINDOW + WINDOWS / 2);
  const late = medianBefore(windows, windows.length);
  const { workers } = await lot.runtime.view();
  const calling = workers.reduce((sum, { states }) => sum + (states['running.calling'] ?? 0), 0);
  await lot.runtime.close({ graceMs: 0 });
  return {
    metrics: {
      spawn_early: early,
      spawn_late: late,
      // Of fewer, both are of the same windows.
      ...(windows.length >= 2 * WINDOWS && { spawn_ratio: late / early }),
      ...hostMetrics(host),
    },
    problems: calling === threads ? [] : [`${calling} of ${threads} threads were in their model call`],
  };
}

function medianBefore(windows: readonly number[], end: number): number {
  return median(windows.slice(Math.max(0, end - WINDOWS), end));
}

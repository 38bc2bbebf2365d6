import { threadCpuUs } from './thread-cpu.ts';

/** How the host's event loop was kept busy, in milliseconds of its own CPU time. */
export type HostTasks = {
  /** The longest stretch between two looks at the event loop. */
  readonly max: number;
  /** The same without the first stretch, which is what was done in the very task that began to watch. */
  readonly maxAfterFirst: number;
  /** 99th percentile of the stretches in which something was done. */
  readonly p99: number;
  /** CPU time of the host over wall time. */
  readonly share: number;
};

/** Stretches shorter than this are the probe's own. */
const BUSY_MS = 0.1;

/**
 * Watches the calling thread: a timer fires every millisecond, or as soon as the event loop lets it, and takes the CPU
 * time this thread has used since it last fired. What it sees is a little more than the longest task, never less: tasks
 * that end within the same millisecond, or in the same round of the loop, are counted as one. Time in which the thread
 * was not running (others had the processor) does not count.
 */
export function watchHost(): { stop(): HostTasks } {
  const stretches: number[] = [];
  const startedAt = performance.now();
  const first = threadCpuUs();
  let last = first;
  let timer: NodeJS.Timeout;
  const look = (): void => {
    stretches.push((threadCpuUs() - last) / 1_000);
    last = threadCpuUs();
    timer = setTimeout(look, 1);
  };
  timer = setTimeout(look, 1);
  return {
    stop() {
      clearTimeout(timer);
      look();
      clearTimeout(timer);
      const cpu = (last - first) / 1_000;
      return { ...summarise(stretches), share: (100 * cpu) / (performance.now() - startedAt) };
    },
  };
}

function summarise(stretches: readonly number[]): Omit<HostTasks, 'share'> {
  const sorted = stretches.filter((ms) => ms >= BUSY_MS).toSorted((a, b) => a - b);
  const [, ...afterFirst] = stretches;
  return {
    max: sorted.at(-1) ?? 0,
    maxAfterFirst: afterFirst.reduce((max, ms) => Math.max(max, ms), 0),
    p99: sorted[Math.floor(sorted.length * 0.99)] ?? 0,
  };
}

import type { ThreadNo } from '../../core/ids.ts';

/**
 * Threads that have ended and whose `after_complete` hooks still run in their workers. A runtime that closes waits for
 * them like for a thread, until its grace period is over.
 */
export interface LastHooks {
  /** Called before the host hears of the thread's end. */
  begin(thread: ThreadNo, worker: number): void;
  end(thread: ThreadNo): void;
  /** Nobody waits for them any more, nor for those that begin from now on. */
  giveUp(): void;
  /** A worker is gone, and with it what ran in it. */
  lost(worker: number): void;
  /** Whether any run in a worker. */
  runIn(worker: number): boolean;
  /** How many are waited for. */
  size(): number;
}

/** Makes an empty set of them. */
export function createLastHooks(): LastHooks {
  const running = new Map<ThreadNo, number>();
  let isGivenUp = false;
  return {
    begin(thread, worker) {
      if (!isGivenUp) running.set(thread, worker);
    },
    end: (thread) => void running.delete(thread),
    giveUp() {
      isGivenUp = true;
      running.clear();
    },
    lost(worker) {
      for (const [thread, where] of running) if (where === worker) running.delete(thread);
    },
    runIn: (worker) => [...running.values()].includes(worker),
    size: () => running.size,
  };
}

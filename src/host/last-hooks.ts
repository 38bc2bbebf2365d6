import type { ThreadNo } from '../core/ids.ts';

/**
 * Threads that have ended and whose `after_complete` hooks still run in their workers. A runtime that closes waits for
 * them like for a thread, until its grace period is over.
 */
export interface LastHooks {
  /** Called before the host hears of the thread's end. */
  begin(thread: ThreadNo): void;
  end(thread: ThreadNo): void;
  /** Nobody waits for them any more, nor for those that begin from now on. */
  giveUp(): void;
  /** How many are waited for. */
  size(): number;
}

/** Makes an empty set of them. */
export function createLastHooks(): LastHooks {
  const running = new Set<ThreadNo>();
  let isGivenUp = false;
  return {
    begin(thread) {
      if (!isGivenUp) running.add(thread);
    },
    end: (thread) => void running.delete(thread),
    giveUp() {
      isGivenUp = true;
      running.clear();
    },
    size: () => running.size,
  };
}

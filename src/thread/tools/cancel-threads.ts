import type { Schedule } from '../../core/batched-port.ts';
import { createFifo } from '../../core/fifo.ts';
import type { ThreadNo } from '../../core/ids.ts';
import { NO_USAGE } from '../../core/provider.ts';
import type { Thread } from '../thread.ts';

/** How many machines are stopped in one go. */
const SLICE = 500;

/** Cancels threads of a worker. */
export type CancelThreads = (numbers: readonly ThreadNo[], reason: string) => void;

/** Where they are found, and what runs a slice in the next turn. */
export type CancelOptions = {
  readonly threads: ReadonlyMap<ThreadNo, { readonly thread: Thread }>;
  readonly schedule: Schedule;
};

type Marked = { readonly thread: Thread; readonly reason: string };

/**
 * Makes what cancels a worker's threads. Every model call is aborted at once and every thread marked, so that none starts
 * another call; then the machines are told, since that is what costs time: a slice now and one whenever the event loop comes
 * round, however many cancellations there are. All at once would have every ending wait, in memory, for the last to be written.
 */
export function createCancelThreads({ threads, schedule }: CancelOptions): CancelThreads {
  const marked = createFifo<Marked>();
  let left = SLICE;
  let isScheduled = false;

  const stopSome = (): void => {
    try {
      for (let next = marked.peek(); next && left > 0; next = marked.peek()) {
        marked.shift();
        left--;
        next.thread.send({ type: 'CANCEL', reason: next.reason });
      }
    } finally {
      if (!isScheduled) schedule(nextTurn);
      isScheduled = true;
    }
  };
  const nextTurn = (): void => {
    isScheduled = false;
    left = SLICE;
    if (marked.size() > 0) stopSome();
  };

  return (numbers, reason) => {
    try {
      for (const no of numbers) {
        const thread = threads.get(no)?.thread;
        if (!thread) continue;
        thread.cancelReason ??= reason;
        marked.push({ thread, reason });
        if (!thread.call) continue;
        thread.abortedUsage = thread.call.abort() ?? NO_USAGE;
        thread.call = undefined;
      }
    } finally {
      stopSome();
    }
  };
}

import type { Schedule } from '../../core/batched-port.ts';
import type { ThreadNo } from '../../core/ids.ts';
import { NO_USAGE } from '../../core/provider.ts';
import { createSlices } from '../../core/slices.ts';
import type { Thread } from '../thread.ts';

/** How long machines are told in one turn of the event loop. */
const SLICE_MS = 5;

/** Cancels threads of a worker. */
export type CancelThreads = (numbers: readonly ThreadNo[], reason: string) => void;

/** Where they are found, and what their slices go by. */
export type CancelOptions = {
  readonly threads: { get(thread: ThreadNo): { readonly thread: Thread } | undefined };
  readonly now: () => number;
  readonly schedule: Schedule;
};

/**
 * Makes what cancels a worker's threads. Every model call is aborted at once and every thread marked, so that none starts
 * another call; then the machines are told, since that is what costs time: a slice now and one whenever the event loop comes
 * round, however many cancellations there are. All at once would have every ending wait, in memory, for the last to be written.
 */
export function createCancelThreads({ threads, now, schedule }: CancelOptions): CancelThreads {
  const line = createSlices({ sliceMs: SLICE_MS, now, schedule }).line();
  return (numbers, reason) => {
    const marked: Thread[] = [];
    for (const no of numbers) {
      const thread = threads.get(no)?.thread;
      if (!thread) continue;
      thread.cancelReason ??= reason;
      marked.push(thread);
      if (!thread.call) continue;
      thread.abortedUsage = thread.call.abort() ?? NO_USAGE;
      thread.call = undefined;
    }
    line(marked, (thread) => tell(thread, reason));
  };
}

/** Once: where a suspension before its turn has told it already, it waits for its children by now. */
function tell(thread: Thread, reason: string): void {
  if (thread.heldEnd?.type !== 'CANCEL') thread.send({ type: 'CANCEL', reason });
}

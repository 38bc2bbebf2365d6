import type { ThreadNo } from '../../core/ids.ts';
import { NO_USAGE } from '../../core/provider.ts';
import type { Thread } from '../thread.ts';

/** How many machines are stopped before others get a turn. */
const SLICE = 250;

/** Whom to cancel, and why. */
export type Cancellation = {
  readonly threads: ReadonlyMap<ThreadNo, { readonly thread: Thread }>;
  readonly reason: string;
  readonly schedule?: (run: () => void) => void;
};

/**
 * Cancels threads of this worker. First every model call is aborted and every thread marked, so that none starts
 * another call; then the machines are told, a slice at a time, since aborting streams is what costs time.
 */
export function cancelThreads(numbers: readonly ThreadNo[], cancellation: Cancellation): void {
  const { threads, reason, schedule = setImmediate } = cancellation;
  const found = numbers.flatMap((no) => threads.get(no)?.thread ?? []);
  for (const thread of found) {
    thread.cancelReason ??= reason;
    if (!thread.call) continue;
    thread.abortedUsage = thread.call.abort() ?? NO_USAGE;
    thread.call = undefined;
  }
  const stop = (from: number): void => {
    for (const thread of found.slice(from, from + SLICE)) thread.send({ type: 'CANCEL', reason });
    if (from + SLICE < found.length) schedule(() => stop(from + SLICE));
  };
  stop(0);
}

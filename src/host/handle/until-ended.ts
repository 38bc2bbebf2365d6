import type { StandardSchemaV1 } from '@standard-schema/spec';
import { fromFailure, type Failure } from '../../core/errors.ts';
import { NO_COST } from '../../core/limits.ts';
import { beingCancelled } from '../endings/cancelled-tree.ts';
import { heirOf } from '../endings/heir.ts';
import type { HostContext } from '../host-context.ts';
import { latestOf } from '../latest.ts';
import type { ThreadEntry } from '../rest/thread-table.ts';
import { addWaiter } from '../waits/waiters.ts';
import { stoppedBefore } from './refuse-stopped.ts';
import { toThreadEnding, toUsage, type ThreadEnding } from './thread-handle.ts';

/** What is needed to wait for endings. */
export type EndingSources = {
  readonly host: HostContext;
  /** True once the runtime has stopped: nothing settles after that. */
  readonly isStopped: () => boolean;
};

/**
 * What a handle's `result` is: how the thread, or the last of those that took over from it, has ended, or that the runtime has
 * stopped. Rejects if it can't be read back. One closure for each thread that a caller waits for, of whom there may be a
 * hundred thousand.
 */
export function resultOf<Outputs>(
  entry: ThreadEntry,
  sources: EndingSources,
  schema: StandardSchemaV1<unknown, Outputs> | undefined,
): Promise<ThreadEnding<Outputs>> {
  const { promise, resolve } = Promise.withResolvers<ThreadEnding<Outputs>>();
  let last = entry;
  const look = (): void => {
    try {
      last = whereNow(last, sources);
      if (!isOver(last, sources)) addWaiter(sources.host.table, last, look);
      else resolve(last.ending ? toThreadEnding(last.ending, schema) : unfinished(last));
    } catch (thrown) {
      resolve(Promise.reject(thrown));
    }
  };
  look();
  return promise;
}

function unfinished({ lastCost }: ThreadEntry): ThreadEnding<never> {
  const error = stoppedBefore('the thread ended');
  return { status: 'suspended', outputs: undefined, text: '', error, cost: toUsage(lastCost ?? NO_COST) };
}

/** Where a thread's work is now; nobody can be read back once the runtime has stopped. */
export function whereNow(last: ThreadEntry, { host, isStopped }: EndingSources): ThreadEntry {
  return isStopped() ? latestOf(last) : heirOf(last, host);
}

/** Whether nothing more comes of it in this runtime. */
function isOver({ phase }: ThreadEntry, { isStopped }: EndingSources): boolean {
  return phase === 'ended' || isStopped();
}

/**
 * Resolves once a cancelled thread has ended, and everything it takes along: nobody of them calls a model after that. Whoever was
 * being admitted meanwhile is found when the others have ended. Rejects with why an ending can't be written, or one of them not be
 * read back, or that the runtime stopped before. One closure for each cancellation, as {@link resultOf}.
 */
export function untilCancelled(begun: ThreadEntry, sources: EndingSources): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  let last = begun;
  let below: Below | undefined;
  const look = (failure?: Failure): void => {
    // `reject` would be one more function for each.
    if (failure) return resolve(Promise.reject(fromFailure(failure)));
    const { host } = sources;
    try {
      while (!sources.isStopped()) {
        last = whereNow(last, sources);
        if (!isOver(last, sources)) return addWaiter(host.table, last, look);
        if (!below && !last.children?.size) break;
        // They are read back in slices, not all of them here.
        if (!below && host.cancelling.size > 0) return void setImmediate(look);
        below ??= { top: last, left: beingCancelled(host, last), hasWaited: false };
        // One at a time: the endings of ten thousand are no ten thousand promises.
        const next = below.left.next().value;
        if (next) {
          below.hasWaited = true;
          last = next;
        } else if (below.hasWaited) {
          last = below.top;
          below = undefined;
        } else break;
      }
      const isDone = !sources.isStopped() || latestOf(last).phase === 'ended';
      if (isDone) resolve();
      else resolve(Promise.reject(fromFailure(stoppedBefore('the thread was cancelled'))));
    } catch (thrown) {
      resolve(Promise.reject(thrown));
    }
  };
  look();
  return promise;
}

/** What is below a thread that has ended, as it is waited for. */
type Below = {
  readonly top: ThreadEntry;
  readonly left: Generator<ThreadEntry, undefined>;
  hasWaited: boolean;
};

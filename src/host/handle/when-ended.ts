import type { StandardSchemaV1 } from '@standard-schema/spec';
import { fromFailure, type Failure, type SkeinError } from '../../core/errors.ts';
import { NO_COST } from '../../core/limits.ts';
import { beingCancelled } from '../endings/cancelled-tree.ts';
import { heirOf } from '../endings/heir.ts';
import type { HostContext } from '../host-context.ts';
import { latestOf } from '../latest.ts';
import type { ThreadEntry } from '../rest/thread-table.ts';
import { addWaiter } from '../waits/waiters.ts';
import { toThreadEnding, toUsage, type ThreadEnding } from './thread-handle.ts';

/** What is needed to wait for endings. */
export type EndingSources = {
  readonly host: HostContext;
  /** True once the runtime has stopped: nothing settles after that. */
  readonly isStopped: () => boolean;
};

/**
 * What a handle's `result` is. As {@link whenEnded}, but one closure less for each thread that a caller waits for, of whom there
 * may be a hundred thousand.
 */
export function resultOf<Outputs>(
  entry: ThreadEntry,
  sources: EndingSources,
  schema: StandardSchemaV1<unknown, Outputs> | undefined,
): Promise<ThreadEnding<Outputs>> {
  return new Promise((resolve) => {
    let last = entry;
    const look = (): void => {
      last = whereNow(last, sources);
      if (!isOver(last, sources)) addWaiter(sources.host.table, last, look);
      else resolve(last.ending ? toThreadEnding(last.ending, schema) : unfinished(last));
    };
    look();
  });
}

function unfinished({ lastCost }: ThreadEntry): ThreadEnding<never> {
  const error = { code: 'runtime_closed', message: 'The runtime stopped before the thread ended' } as const;
  return { status: 'suspended', outputs: undefined, text: '', error, cost: toUsage(lastCost ?? NO_COST) };
}

/** Somebody who waits for an ending; `rejected`: what asks for it and hears why it can't be written. */
type Waiting = { readonly done: (last: ThreadEntry) => void; readonly rejected?: (why: SkeinError) => void };

/**
 * Calls `done` once the thread, or the last of those that took over from it, has ended or the runtime has stopped: at once if
 * that is so already.
 */
function whenEnded(begun: ThreadEntry, sources: EndingSources, { done, rejected }: Waiting): void {
  let last = begun;
  const look = (failure?: Failure): void => {
    if (failure && rejected) return rejected(fromFailure(failure));
    last = whereNow(last, sources);
    if (isOver(last, sources)) done(last);
    else addWaiter(sources.host.table, last, look);
  };
  look();
}

/** Where a thread's work is now; nobody can be read back once the runtime has stopped. */
function whereNow(last: ThreadEntry, { host, isStopped }: EndingSources): ThreadEntry {
  return isStopped() ? latestOf(last) : heirOf(last, host);
}

/** Whether nothing more comes of it in this runtime. */
function isOver({ phase }: ThreadEntry, { isStopped }: EndingSources): boolean {
  return phase === 'ended' || isStopped();
}

/**
 * Calls `done` once a cancelled thread has ended, and everything it takes along: nobody of them calls a model after that.
 * Whoever was being admitted meanwhile is found when the others have ended.
 */
export function whenCancelled(begun: ThreadEntry, sources: EndingSources, waiting: Waiting): void {
  const entry = latestOf(begun);
  if (sources.isStopped()) return waiting.done(entry);
  // They are read back in slices, not all of them here.
  if (sources.host.cancelling.size > 0) return void setImmediate(() => whenCancelled(entry, sources, waiting));
  if (entry.phase !== 'ended')
    return whenEnded(entry, sources, { ...waiting, done: () => whenCancelled(entry, sources, waiting) });
  if (!entry.children?.size) return waiting.done(entry);
  const left = beingCancelled(sources.host, entry);
  // One at a time: the endings of ten thousand are no ten thousand promises.
  const waitForNext = (hasWaited: boolean): void => {
    const one = sources.isStopped() ? undefined : left.next().value;
    if (one) whenEnded(one, sources, { ...waiting, done: () => waitForNext(true) });
    else if (hasWaited) whenCancelled(entry, sources, waiting);
    else waiting.done(entry);
  };
  waitForNext(false);
}

import type { Clock, Timer } from '../../core/clock.ts';
import type { WaitedThread } from '../../core/protocol.ts';
import type { ThreadEntry, ThreadTable } from '../rest/thread-table.ts';
import { addWaiter } from './waiters.ts';

/** A wait for several threads. */
export type WaitOrder = {
  readonly threadIds: readonly string[];
  /** Milliseconds for all of them together; undefined = no deadline. */
  readonly timeoutMs: number | undefined;
  /** `all`: until each has ended or is suspended. `first`: until one has. `failFast`: until one has failed. */
  readonly until: 'all' | 'first' | 'failFast';
  /** Told of the first that has failed, whatever the wait does then; at once if it has already. */
  readonly failed?: (first: ThreadEntry) => void;
  /** Called once, with one entry per id in the order asked. */
  readonly done: (results: readonly WaitedThread[]) => void;
};

/** What waiting needs. */
export type WaitSources = {
  /** Its `byId` finds every thread that has not ended. */
  readonly table: Pick<ThreadTable, 'byId' | 'keep' | 'rest'>;
  readonly clock: Clock;
  /** How a thread stands that the table has forgotten: from the store. */
  readonly recall: (threadId: string) => WaitedThread;
  /** True once nothing changes any more: who is woken then stops waiting, and what has not ended is suspended. */
  readonly isStopped: () => boolean;
};

/**
 * Waits for threads, with one deadline for all. A suspended thread counts as there, with status `suspended`: it may wait
 * for a person, and whoever waits for it should hear that; one that goes on before the wait is over is waited for again.
 * Threads that are not there are reported as `timeout` after the deadline, else as `running`. Returns a function that
 * gives the wait up.
 */
export function waitForThreads(order: WaitOrder, sources: WaitSources): () => void {
  const { table, clock } = sources;
  const entries = order.threadIds.map((id) => table.byId(id));
  const known = new Set(entries.filter((entry) => entry !== undefined));
  const open = new Set<ThreadEntry>();
  const wakers = new Map<ThreadEntry, () => void>();
  let timer: Timer | undefined;
  let isOver = false;

  const stop = (): void => {
    isOver = true;
    if (timer !== undefined) clock.clearTimer(timer);
    for (const [entry, wake] of wakers) {
      entry.waiters?.delete(wake);
      table.rest(entry);
    }
    wakers.clear();
  };
  const finish = (late: WaitedThread['status']): void => {
    stop();
    order.done(order.threadIds.map((id, index) => report(id, entries[index], { ...sources, late })));
  };
  // Looks at everybody only when the last one is there: some may have gone on since.
  const areAllThere = (): boolean => {
    if (open.size > 0) return false;
    for (const entry of known) if (!isSettled(entry)) open.add(entry);
    return open.size === 0;
  };
  const isEnough = (entry: ThreadEntry): boolean =>
    (order.until === 'first' && isSettled(entry)) || (order.until === 'failFast' && hasFailed(entry));
  let isTold = false;
  const tellFailed = (entry: ThreadEntry): void => {
    if (isTold || !hasFailed(entry)) return;
    isTold = true;
    order.failed?.(entry);
  };
  const changed = (entry: ThreadEntry): void => {
    // Whoever wakes several waiters may come to one that is done.
    if (isOver) return;
    if (isSettled(entry)) open.delete(entry);
    tellFailed(entry);
    if (sources.isStopped()) finish('suspended');
    else if (isEnough(entry) || areAllThere()) finish('running');
    else if (entry.phase !== 'ended') listen(entry);
  };
  const listen = (entry: ThreadEntry): void => {
    const wake = wakers.get(entry) ?? ((): void => changed(entry));
    wakers.set(entry, wake);
    addWaiter(table, entry, wake);
  };

  for (const entry of known) tellFailed(entry);
  if (isForgottenEnough(order, entries, sources) || [...known].some(isEnough) || areAllThere()) {
    finish('running');
    return stop;
  }
  for (const entry of known) if (entry.phase !== 'ended') listen(entry);
  if (order.timeoutMs !== undefined) timer = clock.setTimer(order.timeoutMs, () => finish('timeout'));
  return stop;
}

/** Endings that are no success, of threads that only the store knows. */
const FAILED: ReadonlySet<WaitedThread['status']> = new Set(['error', 'cancelled', 'not_found']);

/** Whether a thread that is not in memory, and so is there or unknown, ends the wait. */
function isForgottenEnough(
  { threadIds, until }: WaitOrder,
  entries: readonly (ThreadEntry | undefined)[],
  { recall }: WaitSources,
): boolean {
  if (until === 'all') return false;
  return threadIds.some((id, index) => !entries[index] && (until === 'first' || FAILED.has(recall(id).status)));
}

function isSettled({ phase }: ThreadEntry): boolean {
  return phase === 'ended' || phase === 'suspended';
}

function hasFailed({ phase, ending }: ThreadEntry): boolean {
  return phase === 'ended' && ending?.status !== 'completed' && ending?.status !== 'continued';
}

type Reporting = Pick<WaitSources, 'recall'> & { readonly late: WaitedThread['status'] };

function report(id: string, entry: ThreadEntry | undefined, { recall, late }: Reporting): WaitedThread {
  if (!entry) return recall(id);
  const { threadId } = entry.lineage;
  if (entry.ending) return { threadId, status: entry.ending.status, ending: entry.ending };
  return { threadId, status: entry.phase === 'suspended' ? 'suspended' : late, ending: undefined };
}

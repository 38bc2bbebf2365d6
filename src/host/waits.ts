import type { Clock, Timer } from '../core/clock.ts';
import type { WaitedThread } from '../core/protocol.ts';
import type { ThreadEntry, ThreadTable } from './thread-table.ts';

/** A wait for several threads. */
export type WaitOrder = {
  readonly threadIds: readonly string[];
  /** Milliseconds for all of them together; undefined = no deadline. */
  readonly timeoutMs: number | undefined;
  /** `all`: until each has ended or is suspended. `first`: until one has. `failFast`: until one has failed. */
  readonly until: 'all' | 'first' | 'failFast';
  /** Called once, with one entry per id in the order asked. */
  readonly done: (results: readonly WaitedThread[]) => void;
};

/** What waiting needs. */
export type WaitSources = {
  readonly table: ThreadTable;
  readonly clock: Clock;
  /** How a thread stands that the table has forgotten: from the store. */
  readonly recall: (threadId: string) => WaitedThread;
};

/**
 * Waits for threads, with one deadline for all. A suspended thread counts as there, with status `suspended`: it may wait
 * for a person, and whoever waits for it should hear that. Returns a function that gives the wait up.
 */
export function waitForThreads(order: WaitOrder, sources: WaitSources): () => void {
  const { table, clock } = sources;
  const entries = order.threadIds.map((id) => table.byId(id));
  const failedBefore = order.threadIds.some((id, index) => !entries[index] && FAILED.has(sources.recall(id).status));
  const open = new Set(entries.filter((entry) => entry !== undefined && !isSettled(entry)));
  let timer: Timer | undefined;
  const wakers = new Map<ThreadEntry, () => void>();

  const stop = (): void => {
    if (timer !== undefined) clock.clearTimer(timer);
    for (const [entry, wake] of wakers) entry.waiters?.delete(wake);
    wakers.clear();
  };
  const finish = (): void => {
    stop();
    order.done(order.threadIds.map((id, index) => report(id, entries[index], sources)));
  };
  const isOver = (): boolean =>
    open.size === 0 ||
    (order.until === 'first' && open.size < entries.length) ||
    (order.until === 'failFast' && (failedBefore || entries.some((entry) => entry && hasFailed(entry))));

  if (isOver()) {
    finish();
    return stop;
  }
  for (const entry of open) {
    if (!entry) continue;
    const wake = (): void => {
      open.delete(entry);
      if (isOver()) finish();
    };
    wakers.set(entry, wake);
    (entry.waiters ??= new Set()).add(wake);
  }
  if (order.timeoutMs !== undefined) timer = clock.setTimer(order.timeoutMs, finish);
  return stop;
}

/** Endings that are no success, of threads that only the store knows. */
const FAILED: ReadonlySet<WaitedThread['status']> = new Set(['error', 'cancelled', 'not_found']);

function isSettled({ phase }: ThreadEntry): boolean {
  return phase === 'ended' || phase === 'suspended';
}

function hasFailed({ phase, ending }: ThreadEntry): boolean {
  return phase === 'ended' && ending?.status !== 'completed';
}

function report(id: string, entry: ThreadEntry | undefined, { recall }: WaitSources): WaitedThread {
  if (!entry) return recall(id);
  const { threadId } = entry.lineage;
  if (entry.ending) return { threadId, status: entry.ending.status, ending: entry.ending };
  return { threadId, status: entry.phase === 'suspended' ? 'suspended' : 'timeout', ending: undefined };
}

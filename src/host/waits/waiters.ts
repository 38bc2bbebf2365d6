import type { Failure } from '../../core/errors.ts';
import type { ThreadEntry, ThreadTable } from '../rest/thread-table.ts';

/** Called once a thread has ended or been suspended; `failure`: why that can't be written. */
export type Waiter = (failure?: Failure) => void;

/** Who waits for a thread. Most have one waiter, who needs no set: of a hundred thousand threads those are 15 MB. */
export type Waiters = Waiter | Set<Waiter>;

type Awaited = Pick<ThreadEntry, 'waiters'>;

/** The next time the thread ends or is suspended, or that fails (resolves to why), or the runtime stops. */
export function nextChange(table: Pick<ThreadTable, 'keep'>, entry: ThreadEntry): Promise<Failure | undefined> {
  return new Promise((resolve) => addWaiter(table, entry, resolve));
}

/** Has somebody called at the next change; the thread stays in memory until then. */
export function addWaiter(table: Pick<ThreadTable, 'keep'>, entry: ThreadEntry, waiter: Waiter): void {
  table.keep(entry);
  const { waiters } = entry;
  if (waiters === undefined) entry.waiters = waiter;
  else if (typeof waiters === 'function') entry.waiters = new Set([waiters, waiter]);
  else waiters.add(waiter);
}

/** One that waits no more. */
export function removeWaiter(entry: Awaited, waiter: Waiter): void {
  const { waiters } = entry;
  if (waiters === waiter) entry.waiters = undefined;
  else if (typeof waiters === 'object' && waiters.delete(waiter) && waiters.size === 0) entry.waiters = undefined;
}

/** Takes those that wait, in the order they came; nobody waits then. */
export function takeWaiters(entry: Awaited): Iterable<Waiter> {
  const { waiters } = entry;
  entry.waiters = undefined;
  return typeof waiters === 'function' ? [waiters] : (waiters ?? []);
}

/** Wakes whoever waits for a change of the thread; `failure`: why there is none. */
export function wake(entry: ThreadEntry, failure?: Failure): void {
  for (const waiter of takeWaiters(entry)) waiter(failure);
}

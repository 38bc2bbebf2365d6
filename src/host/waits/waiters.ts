import type { Failure } from '../../core/errors.ts';
import type { ThreadEntry, ThreadTable } from '../rest/thread-table.ts';

/** The next time the thread ends or is suspended, or that fails (resolves to why), or the runtime stops. */
export function nextChange(table: Pick<ThreadTable, 'keep'>, entry: ThreadEntry): Promise<Failure | undefined> {
  return new Promise((resolve) => addWaiter(table, entry, resolve));
}

/** Has somebody called at the next change; the thread stays in memory until then. */
export function addWaiter(table: Pick<ThreadTable, 'keep'>, entry: ThreadEntry, waiter: Waiter): void {
  table.keep(entry);
  (entry.waiters ??= new Set()).add(waiter);
}

type Waiter = (failure?: Failure) => void;

/** Wakes whoever waits for a change of the thread; `failure`: why there is none. */
export function wake(entry: ThreadEntry, failure?: Failure): void {
  const { waiters } = entry;
  entry.waiters = undefined;
  for (const waiter of waiters ?? []) waiter(failure);
}

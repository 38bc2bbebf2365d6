import type { Failure } from '../core/errors.ts';
import type { ThreadEntry } from './thread-table.ts';

/** The next time the thread ends or is suspended, or that fails (resolves to why), or the runtime stops. */
export function nextChange(entry: ThreadEntry): Promise<Failure | undefined> {
  return new Promise((resolve) => {
    (entry.waiters ??= new Set()).add(resolve);
  });
}

/** Wakes whoever waits for a change of the thread; `failure`: why there is none. */
export function wake(entry: ThreadEntry, failure?: Failure): void {
  const { waiters } = entry;
  entry.waiters = undefined;
  for (const waiter of waiters ?? []) waiter(failure);
}

import type { HostContext } from '../host-context.ts';
import type { ThreadEntry } from '../rest/thread-table.ts';

/** Finds a worker for a thread; it is in that from now on. */
export function placeInWorker(host: HostContext, entry: ThreadEntry): number {
  const worker = host.crew.placeFor(entry);
  host.table.keep(entry);
  entry.worker = worker;
  host.load[worker] = (host.load[worker] ?? 0) + 1;
  host.feed.moved(entry, true);
  host.inspection?.placed(entry);
  return worker;
}

/** It is in no worker any more. */
export function leaveWorker({ load, crew, feed }: HostContext, entry: ThreadEntry): void {
  const { worker } = entry;
  if (worker < 0) return;
  feed.moved(entry, false);
  entry.worker = -1;
  load[worker] = (load[worker] ?? 1) - 1;
  crew.left(worker);
}

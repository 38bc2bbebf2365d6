import type { SuspendReason } from '../../core/events.ts';
import { handOver } from './admission.ts';
import type { HostContext } from '../host-context.ts';
import { isMoreThanTurn } from './line.ts';
import { suspendParked } from '../rest/parked-ending.ts';
import type { ThreadEntry } from '../rest/thread-table.ts';

/**
 * Suspends a thread that waits for a slot. The message and the limits it was resumed with are nowhere but in its order:
 * a worker, which knows how a thread keeps them, writes them down with the suspension. That takes no slot, since a thread
 * that is told to suspend while it is read back takes no step.
 */
export function suspendQueued(host: HostContext, entry: ThreadEntry, reason: SuspendReason): void {
  const { order, lineage } = entry;
  if (host.parking.has(entry)) return;
  if (!order || !isMoreThanTurn(order)) return suspendParked(host, entry, reason);
  handOver(host, entry, order);
  entry.suspendAsked = reason;
  host.gateway.send(entry.worker, { type: 'suspend', thread: lineage.thread, reason, now: true });
}

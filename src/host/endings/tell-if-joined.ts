import type { HostContext } from '../host-context.ts';
import { endParked } from '../rest/parked-ending.ts';
import type { ThreadEntry } from '../rest/thread-table.ts';

/** Ends a parent that ends after its children (child policy `wait`) if none is left, or tells its worker so. */
export function tellIfJoined(host: HostContext, parent: ThreadEntry): void {
  const { worker, joining, liveChildren, lineage, heldEnd } = parent;
  if (liveChildren > 0) return;
  if (worker < 0) return heldEnd && endParked(host, parent, heldEnd);
  if (joining) host.gateway.send(worker, { type: 'joined', thread: lineage.thread });
}

import type { HostContext } from './host-context.ts';
import type { ThreadEntry } from './thread-table.ts';

/** Tells a parent that ends after its children (child policy `wait`) that none is left. */
export function tellIfJoined({ gateway }: Pick<HostContext, 'gateway'>, parent: ThreadEntry): void {
  const { worker, joining, liveChildren, lineage } = parent;
  if (worker >= 0 && joining && liveChildren === 0) gateway.send(worker, { type: 'joined', thread: lineage.thread });
}

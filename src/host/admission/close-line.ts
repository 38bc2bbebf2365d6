import type { HostContext } from '../host-context.ts';
import { isMoreThanTurn } from './line.ts';
import { suspendQueued } from './suspend-queued.ts';

/**
 * Nobody in line starts in this runtime: their rows stay, and the next runtime takes them up. What they are to be told and is
 * nowhere else is written down.
 */
export function closeLine(host: HostContext): void {
  host.slots.clear();
  for (const entry of host.table.live()) {
    entry.inLine = false;
    const { order } = entry;
    if (entry.phase !== 'queued' || !order) continue;
    if (isMoreThanTurn(order)) suspendQueued(host, entry, 'shutdown');
    entry.order = undefined;
  }
}

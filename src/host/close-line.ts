import { toFailure } from '../core/errors.ts';
import type { ThreadNo } from '../core/ids.ts';
import type { HostContext } from './host-context.ts';
import { isMoreThanTurn } from './line.ts';
import { suspendParked } from './parked-ending.ts';
import { reportEmpty } from './report-empty.ts';
import { suspendQueued } from './suspend-queued.ts';

/** Threads looked up in one turn of the event loop. */
const SLICE = 50;

/**
 * Nobody in line starts in this runtime: their rows stay, and the next runtime takes them up. What they were resumed with is
 * written down; so is that they were, where their rows say that they are to stay suspended.
 */
export function closeLine(host: HostContext): void {
  const resumed = [...host.table.inLine()];
  host.slots.clear();
  for (const entry of host.table.live()) {
    entry.inLine = false;
    const { order } = entry;
    if (entry.phase !== 'queued' || !order) continue;
    if (isMoreThanTurn(order)) suspendQueued(host, entry, 'shutdown');
    else if (order.kind === 'resume') resumed.push(entry.lineage.thread);
    entry.order = undefined;
  }
  keepResumed(host, resumed);
}

function keepResumed(host: HostContext, resumed: readonly ThreadNo[], from = 0): void {
  for (const thread of resumed.slice(from, from + SLICE)) keepGoing(host, thread);
  if (from + SLICE < resumed.length) {
    host.cancelling.add(resumed);
    setImmediate(() => keepResumed(host, resumed, from + SLICE));
  } else if (host.cancelling.delete(resumed)) reportEmpty(host);
}

/** One that was suspended for good, but for its resumption: whoever has resumed it was told that it goes on. */
function keepGoing(host: HostContext, thread: ThreadNo): void {
  try {
    const { status, suspendReason } = host.reader.threadByNo(thread) ?? {};
    if (status !== 'suspended' || suspendReason === 'shutdown') return;
    const entry = host.table.recall(thread);
    if (entry?.phase !== 'queued' || entry.cancelReason !== undefined) return;
    entry.inLine = false;
    suspendParked(host, entry, 'shutdown');
  } catch (thrown) {
    // A damaged row is that thread's trouble.
    host.problem(toFailure(thrown));
  }
}

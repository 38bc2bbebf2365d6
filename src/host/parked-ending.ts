import { missedChildEvents } from '../core/child-events.ts';
import { costPayload } from '../core/cost-payload.ts';
import type { Ending } from '../core/ending.ts';
import type { Failure } from '../core/errors.ts';
import { encodeEvent, type SuspendReason } from '../core/events.ts';
import type { StepOp, StoredThread, StoreResult } from '../core/store.ts';
import type { SupervisorEvent } from '../../machines/supervisor.machine.ts';
import type { HostContext } from './host-context.ts';
import { standInLine } from './line.ts';
import type { ThreadEntry } from './thread-table.ts';
import { wake } from './waiters.ts';

/** How a thread ends that is in no worker: queued, suspended, or one that could not be set up. */
export type ParkedEnd = { readonly status: 'cancelled' | 'error'; readonly failure: Failure };

/** The end of a thread that is cancelled. */
export function cancelled(reason: string): ParkedEnd {
  return { status: 'cancelled', failure: { code: 'cancelled', message: reason } };
}

/** Writes the ending of a thread that no worker holds, after its log's last event and what the log lacks about children. */
export function endParked(host: HostContext, entry: ThreadEntry | undefined, end: ParkedEnd): void {
  if (!entry) return;
  writeParked(host, entry, (stored) => {
    const { op, ending } = endingOf(stored, end, host.clock.now());
    return { op, event: { type: 'ENDED', thread: entry.lineage.thread, ending } };
  });
}

/** Suspends a thread that waits for a slot: it leaves the line, and can be resumed like any other. */
export function suspendParked(host: HostContext, entry: ThreadEntry, reason: SuspendReason): void {
  writeParked(host, entry, ({ row, lastSequence }) => {
    const sequence = lastSequence + 1;
    const at = host.clock.now();
    const op: StepOp = {
      type: 'step',
      thread: row.thread,
      at,
      lines: encodeEvent({ sequence, event_type: 'thread_suspended', time: at, payload: { suspend_reason: reason } }),
      firstSequence: sequence,
      lastSequence: sequence,
      status: { to: 'suspended', reason },
    };
    return { op, event: { type: 'SUSPENDED', thread: row.thread, reason, cost: row.cost } };
  });
}

type Written = { readonly op: StepOp; readonly event: SupervisorEvent };

/**
 * Appends to a log that no worker holds; the supervisor hears of it after the commit. One write at a time: the second
 * of two suspensions has nothing to add, and a cancellation that comes during one ends the thread after it.
 */
function writeParked(host: HostContext, entry: ThreadEntry, write: (stored: StoredThread) => Written): void {
  if (entry.parking) return;
  entry.parking = true;
  const { lineage, treeSpawned } = entry;
  host.store.submit({ type: 'load', thread: lineage.thread, withChildren: treeSpawned > 0 }, (result) => {
    if (result === true || result.type !== 'loaded') return undo(host, entry, result);
    const { op, event } = write(result.thread);
    host.store.submit(op, (written) => {
      if (written !== true) return undo(host, entry, written);
      entry.parking = false;
      entry.order = undefined;
      host.tell(event);
    });
  });
}

/** A write that failed has changed nothing: the thread stands where it stood, and whoever waits for it hears why. */
function undo(host: HostContext, entry: ThreadEntry, result: StoreResult): void {
  const failure = notWritten(entry, result);
  entry.parking = false;
  entry.cancelReason = undefined;
  host.problem(failure);
  wake(entry, failure);
  // It could not be set up: no worker has it, whatever its row says.
  if (entry.worker >= 0) {
    host.tell({ type: 'SUSPENDED', thread: entry.lineage.thread, reason: 'error', cost: undefined });
  }
  // Its turn may have passed meanwhile, and a runtime that closes has taken its order.
  if (entry.phase !== 'queued' || !entry.order || entry.inLine) return;
  standInLine(host, entry);
  host.tell({ type: 'SLOT_FREE' });
}

function notWritten({ lineage }: ThreadEntry, result: StoreResult): Failure {
  const reason = result !== true && result.type === 'failed' ? result.failure.message : JSON.stringify(result);
  const message = `Thread ${lineage.threadId}, which is in no worker, could not be ended or suspended: ${reason}`;
  return { code: 'store_failed', message };
}

function endingOf(stored: StoredThread, end: ParkedEnd, at: number): { op: StepOp; ending: Ending } {
  const { cost, thread } = stored.row;
  const ending: Ending = { status: end.status, outputs: undefined, text: '', error: end.failure, cost };
  const { code, message } = end.failure;
  const payload =
    end.status === 'cancelled'
      ? { reason: message, cost: costPayload(cost) }
      : { error: { code, message }, cost: costPayload(cost) };
  const events = [...missedChildEvents(stored), { type: `thread_${end.status}`, payload } as const];
  const firstSequence = stored.lastSequence + 1;
  const op: StepOp = {
    type: 'step',
    thread,
    at,
    lines: events
      .map((event, index) =>
        encodeEvent({ sequence: firstSequence + index, event_type: event.type, time: at, payload: event.payload }),
      )
      .join(''),
    firstSequence,
    lastSequence: stored.lastSequence + events.length,
    cost,
    status: { to: end.status, ending: JSON.stringify(ending) },
  };
  return { op, ending };
}

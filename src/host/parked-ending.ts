import { costPayload } from '../core/cost-payload.ts';
import type { Ending } from '../core/ending.ts';
import type { Failure } from '../core/errors.ts';
import { encodeEvent, type SuspendReason } from '../core/events.ts';
import type { StepOp, StoredThread, StoreResult } from '../core/store.ts';
import type { SupervisorEvent } from '../../machines/supervisor.machine.ts';
import type { HostContext } from './host-context.ts';
import type { ThreadEntry } from './thread-table.ts';

/** How a thread ends that is in no worker: queued, suspended, or one that could not be set up. */
export type ParkedEnd = { readonly status: 'cancelled' | 'error'; readonly failure: Failure };

/** The end of a thread that is cancelled. */
export function cancelled(reason: string): ParkedEnd {
  return { status: 'cancelled', failure: { code: 'cancelled', message: reason } };
}

/** Writes the ending of a thread that no worker holds, after the last event of its log. */
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
  entry.order = undefined;
  const done = (problem: Failure | undefined, event?: SupervisorEvent): void => {
    entry.parking = false;
    if (problem) host.problem(problem);
    if (event) host.tell(event);
  };
  host.store.submit({ type: 'load', thread: entry.lineage.thread }, (result) => {
    if (result === true || result.type !== 'loaded') return done(notEnded(result));
    const { op, event } = write(result.thread);
    host.store.submit(op, (written) => {
      if (written === true) done(undefined, event);
      else done(notEnded(written));
    });
  });
}

function notEnded(result: StoreResult): Failure {
  const reason = result !== true && result.type === 'failed' ? result.failure.message : JSON.stringify(result);
  return { code: 'store_failed', message: `A thread that is in no worker could not be ended or suspended: ${reason}` };
}

function endingOf({ row, lastSequence }: StoredThread, end: ParkedEnd, at: number): { op: StepOp; ending: Ending } {
  const { cost } = row;
  const ending: Ending = { status: end.status, outputs: undefined, text: '', error: end.failure, cost };
  const sequence = lastSequence + 1;
  const { code, message } = end.failure;
  const payload =
    end.status === 'cancelled'
      ? { reason: message, cost: costPayload(cost) }
      : { error: { code, message }, cost: costPayload(cost) };
  const op: StepOp = {
    type: 'step',
    thread: row.thread,
    at,
    lines: encodeEvent({ sequence, event_type: `thread_${end.status}`, time: at, payload }),
    firstSequence: sequence,
    lastSequence: sequence,
    cost,
    status: { to: end.status, ending: JSON.stringify(ending) },
  };
  return { op, ending };
}

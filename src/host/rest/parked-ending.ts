import { missedChildEvents, type ParentLog } from '../../core/child-events.ts';
import { costPayload } from '../../core/cost-payload.ts';
import type { Ending } from '../../core/ending.ts';
import type { Failure } from '../../core/errors.ts';
import type { SuspendReason } from '../../core/events.ts';
import type { ApprovalId, ThreadId } from '../../core/ids.ts';
import { missedResults } from '../../core/open-calls.ts';
import { attempt } from '../../core/result.ts';
import {
  failureIn,
  type LoadOp,
  type StepOp,
  type StoredChild,
  type StoredThread,
  type StoreResult,
} from '../../core/store.ts';
import type { SupervisorEvent } from '../../../machines/supervisor.machine.ts';
import { pendingOf } from '../approvals/approval-pending.ts';
import { endsAfterChildren, isTakenAlong } from '../admission/child-policy.ts';
import type { HostContext } from '../host-context.ts';
import { standInLine, stopWaiting } from '../admission/line.ts';
import { cachedTokens } from './cached-tokens.ts';
import { addInherited } from './inherited-children.ts';
import { approvalResolved, linesAfter, suspension } from './parked-steps.ts';
import { reportEmpty } from '../endings/report-empty.ts';
import type { ParkedEnd, ThreadEntry } from './thread-table.ts';
import { wake } from '../waits/waiters.ts';

/** The end of a thread that is cancelled. */
export function cancelled(reason: string): ParkedEnd {
  return { status: 'cancelled', failure: { code: 'cancelled', message: reason } };
}

/**
 * Writes the ending of a thread that no worker holds, after its log's last event and what the log lacks about children:
 * now, or once its children have ended if its child policy says so. Until then it does not start.
 */
export function endParked(host: HostContext, entry: ThreadEntry | undefined, end: ParkedEnd): void {
  if (!entry) return;
  host.table.keep(entry);
  if (entry.liveChildren > 0 && endsAfterChildren(host, end.status)) {
    entry.heldEnd = end;
    entry.order = undefined;
    stopWaiting(host, entry);
    return;
  }
  // A cancellation, or an end that is held back, is taken up after what is just being written.
  if (host.parking.has(entry)) return;
  entry.heldEnd = undefined;
  const write = (stored: StoredThread, family: ParentLog): Written => {
    const { op, ending } = endingOf({ stored, family }, end, host.clock.now());
    // The store closes what is still asked for a thread that ends.
    const approval = pendingOf(host, entry)?.approvalId;
    return { op, event: { type: 'ENDED', thread: entry.lineage.thread, ending }, approval };
  };
  writeParked(host, entry, {
    words: NOT_ENDED,
    readsLog: true,
    write,
    undo: (failure) => undoEnding(host, entry, failure),
  });
}

const NOT_ENDED = {
  failed: 'could not be ended',
  advice: 'It has not ended: once its log can be written, cancel it again',
};

/**
 * Carries out what somebody has asked for while a thread could not be stopped: a cancellation, or else a suspension. False if there is
 * neither.
 */
export function stopParked(host: HostContext, entry: ThreadEntry, suspendAsked: SuspendReason | undefined): boolean {
  const { cancelReason } = entry;
  if (cancelReason !== undefined) endParked(host, entry, cancelled(cancelReason));
  else if (suspendAsked !== undefined) suspendParked(host, entry, suspendAsked);
  else return false;
  return true;
}

/**
 * Suspends a thread that waits for a slot: it leaves the line, and can be resumed like any other. One that the end of a runtime
 * has interrupted is suspended for this reason from then on.
 */
export function suspendParked(host: HostContext, entry: ThreadEntry, reason: SuspendReason): void {
  // The second of two suspensions has nothing to add.
  if (host.parking.has(entry)) return;
  entry.suspendAsked = reason;
  const write = ({ row: { thread, cost }, lastSequence: sequence }: StoredThread): Written => ({
    op: suspension({ thread, sequence, at: host.clock.now() }, { suspend_reason: reason }),
    event: { type: 'SUSPENDED', thread, reason, cost },
  });
  writeParked(host, entry, { words: NOT_SUSPENDED, write, undo: (failure) => undoSuspension(host, entry, failure) });
}

const NOT_SUSPENDED = {
  failed: 'could not be suspended',
  advice: 'It stands where it stood: once its log can be written, suspend it again',
};

/** A step, what the supervisor hears after its commit, and the request it settles. */
export type Written = {
  readonly op: StepOp;
  readonly event: SupervisorEvent;
  readonly approval?: ApprovalId | undefined;
};
/** What is to be written, and what is said and done if it can't be. */
export type ParkedWrite = {
  /** What did not happen to the thread, and what whoever asked for it can do. */
  readonly words: { readonly failed: string; readonly advice: string };
  /** `write` looks into the log and at the children, also inherited ones: else none is read, and a long log costs nothing. */
  readonly readsLog?: true;
  readonly write: (stored: StoredThread, family: ParentLog) => Written;
  readonly undo: (failure: Failure) => void;
};

/** Appends to a log that no worker holds; the supervisor hears of it after the commit. One write at a time. */
export function writeParked(
  host: HostContext,
  entry: ThreadEntry,
  { words, readsLog, write, undo }: ParkedWrite,
): void {
  if (host.parking.has(entry)) return undo(notWritten(entry, words, 'something else is just being written of it'));
  host.table.keep(entry);
  const { lineage, treeSpawned } = entry;
  const childEndings = readsLog && treeSpawned > 0 ? new Map<ThreadId, Ending>() : undefined;
  host.parking.set(entry, childEndings);
  const stop = (result: StoreResult): void => {
    const failure = refusedIn(result) ?? notWritten(entry, words, reasonOf(result));
    host.parking.delete(entry);
    if (!isRefused(failure)) host.problem(failure);
    undo(failure);
    host.table.rest(entry);
    reportEmpty(host);
  };
  const load: LoadOp = {
    type: 'load',
    thread: lineage.thread,
    withChildren: readsLog === true && treeSpawned > 0,
    onlyRaises: !readsLog,
  };
  const commit = (stored: StoredThread, family: ParentLog): void => {
    // A damaged log is its own thread's trouble: the others of the batch get their answers.
    const written = attempt(() => write(stored, family), 'store_corrupt');
    if (!written.ok) return stop({ type: 'failed', failure: written.failure });
    const { op, event, approval } = written.value;
    host.store.submit(op, (committed) => {
      if (committed !== true) return stop(committed);
      host.parking.delete(entry);
      entry.order = undefined;
      host.tell(event);
      host.feed.deliverOwn(entry, op.lines);
      if (approval !== undefined) host.approvals.tell('resolved', approval);
    });
  };
  host.store.submit(load, (result) => {
    if (result === true || result.type !== 'loaded') return stop(result);
    const { thread } = result;
    if (!childEndings) return commit(thread, thread);
    addInherited(thread, host, (family) => commit(thread, withEndings(family, childEndings)));
  });
}

/** Whether nothing has failed: there is no money for it. */
export function isRefused({ code }: Failure): boolean {
  return code === 'budget_refused';
}

function refusedIn(result: StoreResult): Failure | undefined {
  const failure = failureIn(result);
  return failure && isRefused(failure) ? failure : undefined;
}

/** A parent as it was read, with the children that have ended since. */
function withEndings(family: ParentLog, endings: ReadonlyMap<ThreadId, Ending>): ParentLog {
  if (endings.size === 0) return family;
  const children = family.children.map((child): StoredChild => {
    const ending = endings.get(child.threadId);
    return ending ? { ...child, status: ending.status, cost: ending.cost } : child;
  });
  return { ...family, children };
}

/** A cancellation that came meanwhile has not been tried yet, nor an end that was held back. */
function undoSuspension(host: HostContext, entry: ThreadEntry, failure: Failure): void {
  entry.suspendAsked = undefined;
  if (entry.cancelReason !== undefined) return endParked(host, entry, cancelled(entry.cancelReason));
  wake(entry, failure);
  if (entry.heldEnd) endParked(host, entry, entry.heldEnd);
  else goBack(host, entry);
}

/**
 * The thread stands where it stood, and whoever waits for it hears why; later it can be cancelled again. One that no
 * worker could set up is suspended, whatever its row says, and so is one that must not start without its parent.
 */
function undoEnding(host: HostContext, entry: ThreadEntry, failure: Failure): void {
  entry.cancelReason = undefined;
  wake(entry, failure);
  if (entry.worker < 0 && !isTakenAlong(host, entry)) return goBack(host, entry);
  entry.order = undefined;
  host.tell({ type: 'SUSPENDED', thread: entry.lineage.thread, reason: 'error', cost: undefined });
}

/** Its turn may have passed meanwhile, and a runtime that closes has taken its order. */
function goBack(host: HostContext, entry: ThreadEntry): void {
  if (entry.phase !== 'queued' || !entry.order) return;
  standInLine(host, entry);
  host.tell({ type: 'SLOT_FREE' });
}

function notWritten({ lineage }: ThreadEntry, { failed: what, advice }: ParkedWrite['words'], why: string): Failure {
  return { code: 'store_failed', message: `Thread ${lineage.threadId} ${what}: ${why}. ${advice}` };
}

function reasonOf(result: StoreResult): string {
  return failureIn(result)?.message ?? JSON.stringify(result);
}

/** A thread, and what is to be known of its children. */
type Ended = { readonly stored: StoredThread; readonly family: ParentLog };

function endingOf({ stored, family }: Ended, end: ParkedEnd, at: number): { op: StepOp; ending: Ending } {
  const { thread } = stored.row;
  const cost = { ...stored.row.cost, ...cachedTokens(stored) };
  const ending: Ending = { status: end.status, outputs: undefined, text: '', error: end.failure, cost };
  const { code, message } = end.failure;
  const payload =
    end.status === 'cancelled'
      ? { reason: message, cost: costPayload(cost) }
      : { error: { code, message }, cost: costPayload(cost) };
  const { decision } = end;
  const events = [
    ...missedChildEvents(family),
    ...missedResults(stored.lines),
    ...(decision
      ? [approvalResolved({ ...decision, granted: decision.status === 'granted', comment: end.comment })]
      : []),
    { type: `thread_${end.status}`, payload } as const,
  ];
  const op: StepOp = {
    type: 'step',
    thread,
    at,
    ...linesAfter(stored.lastSequence, { at, events }),
    cost,
    status: { to: end.status, ending: JSON.stringify(ending) },
    ...(decision && { decision }),
  };
  return { op, ending };
}

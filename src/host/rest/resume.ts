import { resolveLimits } from '../../config/limits.ts';
import { toFailure, type Failure } from '../../core/errors.ts';
import type { ApprovalId } from '../../core/ids.ts';
import type { LimitOverrides } from '../../core/limits.ts';
import { attempt, failed, ok, type Result } from '../../core/result.ts';
import { assignThreads } from '../admission/admission.ts';
import { pendingOf } from '../approvals/approval-pending.ts';
import { checkNewLimits } from '../approvals/approval-limits.ts';
import type { HostContext } from '../host-context.ts';
import { isInterrupted, isPaused, withBelow } from './interrupted.ts';
import { restInLine, standInLine } from '../admission/line.ts';
import { cancelled, endParked, suspendParked } from './parked-ending.ts';
import { resumeEnded } from './resume-ended.ts';
import { reportEmpty } from '../endings/report-empty.ts';
import type { ThreadEntry } from './thread-table.ts';
import { wake } from '../waits/waiters.ts';
import { writeResumption } from './write-resumption.ts';

/** What somebody has said to a request, and who. */
export type ApprovalAnswered = {
  readonly approvalId: ApprovalId;
  readonly by: string;
  /** A plain resumption: who resumes a thread says what it goes on with, whatever was asked for. */
  readonly isPlain?: true;
  /** False: a call that is refused, with what is said to its model; the thread goes on all the same. */
  readonly granted: boolean;
  readonly comment?: string | undefined;
};

/** A suspended or ended thread that is to go on. */
export type ResumeOrder = {
  readonly entry: ThreadEntry;
  readonly message: string | undefined;
  readonly limits: LimitOverrides | undefined;
  readonly done: (answer: Result<ThreadEntry>) => void;
  /** The answer to a request; a plain resumption answers what is pending, too. */
  readonly answer?: ApprovalAnswered;
  /** What has to be on disk before it goes on is there: more money, and what it was resumed with. */
  readonly isReady?: boolean;
  /** Who resumes it goes through all that is below it as well. */
  readonly isPart?: true;
};

/** Puts a suspended thread in line, or has an ended one go on in a successor; it is read back from its checkpoint when it gets a slot. */
export function resumeThread(host: HostContext, order: ResumeOrder): void {
  if (order.entry.phase === 'ended') return resumeEnded(host, order);
  const refusal = refuse(host, order);
  if (refusal) return order.done(failed(refusal));
  const asked = attempt(() => (order.isReady ? order : withPending(host, order)));
  if (!asked.ok) return order.done(asked);
  if (needsStore(host, asked.value)) return prepare(host, asked.value);
  const { entry, limits, done, isPart } = asked.value;
  entry.phase = 'queued';
  entry.suspendReason = undefined;
  entry.order = { kind: 'resume' };
  entry.spawnLimit = limits?.spawns ?? entry.spawnLimit;
  standInLine(host, entry);
  done(ok(entry));
  if (!isPart) takeAlong(host, entry);
  assignThreads(host);
  restInLine(host, entry);
}

/**
 * What was interrupted below a thread goes on with it: no parent may find a child suspended that nobody has suspended. Where no row
 * of its tree says so, nothing is read back.
 */
function takeAlong(host: HostContext, entry: ThreadEntry): void {
  const { children, family, lineage } = entry;
  if (!children?.size) return;
  const below = attempt(() => (host.reader.isInterrupted(lineage.root, family) ? withBelow(entry, host) : []));
  if (!below.ok) return host.problem(below.failure);
  for (const one of below.value) if (isInterrupted(one)) resumeThread(host, orderToGoOn(host, one));
}

/** The order by which a thread goes on that the end of a runtime has interrupted, with all that is in its tree. */
export function orderToGoOn(host: HostContext, entry: ThreadEntry): ResumeOrder {
  const done: ResumeOrder['done'] = (answer) => {
    // One that somebody has cancelled meanwhile is to go on no more.
    if (answer.ok || answer.failure.code === 'runtime_closed' || entry.cancelReason !== undefined) return;
    host.problem(answer.failure);
  };
  return { entry, message: undefined, limits: undefined, done, isPart: true };
}

/** A plain resumption of a thread that waits for a person is that person's answer. */
function withPending(host: HostContext, order: ResumeOrder): ResumeOrder {
  if (order.answer) return order;
  const pending = pendingOf(host, order.entry);
  if (!pending) return order;
  const { approvalId } = pending;
  return { ...order, answer: { approvalId, by: 'resume', isPlain: true, granted: true, comment: order.message } };
}

/**
 * What a runtime has interrupted goes on as its rows say it: nothing is to be written, unless somebody has something to say.
 * But its suspension may have given back what it could still spend.
 */
function needsStore({ config }: HostContext, { isReady, answer, message, limits, entry }: ResumeOrder): boolean {
  if (isReady) return false;
  const isPlain = !answer && !limits && message === undefined && entry.suspendReason === 'shutdown';
  return !isPlain || config.budget.releaseSuspended;
}

function refuse(host: HostContext, { entry, limits, isReady }: ResumeOrder): Failure | undefined {
  const { phase, cancelReason, heldEnd, resuming, lineage } = entry;
  const refusal = (how: string): Failure => ({
    code: 'invalid_argument',
    message: `Thread ${lineage.threadId} ${how}`,
  });
  if (cancelReason !== undefined) return refusal('is being cancelled');
  if (heldEnd) return refusal('is to end with its last child, and takes no more steps');
  if (phase !== 'suspended') return refusal(`is ${phase}; only a suspended one can be resumed`);
  if (isReady) return undefined;
  if (resuming) return refusal('is being resumed already');
  if (host.parking.has(entry)) return refusal('is just being ended');
  return checkLimits(host, limits);
}

/**
 * What must be on disk before the thread stands in line: that it goes on, with what, and with the money for it. Its limits
 * are no more than its parent's. Whoever resumes it hears now what does not fit. Then
 * nothing has changed, but what was interrupted goes on, or ends, without what was said ({@link goOnAllTheSame}).
 */
function prepare(host: HostContext, order: ResumeOrder): void {
  const { entry, done: answer } = order;
  const tooMuch = checkNewLimits(host, order);
  if (tooMuch) return answer(failed(tooMuch));
  const done: ResumeOrder['done'] = (given) => {
    entry.resuming = false;
    host.awaitingStore.delete(entry.lineage.thread);
    answer(given);
    catchUp(host, order, given.ok);
    host.table.rest(entry);
    reportEmpty(host);
  };
  host.table.keep(entry);
  entry.resuming = true;
  host.awaitingStore.set(entry.lineage.thread, done);
  writeResumption(host, order, { ...order, done, isReady: true });
}

/** What somebody wanted of a thread meanwhile could not be written while its resumption was. */
function catchUp(host: HostContext, { entry, isPart }: ResumeOrder, isResumed: boolean): void {
  const { cancelReason, suspendAsked } = entry;
  entry.suspendAsked = undefined;
  if (cancelReason !== undefined && entry.phase === 'suspended') return endParked(host, entry, cancelled(cancelReason));
  if (!isResumed && !isPart && suspendAsked === undefined && isInterrupted(entry)) goOnAllTheSame(host, entry);
  // It is suspended as it was: who waits for it has not taken it for that meanwhile.
  if (!isResumed) wake(entry);
  // A runtime that closes has put it nowhere, but its row says that it goes on.
  else if (suspendAsked !== undefined) entry.phase = 'queued';
  if (suspendAsked !== undefined && isPaused(entry)) suspendParked(host, entry, suspendAsked);
}

/** What goes on in its tree has left it out meanwhile, and recovery may have passed it. */
function goOnAllTheSame(host: HostContext, entry: ThreadEntry): void {
  const above = host.table.parentOf(entry);
  const isLeftOut = above !== undefined && above.phase !== 'suspended' && above.phase !== 'ended';
  if (isLeftOut) host.tell({ type: 'RESUME', order: orderToGoOn(host, entry) });
  else host.recovery?.missed(entry);
}

/** New limits must be limits: the caller hears of a mistake now, not when the thread gets its turn. */
function checkLimits({ config }: HostContext, limits: LimitOverrides | undefined): Failure | undefined {
  try {
    const { defaults } = config.resilience.limits;
    resolveLimits({
      defaults,
      directive: { id: 'resume', limits: {} },
      ...(limits !== undefined && { overrides: limits }),
    });
    return undefined;
  } catch (thrown) {
    return toFailure(thrown, 'invalid_argument');
  }
}

import type { Failure } from '../core/errors.ts';
import type { ThreadNo } from '../core/ids.ts';
import { formatUsd, type NanoUsd } from '../core/money.ts';
import type { AdmitOp, StepOp, StoreResult } from '../core/store.ts';

/** The result of an operation of which nothing was applied. */
export function failure(reason: Failure): StoreResult {
  return { type: 'failed', failure: reason };
}

/** Nothing can be added to a thread with this status; undefined = there is none. */
export function notOpen(thread: ThreadNo, status: string | undefined): Failure {
  return status === undefined
    ? { code: 'thread_not_found', message: `there is no thread with number ${thread}` }
    : { code: 'thread_ended', message: `thread ${thread} has ended (${status}): nothing can be added to it` };
}

/** The number or the id of a new thread is in use. */
export function taken({ thread, threadId }: AdmitOp): Failure {
  return { code: 'invalid_argument', message: `thread ${thread} (${threadId}) exists already` };
}

/** A thread that goes on can have no successor yet. */
export function stillOpen(predecessor: ThreadNo): Failure {
  const message = `thread ${predecessor} has not ended: it is continued in one step with its end, or not at all`;
  return { code: 'invalid_argument', message };
}

/** A chain has no branches. */
export function hasSuccessor(predecessor: ThreadNo): Failure {
  return { code: 'invalid_argument', message: `thread ${predecessor} has a successor already: that one can go on` };
}

/** A child's ceiling does not fit its parent's budget. */
export function overBudget(op: AdmitOp, remaining: NanoUsd): Failure {
  return {
    code: 'budget_refused',
    message: `the thread has ${formatUsd(remaining)} left, and its child would get ${formatUsd(op.ceiling)}`,
    detail: { remaining },
  };
}

/** What a thread is to have does not fit the budget of the one above it. */
export function overAbove(remaining: NanoUsd): Failure {
  const message = `what is above the thread has ${formatUsd(remaining)} left, and it needs more`;
  return { code: 'budget_refused', message, detail: { remaining } };
}

/** The entry that says that the reservation of a step was refused. */
export const REFUSED_CALL = 'refused_call';

/** How the keys of such entries begin, and no others. */
const STEP_MARK = '\u0001';

/** The key of that entry: of the step, by its last event. */
export function stepKey({ lastSequence }: StepOp): string {
  return `${STEP_MARK}${lastSequence}`;
}

/** Whether a key could be that of a step. */
export function isStepKey(key: string): boolean {
  return key.startsWith(STEP_MARK);
}

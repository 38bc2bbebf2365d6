import type { Failure } from '../../core/errors.ts';
import type { EventPayloads } from '../../core/events.ts';
import { formatUsd, usdToNano } from '../../core/money.ts';
import { failed } from '../../core/result.ts';
import type { StepOp } from '../../core/store.ts';
import type { HostContext } from '../host-context.ts';
import { isRefused, writeParked } from './parked-ending.ts';
import { approvalResolved, linesAfter, type StepPlace } from './parked-steps.ts';
import type { ApprovalAnswered, ResumeOrder } from './resume.ts';

/**
 * Writes down that a thread goes on: with which message and limits, the money for these, and the answer to what it asked, in
 * one step. From then on its row says what those of interrupted threads say, so that whoever kills the runtime now, the
 * next one takes it up (ADR 58). Then `ready` puts it in line.
 */
export function writeResumption(host: HostContext, order: ResumeOrder, ready: ResumeOrder): void {
  const { entry, answer } = order;
  writeParked(host, entry, {
    words: { failed: 'could not be resumed', advice: entry.suspendReason === 'shutdown' ? LOOK_FIRST : TRY_AGAIN },
    write: ({ row, lastSequence }) => ({
      op: stepOf(order, { thread: row.thread, sequence: lastSequence, at: host.clock.now() }, ceilingOf(host, order)),
      event: { type: 'RESUME', order: ready },
      approval: answer?.approvalId,
    }),
    undo: (failure) => ready.done(failed(isRefused(failure) ? unaffordable(order, failure) : failure)),
  });
}

const TRY_AGAIN =
  'It stands where it stood: once its log can be written, resume it again with the same message and limits';
/** Of what was interrupted, `coordination.on_restart` says what becomes of it then. */
const LOOK_FIRST =
  'The end of a runtime had interrupted it, so that it may go on, or end, without what was said: ' +
  'look at its status, then send it the message or resume it again';

/** What its parent is to reserve for it: another `spend`, and what its suspension may have given back. */
function ceilingOf({ config }: HostContext, { limits }: ResumeOrder): StepOp['ceiling'] {
  const { spend } = limits ?? {};
  if (spend !== undefined) return usdToNano(spend);
  return config.budget.releaseSuspended ? 'kept' : undefined;
}

function unaffordable({ entry, limits }: ResumeOrder, { code, detail }: Failure): Failure {
  const { spend } = limits ?? {};
  const what = spend === undefined ? 'what it had left when it was suspended' : `${spend} USD`;
  const left = formatUsd(Number(detail?.['remaining'] ?? 0));
  const message = `Thread ${entry.lineage.threadId} cannot be given ${what}: what its parent has left for it is ${left}`;
  return { code, message, ...(detail && { detail }) };
}

function stepOf(order: ResumeOrder, { thread, sequence, at }: StepPlace, ceiling: StepOp['ceiling']): StepOp {
  const { message, limits, answer } = order;
  const payload: EventPayloads['thread_resumed'] = {
    ...(message !== undefined && { message }),
    ...(limits && { limits }),
  };
  const resumed = { type: 'thread_resumed', payload } as const;
  const events = answer ? [approvalResolved({ ...answer, limits }), resumed] : [resumed];
  return {
    type: 'step',
    thread,
    at,
    ...linesAfter(sequence, { at, events }),
    status: { to: 'suspended', reason: 'shutdown' },
    ceiling,
    ...(answer && { decision: decisionOf(answer, limits) }),
  };
}

function decisionOf({ approvalId, by, granted }: ApprovalAnswered, limits: ResumeOrder['limits']) {
  return { approvalId, status: granted ? 'granted' : 'denied', by, granted: limits && JSON.stringify(limits) } as const;
}

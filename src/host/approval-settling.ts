import type { Failure, SkeinErrorCode } from '../core/errors.ts';
import { encodeEvent, type EventPayloads, type SuspendReason } from '../core/events.ts';
import type { StepOp } from '../core/store.ts';
import type { ApprovalDecision, ApprovalRow } from '../core/store-approvals.ts';
import type { HostContext } from './host-context.ts';
import { writeParked } from './parked-ending.ts';
import type { ResumeOrder } from './resume.ts';
import type { ParkedEnd } from './thread-table.ts';

/** A thread that goes on with the answer to what it asked. */
export type AnswerOrder = {
  readonly order: ResumeOrder;
  /** What puts it in line once the answer is on disk. */
  readonly ready: ResumeOrder;
  readonly failed: (failure: Failure) => void;
};

/**
 * Writes an answer into the log and the row of its request, in one step: from then on the thread has its new limits, or knows
 * which call is refused, whoever resumes it, also after a crash. Then it stands in line.
 */
export function writeAnswer(host: HostContext, { order, ready, failed }: AnswerOrder): void {
  const { entry, answer, limits } = order;
  if (!answer) return;
  const { approvalId, by, granted, comment } = answer;
  const payload = {
    approval_id: approvalId,
    granted,
    by,
    ...(comment !== undefined && { message: comment }),
    ...(limits && { limits }),
  };
  const status = granted ? 'granted' : 'denied';
  const decision: ApprovalDecision = { approvalId, status, by, granted: limits && JSON.stringify(limits) };
  writeParked(host, entry, {
    write: ({ row, lastSequence }) => ({
      op: decisionStep({ thread: row.thread, sequence: lastSequence + 1, at: host.clock.now() }, payload, decision),
      event: { type: 'RESUME', order: ready },
      approval: approvalId,
    }),
    undo: failed,
  });
}

function decisionStep(
  { thread, sequence, at }: { readonly thread: number; readonly sequence: number; readonly at: number },
  payload: EventPayloads['approval_resolved'],
  decision: ApprovalDecision,
): StepOp {
  const lines = encodeEvent({ sequence, event_type: 'approval_resolved', time: at, payload });
  return { type: 'step', thread, at, lines, firstSequence: sequence, lastSequence: sequence, decision };
}

/** What a denied thread ends with where no limit has a code for it. */
const CODE_OF: Readonly<Partial<Record<SuspendReason, SkeinErrorCode>>> = {
  budget: 'spend_exceeded',
  error: 'provider_failed',
};

/** How a thread ends whose request is denied: with an error that has the code of what it asked about. */
export function denied(
  { approvalId, limitCode, reason, message: asked }: ApprovalRow,
  { by, message }: { readonly by: string; readonly message: string | undefined },
): ParkedEnd {
  // The row's code is what the runtime has written.
  const code = (limitCode as SkeinErrorCode | undefined) ?? CODE_OF[reason] ?? 'permission_denied';
  const why = message === undefined ? '' : `: ${message}`;
  return {
    status: 'error',
    failure: { code, message: `${asked}; denied by ${by}${why}` },
    decision: { approvalId, status: 'denied', by, granted: undefined },
    ...(message !== undefined && { comment: message }),
  };
}

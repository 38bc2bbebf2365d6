import type { Failure } from '../core/errors.ts';
import type { EventPayloads } from '../core/events.ts';
import type { StepOp } from '../core/store.ts';
import type { HostContext } from './host-context.ts';
import { linesAfter } from './lines-after.ts';
import { writeParked } from './parked-ending.ts';
import type { ApprovalAnswered, ResumeOrder } from './resume.ts';

/** A thread that is to go on. */
export type Resumption = {
  readonly order: ResumeOrder;
  /** What puts it in line once that is on disk. */
  readonly ready: ResumeOrder;
  readonly failed: (failure: Failure) => void;
};

/**
 * Writes down that a thread goes on: with which message and limits, and the answer to what it asked, in one step. From then on
 * its row says what those of interrupted threads say, so that whoever kills the runtime now, the next one takes it up (ADR
 * 58). Then it stands in line.
 */
export function writeResumption(host: HostContext, { order, ready, failed }: Resumption): void {
  const { entry, answer } = order;
  writeParked(host, entry, {
    write: ({ row, lastSequence }) => ({
      op: stepOf(order, { thread: row.thread, sequence: lastSequence, at: host.clock.now() }),
      event: { type: 'RESUME', order: ready },
      approval: answer?.approvalId,
    }),
    undo: failed,
  });
}

type Place = { readonly thread: number; readonly sequence: number; readonly at: number };

function stepOf({ message, limits, answer }: ResumeOrder, { thread, sequence, at }: Place): StepOp {
  const payload: EventPayloads['thread_resumed'] = {
    ...(message !== undefined && { message }),
    ...(limits && { limits }),
  };
  const resumed = { type: 'thread_resumed', payload } as const;
  const events = answer ? [resolved(answer, limits), resumed] : [resumed];
  return {
    type: 'step',
    thread,
    at,
    ...linesAfter(sequence, { at, events }),
    status: { to: 'suspended', reason: 'shutdown' },
    ...(answer && { decision: decisionOf(answer, limits) }),
  };
}

function resolved({ approvalId, by, granted, comment }: ApprovalAnswered, limits: ResumeOrder['limits']) {
  const payload: EventPayloads['approval_resolved'] = {
    approval_id: approvalId,
    granted,
    by,
    ...(comment !== undefined && { message: comment }),
    ...(limits && { limits }),
  };
  return { type: 'approval_resolved', payload } as const;
}

function decisionOf({ approvalId, by, granted }: ApprovalAnswered, limits: ResumeOrder['limits']) {
  return { approvalId, status: granted ? 'granted' : 'denied', by, granted: limits && JSON.stringify(limits) } as const;
}

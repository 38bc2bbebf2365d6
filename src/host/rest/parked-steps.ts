import { encodeEvent, type EventPayloads, type EventType } from '../../core/events.ts';
import type { ApprovalId, ThreadNo } from '../../core/ids.ts';
import type { LimitOverrides } from '../../core/limits.ts';
import type { StepOp } from '../../core/store.ts';

/** A thread, the number of its log's last event, and the time of the step that follows it. */
export type StepPlace = { readonly thread: ThreadNo; readonly sequence: number; readonly at: number };

/** The step that suspends a thread which no worker holds. */
export function suspension({ thread, sequence, at }: StepPlace, payload: EventPayloads['thread_suspended']): StepOp {
  return {
    type: 'step',
    thread,
    at,
    ...linesAfter(sequence, { at, events: [{ type: 'thread_suspended', payload }] }),
    status: { to: 'suspended', reason: payload.suspend_reason },
  };
}

/** What somebody has said to a request. */
type Resolution = {
  readonly approvalId: ApprovalId;
  readonly by: string;
  readonly granted: boolean;
  readonly comment?: string | undefined;
  readonly limits?: LimitOverrides | undefined;
};

/** The event of an answer. */
export function approvalResolved({ approvalId, by, granted, comment, limits }: Resolution): NextEvent {
  const payload: EventPayloads['approval_resolved'] = {
    approval_id: approvalId,
    granted,
    by,
    ...(comment !== undefined && { message: comment }),
    ...(limits && { limits }),
  };
  return { type: 'approval_resolved', payload };
}

type NextEvent = { readonly type: EventType; readonly payload: EventPayloads[EventType] };

/** Events of one moment, milliseconds since the epoch. */
type Events = { readonly at: number; readonly events: readonly NextEvent[] };

/** The lines of events that follow a log's last one, and their numbers. */
export function linesAfter(
  last: number,
  { at, events }: Events,
): Pick<StepOp, 'lines' | 'firstSequence' | 'lastSequence'> {
  const first = last + 1;
  const lines = events.map(({ type, payload }, index) =>
    encodeEvent({ sequence: first + index, event_type: type, time: at, payload }),
  );
  return { lines: lines.join(''), firstSequence: first, lastSequence: last + events.length };
}

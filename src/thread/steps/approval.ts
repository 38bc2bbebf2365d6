import type { LimitHit } from '../../core/limits.ts';
import { nanoToUsd } from '../../core/money.ts';
import type { ApprovalQuestion, ApprovalRequest } from '../../core/store-approvals.ts';
import type { EventPayloads } from '../../core/events.ts';
import type { Control } from '../hooks/control.ts';
import type { Decided } from '../hooks/obey-control.ts';
import type { Hook } from '../hooks/hooks.ts';
import type { Thread } from '../thread.ts';

/** What a person is asked where a hook suspends a thread (S2 §5.1). */
export function askOfHook(
  decided: Pick<Decided, 'thread' | 'event' | 'by' | 'subject'>,
  control: Control,
): ApprovalQuestion & { readonly point: string } {
  const { thread, event, by } = decided;
  const subject = decided.subject?.();
  const hook = by?.id ?? '';
  const about = subject ? `: ${subject.text.slice(0, MAX_SUBJECT_CHARS)}` : '';
  const which = subject ? ` ${subject.id} ${subject.text}` : '';
  return {
    ...NO_LIMIT,
    askedBy: askedBy(thread, by),
    message: control.suspend_reason ?? control.error ?? `Hook ${hook} asks at ${event}${about}`,
    // Two hooks may have the same id, in different places: an answer is one hook's.
    point: `${event} ${by?.source ?? ''} hook ${hook} turn ${thread.turns}${which}`,
  };
}

/** What a person is asked at a limit; `suggested` is in the limit's own unit, money in nano-USD. */
export function askAtLimit(
  { thread, by }: Pick<Decided, 'thread' | 'by'>,
  {
    hit,
    message,
    suggested,
  }: { readonly hit: LimitHit; readonly message: string; readonly suggested?: number | undefined },
): ApprovalQuestion {
  return {
    limitCode: hit.code,
    currentValue: hit.current,
    currentMax: hit.max,
    suggested,
    askedBy: askedBy(thread, by),
    message,
  };
}

/** What a person is asked by something that is about no limit. */
export function askAbout(
  thread: Thread,
  { by, message }: { readonly by: Hook | 'ledger'; readonly message: string },
): ApprovalQuestion {
  return {
    ...NO_LIMIT,
    askedBy: by === 'ledger' ? `${thread.plan.directive.id}, ledger` : askedBy(thread, by),
    message,
  };
}

/** What a person is asked about a call of which nobody knows whether it has run: a grant runs it again. */
export function askAboutCall(
  { plan }: Thread,
  { point, message }: { readonly point: string; readonly message: string },
): ApprovalQuestion & { readonly point: string } {
  const shown = message.slice(0, MAX_SUBJECT_CHARS);
  return { ...NO_LIMIT, askedBy: `${plan.directive.id}, recovery`, message: shown, point };
}

/** The payload of `approval_requested`; amounts of money in USD. */
export function requestPayload(
  request: ApprovalRequest,
  point: string | undefined,
): EventPayloads['approval_requested'] {
  const { approvalId, reason, askedBy: asked, message, limitCode } = request;
  const { currentValue, currentMax, suggested } = request;
  const shown = (amount: number): number => (limitCode === 'spend_exceeded' ? nanoToUsd(amount) : amount);
  return {
    approval_id: approvalId,
    suspend_reason: reason,
    asked_by: asked,
    message,
    ...(limitCode !== undefined && { limit_code: limitCode }),
    ...(currentValue !== undefined && { current_value: shown(currentValue) }),
    ...(currentMax !== undefined && { current_max: shown(currentMax) }),
    ...(suggested !== undefined && { suggested: shown(suggested) }),
    ...(point !== undefined && { point }),
  };
}

/** What is shown of what is asked about. */
const MAX_SUBJECT_CHARS = 1_000;

const NO_LIMIT = {
  limitCode: undefined,
  currentValue: undefined,
  currentMax: undefined,
  suggested: undefined,
} as const;

function askedBy({ plan }: Thread, by: Hook | undefined): string {
  return `${plan.directive.id}, ${by ? `hook ${by.id}` : 'on_exceed'}`;
}

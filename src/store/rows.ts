import type { ThreadStatus } from '../core/ending.ts';
import { SkeinError } from '../core/errors.ts';
import type { SuspendReason } from '../core/events.ts';
import type { ApprovalId, ThreadId, ThreadNo } from '../core/ids.ts';
import type { Cost } from '../core/limits.ts';
import type { LedgerRow, StoredChild, ThreadRow } from '../core/store.ts';
import type { ApprovalRow, ApprovalStatus } from '../core/store-approvals.ts';

/** A `threads` row as SQLite returns it, without its spec. */
export type RawThread = {
  readonly thread: ThreadNo;
  readonly thread_id: ThreadId;
  readonly parent_thread: ThreadNo | null;
  readonly root_thread: ThreadNo;
  readonly directive: string;
  readonly model: string;
  readonly status: ThreadStatus;
  readonly suspend_reason: SuspendReason | null;
  readonly ending: string | null;
  readonly turns: number;
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly spend: number;
  readonly created_at: number;
  readonly updated_at: number;
  readonly predecessor: ThreadNo | null;
  readonly successor: ThreadNo | null;
};

/** Of a `threads` row, what its parent is told. */
export type RawChild = Pick<
  RawThread,
  'thread_id' | 'directive' | 'status' | 'turns' | 'input_tokens' | 'output_tokens' | 'spend'
> & {
  /** Of its spec. */
  readonly hook_depth?: number | null;
};

/** A `budget_ledger` row as SQLite returns it. */
export type RawLedger = {
  readonly thread: ThreadNo;
  readonly parent_thread: ThreadNo | null;
  readonly reserved_spend: number;
  readonly extra_reserved: number;
  readonly actual_spend: number;
  readonly committed: number;
  readonly max_spend: number;
  readonly status: LedgerRow['status'];
};

/** An `approvals` row with what names its thread. */
export type RawApproval = {
  readonly approval_id: ApprovalId;
  readonly thread: ThreadNo;
  readonly thread_id: ThreadId;
  readonly directive: string;
  readonly reason: SuspendReason;
  readonly limit_code: string | null;
  readonly current_value: number | null;
  readonly current_max: number | null;
  readonly suggested: number | null;
  readonly asked_by: string;
  readonly message: string;
  readonly status: ApprovalStatus;
  readonly requested_at: number;
  readonly decided_at: number | null;
  readonly decided_by: string | null;
  readonly granted: string | null;
};

/** The columns of {@link RawThread}. */
export const THREAD_COLUMNS =
  'thread, thread_id, parent_thread, root_thread, directive, model, status, suspend_reason, ending, ' +
  'turns, input_tokens, output_tokens, spend, created_at, updated_at, predecessor, successor';

/** The columns of a stored checkpoint. */
export const CHECKPOINT_COLUMNS = 'sequence, turn, state';

/** The columns of {@link RawChild}. Few specs have a depth: no other is parsed. One that is damaged has none. */
export const CHILD_COLUMNS =
  'thread_id, directive, status, turns, input_tokens, output_tokens, spend, ' +
  `CASE WHEN instr(spec, '"hookDepth":') > 0 AND json_valid(spec) THEN json_extract(spec, '$.hookDepth') END AS hook_depth`;

/** The columns of {@link RawLedger}. */
export const LEDGER_COLUMNS =
  'thread, parent_thread, reserved_spend, extra_reserved, actual_spend, committed, max_spend, status';

/** The columns of {@link RawApproval}: `a` is approvals, `t` threads. */
export const APPROVAL_COLUMNS =
  'a.approval_id, thread, t.thread_id, t.directive, a.reason, a.limit_code, a.current_value, a.current_max, ' +
  'a.suggested, a.asked_by, a.message, a.status, a.requested_at, a.decided_at, a.decided_by, a.granted';

/** A registry row as the API names it. */
export function toThreadRow(raw: RawThread): ThreadRow {
  return {
    thread: raw.thread,
    threadId: raw.thread_id,
    parent: raw.parent_thread ?? undefined,
    root: raw.root_thread,
    directive: raw.directive,
    model: raw.model,
    status: raw.status,
    suspendReason: raw.suspend_reason ?? undefined,
    cost: costOf(raw),
    ending: raw.ending ?? undefined,
    createdAt: raw.created_at,
    updatedAt: raw.updated_at,
    predecessor: raw.predecessor ?? undefined,
    successor: raw.successor ?? undefined,
  };
}

/** The same of one from which others are looked for, one after the other. @throws SkeinError `store_corrupt` for a {@link circularLink} */
export function toLinkedRow(raw: RawThread): ThreadRow {
  const problem = circularLink(raw);
  if (problem === undefined) return toThreadRow(raw);
  throw new SkeinError('store_corrupt', `thread ${raw.thread_id}: ${problem}`);
}

/** What is wrong with a row that could lead in a circle: who is above or before a thread is older, and has a lower number. */
export function circularLink({ thread, parent_thread: parent, predecessor, successor }: RawThread): string | undefined {
  if (parent !== null && parent >= thread) return `its parent, thread ${parent}, is no older one`;
  if (predecessor !== null && predecessor >= thread) return `its predecessor, thread ${predecessor}, is no older one`;
  return successor !== null && successor <= thread ? `its successor, thread ${successor}, is no later one` : undefined;
}

/** A child as the API names it. */
export function toStoredChild(raw: RawChild): StoredChild {
  const child = { threadId: raw.thread_id, directive: raw.directive, status: raw.status, cost: costOf(raw) };
  const { hook_depth: hookDepth } = raw;
  return typeof hookDepth === 'number' ? { ...child, hookDepth } : child;
}

/** The counters of a row. */
export function costOf({ turns, input_tokens, output_tokens, spend }: RawChild): Cost {
  return { turns, inputTokens: input_tokens, outputTokens: output_tokens, spend };
}

/** A ledger row as the API names it. */
export function toLedgerRow(raw: RawLedger): LedgerRow {
  return {
    thread: raw.thread,
    parent: raw.parent_thread ?? undefined,
    reserved: raw.reserved_spend,
    extra: raw.extra_reserved,
    actual: raw.actual_spend,
    committed: raw.committed,
    max: raw.max_spend,
    status: raw.status,
  };
}

/** A request to a person as the API names it. */
export function toApprovalRow(raw: RawApproval): ApprovalRow {
  return {
    approvalId: raw.approval_id,
    thread: raw.thread,
    threadId: raw.thread_id,
    directive: raw.directive,
    reason: raw.reason,
    limitCode: raw.limit_code ?? undefined,
    currentValue: raw.current_value ?? undefined,
    currentMax: raw.current_max ?? undefined,
    suggested: raw.suggested ?? undefined,
    askedBy: raw.asked_by,
    message: raw.message,
    status: raw.status,
    requestedAt: raw.requested_at,
    decidedAt: raw.decided_at ?? undefined,
    decidedBy: raw.decided_by ?? undefined,
    granted: raw.granted ?? undefined,
  };
}

import { z } from 'zod';
import { SUSPEND_REASONS } from './events.ts';
import { APPROVAL_STATUSES } from './store-approvals.ts';

const id = z.string().max(200);
const by = z.string().trim().min(1).max(200);
const message = z.string().max(100_000);
const status = z.enum(APPROVAL_STATUSES);

/** How many requests are listed if nobody says how many, and at most. One more may be asked for: it says that there are more. */
export const APPROVALS = { usual: 100, most: 10_000 } as const;

/** New limits of a grant, by the seeds' names; `spend` in USD. Each is the new maximum, not what is added. */
const limits = z.strictObject({
  spend: z.number().positive().optional(),
  turns: z.int().min(1).optional(),
  tokens: z.int().min(1).optional(),
  duration_seconds: z.number().positive().optional(),
});

/** A request for approval as everybody sees it; amounts of money in USD, times in milliseconds since the epoch. */
const approval = z.object({
  approval_id: z.string(),
  thread_id: z.string(),
  directive: z.string(),
  /** `cancelled`: its thread has ended without an answer. */
  status,
  /** Why the thread is suspended. */
  reason: z.enum(SUSPEND_REASONS),
  /** Directive, and the hook that asked, `on_exceed` or `ledger`. */
  asked_by: z.string(),
  message: z.string(),
  /** While it is pending: the tool call that a `before_tool` hook has stopped, tool and input; a long one is cut. */
  call: z.string().optional(),
  /** If it is about a limit: its code, what was used, the maximum, and what would be enough. */
  limit_code: z.string().optional(),
  current_value: z.number().optional(),
  current_max: z.number().optional(),
  suggested: z.number().optional(),
  requested_at_ms: z.number(),
  decided_at_ms: z.number().optional(),
  decided_by: z.string().optional(),
  /** The limits it was granted with. */
  granted: z.record(z.string(), z.unknown()).optional(),
});

/**
 * The operations on requests for approval, as they are on the wire. They are people's and hosts', and no model's: a thread
 * that could grant its own requests would have no limits. What is refused is an error with a code.
 */
export const APPROVAL_OPERATIONS = {
  /** Newest first. */
  list_approvals: {
    input: z.strictObject({
      status: status.optional(),
      thread_id: id.optional(),
      limit: z
        .int()
        .min(1)
        .max(APPROVALS.most + 1)
        .default(APPROVALS.usual),
    }),
    result: z.object({ approvals: z.array(approval) }),
  },
  get_approval: { input: z.strictObject({ approval_id: id }), result: approval },
  /** Raises the limits and lets the thread go on where it stopped; `message` is said to its model. */
  grant_approval: {
    input: z.strictObject({
      approval_id: id,
      limits: limits.default({}),
      by: by.optional(),
      message: message.optional(),
    }),
    result: approval,
  },
  /** Ends the thread with an error. A tool call is refused instead, which its model hears, and the thread goes on. */
  deny_approval: {
    input: z.strictObject({ approval_id: id, by: by.optional(), message: message.optional() }),
    result: approval,
  },
};

/** Name of an operation on requests for approval. */
export type ApprovalOperation = keyof typeof APPROVAL_OPERATIONS;

/** What a caller gives; what has a default may be left out. */
export type ApprovalInput<Name extends ApprovalOperation> = z.input<(typeof APPROVAL_OPERATIONS)[Name]['input']>;

/** What an operation gives. */
export type ApprovalResult<Name extends ApprovalOperation> = z.output<(typeof APPROVAL_OPERATIONS)[Name]['result']>;

/** A request for approval on the wire. */
export type ApprovalPayload = z.output<typeof approval>;

/** Whether a text names an operation on requests for approval. */
export function isApprovalOperation(name: string): name is ApprovalOperation {
  return Object.hasOwn(APPROVAL_OPERATIONS, name);
}

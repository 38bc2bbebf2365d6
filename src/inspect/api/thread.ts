import type { ApprovalRow } from './approvals.ts';
import type { ThreadRow } from './thread-list.ts';
import type { ApiStatus } from './totals.ts';

/** `GET /api/threads/ID` */
export type ThreadAnswer = {
  readonly thread: ThreadRow;
  /** Root first, without the thread itself. */
  readonly ancestors: readonly ThreadRow[];
  /** Root first, the thread itself last. */
  readonly budget: readonly BudgetNode[];
  readonly limits: ApiLimits | null;
  readonly inputs: Readonly<Record<string, unknown>>;
  /**
   * The state of its machine, e.g. `running.calling`; `as_of`: its worker says so, or its log does, which knows the states
   * between two events not.
   */
  readonly machine: { readonly state: string; readonly as_of: 'worker' | 'log' };
  /** Predecessors, itself, successors. */
  readonly chain: readonly ChainLink[];
  /** What it waits for. */
  readonly approval: ApprovalRow | null;
  readonly ending: {
    readonly outputs: Readonly<Record<string, unknown>> | null;
    readonly text: string;
    readonly error: { readonly code: string; readonly message: string } | null;
  } | null;
};

/** What a thread may use; `spend` in USD. */
export type ApiLimits = {
  readonly turns: number;
  readonly tokens: number;
  readonly spend: number;
  readonly spawns: number;
  readonly depth: number;
  readonly duration_seconds: number;
};

/** An account of the budget tree; `remaining` = `max` − `reserved` − `spent`, where children's ceilings are reserved. */
export type BudgetNode = {
  readonly id: string;
  readonly directive: string;
  readonly max: number;
  /** For model calls in flight, by hooks, and for children beyond what they have spent. */
  readonly reserved: number;
  /** With everything below it. */
  readonly spent: number;
  readonly remaining: number;
  readonly status: 'active' | 'suspended' | 'released';
};

/** A thread of a chain of continuations. */
export type ChainLink = { readonly id: string; readonly status: ApiStatus };

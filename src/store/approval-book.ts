import { wholeAmount } from '../core/approval-amounts.ts';
import { invalidArgument, type Failure } from '../core/errors.ts';
import type { ThreadNo } from '../core/ids.ts';
import type { StepOp } from '../core/store.ts';
import type { Statements } from './statements.ts';

/**
 * The writing side of the approvals.
 *
 * Owns: the number of pending requests, so that an ending looks for one only where there are any. It is counted when it is
 * first needed, and after `reset`.
 * Doesn't own: transactions (sqlite-store.ts), queries (reader.ts).
 */
export class ApprovalBook {
  readonly #sql: Statements;
  #pending: number | undefined;

  constructor(sql: Statements) {
    this.#sql = sql;
  }

  /** Why a step's request or answer can't be stored. */
  problem({ thread, request, decision }: StepOp): Failure | undefined {
    const taken = request && this.#sql.approvalThread.get(request.approvalId);
    if (taken !== undefined) return invalidArgument(`the approval ${request?.approvalId} exists already`);
    if (!decision || this.#sql.approvalThread.get(decision.approvalId) === thread) return undefined;
    return invalidArgument(`thread ${thread} has asked for no approval ${decision.approvalId}`);
  }

  /** Stores what a step asks or answers. */
  apply({ thread, at, request, decision }: StepOp): void {
    if (request) {
      const { approvalId, reason, limitCode, askedBy, message } = request;
      const values = [request.currentValue, request.currentMax, request.suggested].map(whole);
      this.#sql.insertApproval.run(approvalId, thread, reason, limitCode ?? null, ...values, askedBy, message, at);
      this.#count(1);
    }
    if (!decision) return;
    const { approvalId, status, by, granted } = decision;
    this.#count(-this.#sql.decideApproval.run(status, at, by, granted ?? null, approvalId).changes);
  }

  /** A thread has ended: nobody has to answer any more. */
  cancel(thread: ThreadNo, at: number): void {
    this.#pending ??= this.#sql.pendingApprovals.get() ?? 0;
    if (this.#pending > 0) this.#count(-this.#sql.cancelApprovals.run(at, thread).changes);
  }

  /** Forgets the number. */
  reset(): void {
    this.#pending = undefined;
  }

  #count(more: number): void {
    if (this.#pending !== undefined) this.#pending += more;
  }
}

function whole(value: number | undefined): number | null {
  return value === undefined ? null : wholeAmount(value);
}

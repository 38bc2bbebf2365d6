import { z } from 'zod';
import type { ApprovalPayload } from '../../core/approval-operations.ts';
import { nanoToUsd } from '../../core/money.ts';
import type { ApprovalRow } from '../../core/store-approvals.ts';

/** A stored request as everybody sees it: amounts of money in USD. */
export function approvalView(row: ApprovalRow): ApprovalPayload {
  const { limitCode, currentValue, currentMax, suggested, decidedAt, decidedBy, granted } = row;
  const shown = (amount: number): number => (limitCode === 'spend_exceeded' ? nanoToUsd(amount) : amount);
  return {
    approval_id: row.approvalId,
    thread_id: row.threadId,
    directive: row.directive,
    status: row.status,
    reason: row.reason,
    asked_by: row.askedBy,
    message: row.message,
    ...(limitCode !== undefined && { limit_code: limitCode }),
    ...(currentValue !== undefined && { current_value: shown(currentValue) }),
    ...(currentMax !== undefined && { current_max: shown(currentMax) }),
    ...(suggested !== undefined && { suggested: shown(suggested) }),
    requested_at_ms: row.requestedAt,
    ...(decidedAt !== undefined && { decided_at_ms: decidedAt }),
    ...(decidedBy !== undefined && { decided_by: decidedBy }),
    ...(granted !== undefined && { granted: grantedSchema.parse(JSON.parse(granted)) }),
  };
}

const grantedSchema = z.record(z.string(), z.unknown());

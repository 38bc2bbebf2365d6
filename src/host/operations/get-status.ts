import { nanoToUsd } from '../../core/money.ts';
import type { OperationResult } from '../../core/operations.ts';
import type { ApprovalRow } from '../../core/store-approvals.ts';
import { pendingRequest } from '../approvals/approval-pending.ts';
import { approvalView } from '../approvals/approval-view.ts';
import { onThread, type Operation } from './operation.ts';
import { summaryOf } from './thread-summary.ts';

/** How a thread stands, whose child it is, and what it waits for if it is suspended. */
export const getStatus: Operation<'get_status'> = onThread((row, { sources }) => {
  const { reader } = sources;
  const { status, suspendReason } = sources.standing(row);
  const parent = row.parent === undefined ? undefined : reader.threadByNo(row.parent);
  const request = status === 'suspended' ? pendingRequest(reader, row.thread, suspendReason) : undefined;
  return {
    success: true,
    ...summaryOf(row, sources),
    tree_spend: nanoToUsd(reader.ledger(row.thread)?.actual ?? row.cost.spend),
    ...(parent && { parent_thread_id: parent.threadId }),
    ...(status === 'suspended' && suspendReason !== undefined && { suspend_reason: suspendReason }),
    ...(request && { approval: requestOf(request) }),
  };
});

/** The rest of it is said elsewhere in the answer. */
function requestOf(row: ApprovalRow): OperationResult<'get_status'>['approval'] {
  const { approval_id, asked_by, message, limit_code, current_value, current_max, suggested } = approvalView(row);
  return { approval_id, asked_by, message, limit_code, current_value, current_max, suggested };
}

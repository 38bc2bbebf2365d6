import type { SkeinErrorCode } from '../../core/errors.ts';
import type { SuspendReason } from '../../core/events.ts';
import type { ApprovalRow } from '../../core/store-approvals.ts';
import type { ParkedEnd } from '../rest/thread-table.ts';

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

import { eventsOfTypes } from '../../core/events.ts';
import type { ApprovalRow } from '../../core/store-approvals.ts';
import type { HostContext } from '../host-context.ts';
import { chunksOf } from '../operations/stored-threads.ts';

/**
 * Whether a request is about a tool call, which a `before_tool` hook has stopped or a runtime's end has interrupted: its
 * thread's log says so, as a rule in its last lines; only those about requests are parsed. @throws SkeinError why the log
 * can't be read
 */
export async function isAboutCall(
  { reader }: Pick<HostContext, 'reader'>,
  { approvalId, thread, reason }: ApprovalRow,
): Promise<boolean> {
  if (reason !== 'approval' && reason !== 'error') return false;
  for await (const lines of chunksOf(reader, thread, 'newest first')) {
    const requests = eventsOfTypes(lines, ['approval_requested']);
    const request = requests.find(({ payload }) => payload.approval_id === approvalId);
    if (request) return /^(?:before_tool|interrupted) /.test(request.payload.point ?? '');
  }
  return false;
}

import { onThread, type Operation } from './operation.ts';
import { pendingApproval } from './stored-threads.ts';
import { summaryOf } from './thread-summary.ts';

/** How a thread stands, whose child it is, and what it waits for if it is suspended. */
export const getStatus: Operation<'get_status'> = onThread((row, { sources }) => {
  const { reader } = sources;
  const { status, suspendReason } = sources.standing(row);
  const parent = row.parent === undefined ? undefined : reader.threadByNo(row.parent);
  const approval = status === 'suspended' ? pendingApproval(reader, row.thread) : undefined;
  return {
    success: true,
    ...summaryOf(row, sources),
    ...(parent && { parent_thread_id: parent.threadId }),
    ...(status === 'suspended' && suspendReason !== undefined && { suspend_reason: suspendReason }),
    ...(approval && { approval }),
  };
});

import { requestPayload } from './approval.ts';
import type { Effect } from './effects.ts';
import type { ApprovalRequest } from '../../core/store-approvals.ts';
import type { ThreadMachineEvent } from '../../../machines/thread.machine.ts';
import type { InWorker } from '../conversation/conversation.ts';
import type { Committed } from '../services/journal.ts';
import { tellChildNews } from '../hooks/child-hooks.ts';
import { costOf } from '../cost.ts';
import { startDeadline } from './deadline.ts';

/**
 * Writes `thread_suspended` with the checkpoint; after the commit the thread leaves memory. One that is cancelled before
 * the commit ends here, and the host hears of its ending alone; one that is cancelled after it is ended by the host.
 */
export const recordSuspension: Effect = (thread, services, event) => {
  const reason = event.type === 'SUSPEND' ? event.reason : 'user';
  const message = event.type === 'SUSPEND' ? event.message : undefined;
  const request = event.type === 'SUSPEND' ? recordRequest({ thread, services }, event) : undefined;
  services.journal.record(thread, 'thread_suspended', {
    suspend_reason: reason,
    ...(message !== undefined && { message }),
  });
  thread.checkpointDue = true;
  const status = { to: 'suspended', reason } as const;
  const suspended: Committed = (_result, last) => {
    if (thread.ended) return last && services.report(last);
    // The ledger's answer to what a hook has reported came meanwhile: it is on disk before anybody reads the log.
    if (thread.lines !== '')
      return services.journal.commit(thread, { status }, (result, more) => {
        if (last) services.report(last);
        suspended(result, more);
      });
    services.report({
      type: 'suspended',
      thread: thread.lineage.thread,
      reason,
      cost: costOf(thread),
      approval: request?.approvalId,
      ...(last && { last }),
    });
    services.forget(thread);
    services.leave(thread);
  };
  services.journal.commit(thread, { status, ...(request && { request }) }, suspended);
};

type Suspend = Extract<ThreadMachineEvent, { type: 'SUSPEND' }>;

/** What a person is asked is stored with the suspension: neither is there without the other. */
function recordRequest({ thread, services }: InWorker, { ask, reason }: Suspend): ApprovalRequest | undefined {
  if (!ask) return undefined;
  const { point, ...question } = ask;
  const request = { ...question, approvalId: services.newApprovalId(), reason };
  services.journal.record(thread, 'approval_requested', requestPayload(request, point));
  return request;
}

/** Writes `thread_resumed`, if the host has not; a message that came with it is in the inbox. */
export const recordResumption: Effect = (thread, services) => {
  if (!thread.isResumed) services.journal.record(thread, 'thread_resumed', {});
  startDeadline(thread, services);
  tellChildNews({ thread, services });
  thread.checkpointDue = true;
  services.journal.commit(thread, { status: { to: 'running' } }, () => undefined);
};

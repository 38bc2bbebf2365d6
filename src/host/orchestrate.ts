import type { HostQuestion, WaitedThread } from '../core/protocol.ts';
import type { HostContext } from './host-context.ts';

type Question = Extract<HostQuestion, { type: 'orchestrate' }>;

/** The operations of the orchestrator that are about other threads (S2 §6.11); an unknown id is an answer, not an error. */
export function orchestrate(
  host: HostContext,
  { operation, threadId }: Question,
  recall: (threadId: string) => WaitedThread,
): Record<string, unknown> {
  if (operation === 'list_active') {
    const active = [...host.table.live()].filter(({ phase }) => phase !== 'ended');
    return { success: true, active_threads: active.map(({ lineage }) => lineage.threadId), count: active.length };
  }
  const entry = host.table.byId(threadId);
  if (operation === 'get_status') {
    const status = entry ? (entry.ending?.status ?? entry.phase) : recall(threadId).status;
    return status === 'not_found' ? notFound(threadId) : { success: true, thread_id: threadId, status };
  }
  if (!entry || entry.phase === 'ended') return notFound(threadId);
  host.tell({ type: 'CANCEL', thread: entry.lineage.thread, reason: 'cancelled by orchestrator' });
  return { success: true, cancelled: threadId };
}

function notFound(threadId: string): Record<string, unknown> {
  return { success: false, error: `Thread not found: ${threadId}`, code: 'thread_not_found' };
}

import type { SuspendReason } from '../../core/events.ts';
import type { ThreadNo } from '../../core/ids.ts';
import type { StoreReader } from '../../core/store.ts';
import type { ApprovalRow } from '../../core/store-approvals.ts';
import type { HostContext } from '../host-context.ts';
import type { ThreadEntry } from '../rest/thread-table.ts';

/** Suspensions that a person may have to decide about. */
const ASKS: ReadonlySet<SuspendReason | undefined> = new Set(['limit', 'error', 'budget', 'approval']);

/** What a suspended thread waits for, if it is a person's answer. */
export function pendingOf(
  { reader }: Pick<HostContext, 'reader'>,
  { phase, suspendReason, lineage }: ThreadEntry,
): ApprovalRow | undefined {
  return phase === 'suspended' ? pendingRequest(reader, lineage.thread, suspendReason) : undefined;
}

/** What a thread waits for that is suspended like this. */
export function pendingRequest(
  reader: StoreReader,
  thread: ThreadNo,
  reason: SuspendReason | undefined,
): ApprovalRow | undefined {
  return ASKS.has(reason) ? reader.approvals({ thread, status: 'pending' })[0] : undefined;
}

import type { SuspendReason } from '../../core/events.ts';
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
  if (phase !== 'suspended' || !ASKS.has(suspendReason)) return undefined;
  return reader.approvals({ thread: lineage.thread, status: 'pending' })[0];
}

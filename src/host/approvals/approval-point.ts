import { fromFailure } from '../../core/errors.ts';
import { decodeEvents } from '../../core/events.ts';
import type { StoreResult } from '../../core/store.ts';
import type { ApprovalRow } from '../../core/store-approvals.ts';
import type { HostContext } from '../host-context.ts';

/**
 * Whether a request is about a tool call, which a `before_tool` hook has stopped or a runtime's end has interrupted: its
 * thread's log says so, of which only the lines about requests are parsed. @throws SkeinError why the log can't be read
 */
export async function isAboutCall(
  { store }: Pick<HostContext, 'store'>,
  { approvalId, thread, reason }: ApprovalRow,
): Promise<boolean> {
  if (reason !== 'approval' && reason !== 'error') return false;
  const loaded = await new Promise<StoreResult>((done) => store.submit({ type: 'load', thread }, done));
  if (loaded !== true && loaded.type === 'failed') throw fromFailure(loaded.failure);
  const lines = loaded !== true && loaded.type === 'loaded' ? loaded.thread.lines : '';
  for (const [line] of lines.matchAll(REQUEST_LINE)) {
    for (const event of decodeEvents(line)) {
      if (event.event_type !== 'approval_requested' || event.payload.approval_id !== approvalId) continue;
      return /^(?:before_tool|interrupted) /.test(event.payload.point ?? '');
    }
  }
  return false;
}

/** How a line about a request begins (`encodeEvent`); what somebody says about events is inside of a payload. */
const REQUEST_LINE = /^\{"sequence":\d+,"event_type":"approval_requested",.*$/gm;

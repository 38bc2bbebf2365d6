import { cutText } from '../../core/cut-text.ts';
import { eventsOfTypes } from '../../core/events.ts';
import type { ApprovalRow } from '../../core/store-approvals.ts';
import type { HostContext } from '../host-context.ts';
import { chunksOf } from '../operations/stored-threads.ts';

/**
 * Whether a request is about a tool call, which a `before_tool` hook has stopped or a runtime's end has interrupted: its
 * thread's log says so. @throws SkeinError why the log can't be read
 */
export async function isAboutCall(sources: Pick<HostContext, 'reader'>, row: ApprovalRow): Promise<boolean> {
  return /^(?:before_tool|interrupted) /.test((await pointOf(sources, row)) ?? '');
}

/** The tool call that a `before_tool` hook has stopped: the tool and its input, cut if it is long. Throws as {@link isAboutCall} does. */
export async function stoppedCall(sources: Pick<HostContext, 'reader'>, row: ApprovalRow): Promise<string | undefined> {
  if (row.status !== 'pending') return undefined;
  const [, call] = /^before_tool .*? turn \d+ \S+ (.*)$/s.exec((await pointOf(sources, row)) ?? '') ?? [];
  return call && cutText(call, MAX_CALL);
}

/** Characters of a call that are told. */
const MAX_CALL = 1_000;

/** The decision that a request is about, by its thread's log: as a rule in its last lines. Only those about requests are parsed. */
async function pointOf(
  { reader }: Pick<HostContext, 'reader'>,
  { approvalId, thread, reason, limitCode }: ApprovalRow,
): Promise<string | undefined> {
  if (limitCode !== undefined || (reason !== 'approval' && reason !== 'error')) return undefined;
  for await (const lines of chunksOf(reader, thread, { before: Number.MAX_SAFE_INTEGER, chunks: 1 })) {
    const requests = eventsOfTypes(lines, ['approval_requested']);
    const request = requests.find(({ payload }) => payload.approval_id === approvalId);
    if (request) return request.payload.point;
  }
  return undefined;
}

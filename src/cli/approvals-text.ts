import type { ApprovalPayload } from '../core/approval-operations.ts';
import { formatUsd, usdToNano } from '../core/money.ts';
import type { OptionsAgain } from './options-again.ts';
import { printable } from './printable.ts';

/** Whether there are more requests, and what commands have to be given to find these. */
type Around = { readonly more: boolean; readonly look: OptionsAgain['look'] };

/** Requests for approval with everything that is needed to decide; ends with a line break. */
export function approvalsText(approvals: readonly ApprovalPayload[], { more, look }: Around): string {
  if (approvals.length === 0) return 'Nobody waits for an approval\n';
  const parts = approvals.map((approval) => linesOf(approval, look).join('\n'));
  return [...parts, ...(more ? ['There are more: --limit N'] : [])].join('\n\n') + '\n';
}

/** What was decided, on a line. */
export function settledText({ approval_id: id, status, thread_id: thread, decided_by: by }: ApprovalPayload): string {
  return `${printable(id)}  ${status} by ${printable(by ?? '')}: ${printable(thread)}\n`;
}

function linesOf(approval: ApprovalPayload, look: string): string[] {
  const { status, directive, reason, message, call } = approval;
  return [
    `${printable(approval.approval_id)}  ${status}  ${new Date(approval.requested_at_ms).toISOString()}`,
    `  thread: ${printable(approval.thread_id)} (${printable(directive)}), suspended: ${reason}`,
    `  asked by: ${printable(approval.asked_by)}`,
    `  ${printable(message)}`,
    ...(call === undefined ? [] : [`  call: ${printable(call)}`]),
    ...limitLines(approval, look),
    ...decisionLines(approval),
  ];
}

/** Options of `grant` by the limit they raise. */
const OPTIONS: ReadonlyMap<string, string> = new Map([
  ['spend_exceeded', '--spend'],
  ['turns_exceeded', '--turns'],
  ['tokens_exceeded', '--tokens'],
  ['duration_seconds_exceeded', '--duration'],
]);

function limitLines(approval: ApprovalPayload, look: string): string[] {
  const { status, limit_code: limitCode, current_value: value = 0, current_max: max = 0, suggested } = approval;
  const grant = status === 'pending' ? [`  ${grantLine(approval)}${look}`] : [];
  if (limitCode === undefined) return grant;
  const amount = (one: number): string => (limitCode === 'spend_exceeded' ? formatUsd(usdToNano(one)) : String(one));
  const hint = suggested === undefined ? '' : `; suggested: ${amount(suggested)}`;
  return [`  ${printable(limitCode)}: ${amount(value)} of ${amount(max)}${hint}`, ...grant];
}

/** What a grant needs to know of a request. */
type Asked = Pick<ApprovalPayload, 'approval_id' | 'thread_id' | 'limit_code' | 'suggested'>;

/** The command that grants what is asked for; a limit that no option of it raises is raised by a resumption. */
export function grantLine({ approval_id: id, thread_id: thread, limit_code: limitCode, suggested }: Asked): string {
  const grant = `skein approvals grant ${printable(id)}`;
  if (limitCode === undefined) return grant;
  const option = OPTIONS.get(limitCode);
  const value = suggested === undefined ? 'N' : decimals(suggested);
  if (option !== undefined) return `${grant} ${option} ${value}`;
  const limit = limitCode.replace(/_exceeded$/, '');
  return `skein resume ${printable(thread)} --limits ${printable(limit)}=${value}`;
}

/** As options take numbers, without an exponent: money has nine decimals. */
function decimals(value: number): string {
  return value.toFixed(9).replace(/\.?0+$/, '');
}

function decisionLines({ status, decided_by: who, decided_at_ms: when, granted }: ApprovalPayload): string[] {
  if (status === 'pending' || when === undefined) return [];
  const by = who === undefined ? '' : ` by ${printable(who)}`;
  const limits = Object.entries(granted ?? {}).map(([name, value]) => `${name} ${String(value)}`);
  const more = limits.length === 0 ? '' : `: ${printable(limits.join(', '))}`;
  return [`  ${status}${by} ${new Date(when).toISOString()}${more}`];
}

import type { Approval } from '../index.ts';
import { formatUsd, usdToNano } from '../core/money.ts';
import { printable } from './printable.ts';

/** Requests for approval with everything that is needed to decide, and whether there are more; ends with a line break. */
export function approvalsText(approvals: readonly Approval[], more: boolean): string {
  if (approvals.length === 0) return 'Nobody waits for an approval\n';
  const parts = approvals.map((approval) => linesOf(approval).join('\n'));
  return [...parts, ...(more ? ['There are more: --limit N'] : [])].join('\n\n') + '\n';
}

/** What was decided, on a line. */
export function settledText({ approvalId, status, threadId, decidedBy }: Approval): string {
  return `${printable(approvalId)}  ${status} by ${printable(decidedBy ?? '')}: ${printable(threadId)}\n`;
}

function linesOf(approval: Approval): string[] {
  const { approvalId, status, threadId, directive, reason, askedBy, message, call } = approval;
  return [
    `${printable(approvalId)}  ${status}  ${new Date(approval.requestedAtMs).toISOString()}`,
    `  thread: ${printable(threadId)} (${printable(directive)}), suspended: ${reason}`,
    `  asked by: ${printable(askedBy)}`,
    `  ${printable(message)}`,
    ...(call === undefined ? [] : [`  call: ${printable(call)}`]),
    ...limitLines(approval),
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

function limitLines(approval: Approval): string[] {
  const { status, limitCode, currentValue = 0, currentMax = 0, suggested } = approval;
  const grant = status === 'pending' ? [`  ${grantLine(approval)}`] : [];
  if (limitCode === undefined) return grant;
  const amount = (value: number): string =>
    limitCode === 'spend_exceeded' ? formatUsd(usdToNano(value)) : String(value);
  const hint = suggested === undefined ? '' : `; suggested: ${amount(suggested)}`;
  return [`  ${printable(limitCode)}: ${amount(currentValue)} of ${amount(currentMax)}${hint}`, ...grant];
}

/** What a grant needs to know of a request. */
type Asked = Pick<Approval, 'approvalId' | 'threadId' | 'limitCode' | 'suggested'>;

/** The command that grants what is asked for; a limit that no option of it raises is raised by a resumption. */
export function grantLine({ approvalId, threadId, limitCode, suggested }: Asked): string {
  const grant = `skein approvals grant ${printable(approvalId)}`;
  if (limitCode === undefined) return grant;
  const option = OPTIONS.get(limitCode);
  if (option !== undefined) return `${grant} ${option} ${suggested ?? 'N'}`;
  const limit = limitCode.replace(/_exceeded$/, '');
  return `skein resume ${printable(threadId)} --limits ${printable(limit)}=${suggested ?? 'N'}`;
}

function decisionLines({ status, decidedBy, decidedAtMs, granted }: Approval): string[] {
  if (status === 'pending' || decidedAtMs === undefined) return [];
  const by = decidedBy === undefined ? '' : ` by ${printable(decidedBy)}`;
  const limits = Object.entries(granted ?? {}).map(([name, value]) => `${name} ${String(value)}`);
  const more = limits.length === 0 ? '' : `: ${printable(limits.join(', '))}`;
  return [`  ${status}${by} ${new Date(decidedAtMs).toISOString()}${more}`];
}

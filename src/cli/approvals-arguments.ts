import { resolve } from 'node:path';
import { APPROVALS, type ApprovalInput } from '../core/approval-operations.ts';
import { APPROVAL_STATUSES } from '../core/store-approvals.ts';
import { SkeinError } from '../index.ts';
import { readChoice, readCount, type Read } from './arguments.ts';
import { COMMON, HERE, valued } from './options.ts';
import type { GivenHere } from './options-again.ts';
import { noPositionals, onlyPositional } from './positionals.ts';
import { readScripts, type Scripts } from './script-file.ts';

/** Where `skein approvals` looks, and how it prints. */
export type ApprovalsOrder = {
  /** Absolute path of the project's root. */
  readonly project: string;
  readonly json: boolean;
};

/** Which requests are to be listed, and how many of them. */
export type ListOrder = ApprovalsOrder & {
  readonly filter: Omit<ApprovalInput<'list_approvals'>, 'limit'>;
  readonly limit: number;
};

/** How a request is to be answered. */
export type SettleOrder = ApprovalsOrder &
  GivenHere & {
    readonly answer:
      | { readonly kind: 'grant'; readonly input: ApprovalInput<'grant_approval'> }
      | { readonly kind: 'deny'; readonly input: ApprovalInput<'deny_approval'> };
    readonly workers: number | undefined;
    readonly scripts: Scripts;
  };

/** Options of `approvals list`. */
export const LIST_OPTIONS = {
  status: valued('pending|granted|denied|cancelled|all', 'default: pending'),
  thread: valued('ID', 'of this thread alone'),
  limit: valued('N', `at most so many (default: ${APPROVALS.usual})`),
  ...COMMON,
} as const;

/** Options of `approvals deny`. */
export const DENY_OPTIONS = {
  by: valued('NAME', 'who answers (default: your user name)'),
  message: valued('TEXT', 'said to the model, or in the error'),
  ...COMMON,
  ...HERE,
} as const;

/** Options of `approvals grant`. */
export const GRANT_OPTIONS = {
  spend: valued('USD', 'new maximum of what it may spend'),
  turns: valued('N', 'new maximum of its turns'),
  tokens: valued('N', 'new maximum of its tokens'),
  duration: valued('SECONDS', 'new maximum of its duration'),
  ...DENY_OPTIONS,
} as const;

const STATUSES = [...APPROVAL_STATUSES, 'all'] as const;

/** Most digits of a limit. */
const LIMIT_DIGITS = 12;

/** Where arguments are meant from, and who gives them. */
type Setting = { readonly cwd: string; readonly user: string };

/** Reads what `approvals list` is given. @throws SkeinError `invalid_argument` */
export function listOrder({ values, positionals }: Read<typeof LIST_OPTIONS>, cwd: string): ListOrder {
  noPositionals('approvals list', positionals);
  const status = readChoice('--status', values.status, STATUSES) ?? 'pending';
  const limit = readCount('--limit', values.limit) ?? APPROVALS.usual;
  if (limit > APPROVALS.most) throw new SkeinError('invalid_argument', `--limit is ${APPROVALS.most} at most`);
  const filter = { ...(status !== 'all' && { status }), thread_id: values.thread };
  const { project = '.', json = false } = values;
  return { filter, limit, project: resolve(cwd, project), json };
}

/** Reads what `approvals grant` is given. @throws SkeinError `invalid_argument` */
export function grantOrder({ values, positionals }: Read<typeof GRANT_OPTIONS>, setting: Setting): SettleOrder {
  const id = onlyPositional('approvals grant', 'id of a request', positionals);
  const limits = {
    spend: readAmount('--spend', values.spend),
    turns: readCount('--turns', values.turns, LIMIT_DIGITS),
    tokens: readCount('--tokens', values.tokens, LIMIT_DIGITS),
    duration_seconds: readAmount('--duration', values.duration),
  };
  const input = { ...answerOf(id, values, setting), limits };
  return { answer: { kind: 'grant', input }, ...settingOf(values, setting) };
}

/** Reads what `approvals deny` is given. @throws SkeinError `invalid_argument` */
export function denyOrder({ values, positionals }: Read<typeof DENY_OPTIONS>, setting: Setting): SettleOrder {
  const id = onlyPositional('approvals deny', 'id of a request', positionals);
  return { answer: { kind: 'deny', input: answerOf(id, values, setting) }, ...settingOf(values, setting) };
}

type Values = Read<typeof DENY_OPTIONS>['values'];

function answerOf(id: string, { by, message }: Values, { user }: Setting): ApprovalInput<'deny_approval'> {
  return { approval_id: id, by: by ?? user, message };
}

function settingOf(
  { project = '.', json = false, script = [], workers }: Values,
  { cwd }: Setting,
): Omit<SettleOrder, 'answer'> {
  return {
    project: resolve(cwd, project),
    json,
    workers: readCount('--workers', workers),
    scripts: readScripts(script, cwd),
    scriptFiles: script,
  };
}

function readAmount(option: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d{1,9}(?:\.\d{1,9})?$/.test(text) && Number(text) > 0) return Number(text);
  throw new SkeinError('invalid_argument', `${option} is ${JSON.stringify(text)}; a number above 0 is expected`);
}

import { resolve } from 'node:path';
import { SkeinError, type ApprovalGrant, type ApprovalListFilter } from '../index.ts';
import { readArguments, readCount } from './arguments.ts';
import { noPositionals, onlyPositional, readChoice } from './positionals.ts';
import { readScripts, type Scripts } from './script-file.ts';

/** What is to be done with requests for approval. */
export type ApprovalsAction =
  | { readonly kind: 'list'; readonly filter: ApprovalListFilter }
  | { readonly kind: 'grant'; readonly id: string; readonly grant: ApprovalGrant }
  | { readonly kind: 'deny'; readonly id: string; readonly answer: Pick<ApprovalGrant, 'by' | 'message'> };

/** What `skein approvals` is to do. */
export type ApprovalsOrder = {
  readonly action: ApprovalsAction;
  /** Absolute path of the project's root. */
  readonly project: string;
  readonly json: boolean;
  readonly workers: number | undefined;
  readonly scripts: Scripts;
};

const COMMON = {
  project: { type: 'string' },
  json: { type: 'boolean' },
} as const;

const ANSWER = {
  ...COMMON,
  by: { type: 'string' },
  message: { type: 'string' },
  script: { type: 'string', multiple: true },
  workers: { type: 'string' },
} as const;

const STATUSES = ['pending', 'granted', 'denied', 'cancelled', 'all'] as const;

/** Where arguments are meant from, and who gives them. */
type Setting = { readonly cwd: string; readonly user: string };

/** Reads `list|grant|deny [ID] [options]`. @throws SkeinError `invalid_argument` */
export function readApprovalsOrder([word = '', ...args]: readonly string[], setting: Setting): ApprovalsOrder {
  if (word === 'list') return readList(args, setting);
  if (word === 'grant') return readGrant(args, setting);
  if (word === 'deny') return readDeny(args, setting);
  const given = word === '' ? 'none is given' : `${JSON.stringify(word)} is none`;
  throw new SkeinError('invalid_argument', `approvals takes one of list, grant, deny; ${given} (see skein --help)`);
}

function readList(args: readonly string[], { cwd }: Setting): ApprovalsOrder {
  const { values, positionals } = readArguments(args, {
    ...COMMON,
    status: { type: 'string' },
    thread: { type: 'string' },
    limit: { type: 'string' },
  });
  noPositionals('approvals list', positionals);
  const status = readChoice('--status', values.status, STATUSES) ?? 'pending';
  const limit = readCount('--limit', values.limit);
  const filter = {
    ...(status !== 'all' && { status }),
    // One that is no id is said to be unknown.
    ...(values.thread !== undefined && { thread: values.thread as `thread-${string}` }),
    ...(limit !== undefined && { limit }),
  };
  const { project = '.', json = false } = values;
  return { action: { kind: 'list', filter }, project: resolve(cwd, project), json, workers: undefined, scripts: {} };
}

function readGrant(args: readonly string[], setting: Setting): ApprovalsOrder {
  const { values, positionals } = readArguments(args, {
    ...ANSWER,
    spend: { type: 'string' },
    turns: { type: 'string' },
    tokens: { type: 'string' },
    duration: { type: 'string' },
  });
  const id = onlyPositional('approvals grant', 'id of a request', positionals);
  const limits = {
    spend: readAmount('--spend', values.spend),
    turns: readWhole('--turns', values.turns),
    tokens: readWhole('--tokens', values.tokens),
    durationSeconds: readAmount('--duration', values.duration),
  };
  const given = Object.fromEntries(Object.entries(limits).filter(([, value]) => value !== undefined));
  const grant = { ...given, ...answerOf(values, setting) };
  return { action: { kind: 'grant', id, grant }, ...settingOf(values, setting) };
}

function readDeny(args: readonly string[], setting: Setting): ApprovalsOrder {
  const { values, positionals } = readArguments(args, ANSWER);
  const id = onlyPositional('approvals deny', 'id of a request', positionals);
  return { action: { kind: 'deny', id, answer: answerOf(values, setting) }, ...settingOf(values, setting) };
}

type Values = {
  readonly by?: string | undefined;
  readonly message?: string | undefined;
  readonly project?: string | undefined;
  readonly json?: boolean | undefined;
  readonly script?: string[] | undefined;
  readonly workers?: string | undefined;
};

function answerOf({ by, message }: Values, { user }: Setting): Pick<ApprovalGrant, 'by' | 'message'> {
  return { by: by ?? user, ...(message !== undefined && { message }) };
}

function settingOf(
  { project = '.', json = false, script = [], workers }: Values,
  { cwd }: Setting,
): Omit<ApprovalsOrder, 'action'> {
  return {
    project: resolve(cwd, project),
    json,
    workers: readCount('--workers', workers),
    scripts: readScripts(script, cwd),
  };
}

function readAmount(option: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d{1,9}(?:\.\d{1,9})?$/.test(text) && Number(text) > 0) return Number(text);
  throw new SkeinError('invalid_argument', `${option} is ${JSON.stringify(text)}; a number above 0 is expected`);
}

function readWhole(option: string, text: string | undefined): number | undefined {
  if (text === undefined || /^[1-9]\d{0,11}$/.test(text)) return text === undefined ? undefined : Number(text);
  throw new SkeinError('invalid_argument', `${option} is ${JSON.stringify(text)}; a whole number from 1 is expected`);
}

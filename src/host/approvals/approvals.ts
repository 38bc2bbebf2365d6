import {
  APPROVAL_OPERATIONS,
  type ApprovalInput,
  type ApprovalOperation,
  type ApprovalPayload,
  type ApprovalResult,
} from '../../core/approval-operations.ts';
import { SkeinError } from '../../core/errors.ts';
import type { ApprovalStatus } from '../../core/store-approvals.ts';
import type { ApprovalDesk } from './approval-desk.ts';
import { camelKeys, type Camel } from '../operations/camel-keys.ts';
import { checkOptionNames } from '../handle/option-names.ts';

/**
 * A request for approval: a thread is suspended until a person decides. `currentValue`, `currentMax` and `suggested` are in
 * the unit of the limit, money in USD; `granted` has the limits by the seeds' names.
 */
export type Approval = Camel<ApprovalPayload>;

/** Which requests are listed; newest first. */
export type ApprovalListFilter = {
  readonly status?: ApprovalStatus | undefined;
  readonly thread?: string | undefined;
  /** Default 100, at most 10,000. */
  readonly limit?: number | undefined;
};

/** What is granted: new maximums, not what is added; `spend` in USD. */
export type ApprovalGrant = {
  readonly spend?: number | undefined;
  readonly turns?: number | undefined;
  readonly tokens?: number | undefined;
  readonly durationSeconds?: number | undefined;
} & ApprovalAnswer;

/** Who answers (default: `host`), and what is said: with a grant to the model, with a denial in the thread's error. */
export type ApprovalAnswer = { readonly by?: string | undefined; readonly message?: string | undefined };

/** The requests for approval of a project (S2 §4.4 `on_exceed: escalate`, §5.1). */
export interface Approvals {
  /** @throws SkeinError `thread_not_found` */
  list(filter?: ApprovalListFilter): Promise<readonly Approval[]>;
  /** @throws SkeinError `approval_not_found` */
  get(id: string): Promise<Approval>;
  /**
   * Raises the limits and lets the thread go on where it stopped. Resolves once that is on disk.
   *
   * @throws SkeinError `approval_not_found`; `approval_settled`; `thread_ended`; `invalid_argument`: nothing is raised that
   * the thread asks for, a limit is lowered, or a child would have more than its parent; `budget_refused` with
   * `detail.remaining` (nano-USD): the parent can't pay for it. Nothing has changed then. `runtime_closed`: the runtime has
   * stopped; if a failure was why, it may be granted all the same: the request says so.
   */
  grant(id: string, grant?: ApprovalGrant): Promise<Approval>;
  /**
   * Ends the thread with an error, which has the code of the limit it asked about. Where a `before_tool` hook has stopped a
   * tool call, only that is refused: its model hears who has denied it and why, and the thread goes on. Resolves once that is
   * on disk.
   *
   * @throws SkeinError `approval_not_found`; `approval_settled`; `thread_ended`; `runtime_closed`: the runtime has
   * stopped, also where the thread's end was to wait for children; if a failure was why, it may be denied all the same: the
   * request says so; for a tool call `budget_refused` where a suspension gives reservations back and the parent can't pay for
   * the thread any more
   */
  deny(id: string, answer?: ApprovalAnswer): Promise<Approval>;
  /** An operation by its name, with input and result as they are on the wire. Throws as the others do. */
  call<Name extends ApprovalOperation>(name: Name, input: ApprovalInput<Name>): Promise<ApprovalResult<Name>>;
}

const LIST_FILTER: Readonly<Record<keyof ApprovalListFilter, true>> = { status: true, thread: true, limit: true };
const ANSWER: Readonly<Record<keyof ApprovalAnswer, true>> = { by: true, message: true };
const GRANT: Readonly<Record<keyof ApprovalGrant, true>> = {
  ...ANSWER,
  spend: true,
  turns: true,
  tokens: true,
  durationSeconds: true,
};

/** Makes the typed face of the operations on requests over whatever carries them out. */
export function createApprovals(desk: ApprovalDesk): Approvals {
  const call: Approvals['call'] = async <Name extends ApprovalOperation>(name: Name, input: ApprovalInput<Name>) => {
    // It refuses what is no operation.
    const answer = await desk.call(name, input);
    const parsed = APPROVAL_OPERATIONS[name].result.safeParse(answer);
    if (!parsed.success) throw new SkeinError('internal', `${name} was answered with something else`);
    // The schema is that of the name.
    return parsed.data as ApprovalResult<Name>;
  };
  const ask = async <Name extends ApprovalOperation>(name: Name, input: ApprovalInput<Name>) =>
    camelKeys(await call(name, input));
  return {
    call,
    async list(filter = {}) {
      checkOptionNames('list', filter, LIST_FILTER);
      const { status, thread, limit } = filter;
      return (await ask('list_approvals', { status, thread_id: thread, limit })).approvals;
    },
    get: (id) => ask('get_approval', { approval_id: id }),
    async grant(id, grant = {}) {
      checkOptionNames('grant', grant, GRANT);
      const { by, message, spend, turns, tokens, durationSeconds } = grant;
      const limits = { spend, turns, tokens, duration_seconds: durationSeconds };
      return ask('grant_approval', { approval_id: id, limits, by, message });
    },
    async deny(id, answer = {}) {
      checkOptionNames('deny', answer, ANSWER);
      return ask('deny_approval', { approval_id: id, ...answer });
    },
  };
}

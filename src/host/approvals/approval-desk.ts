import type { z } from 'zod';
import {
  APPROVAL_OPERATIONS,
  isApprovalOperation,
  type ApprovalInput,
  type ApprovalOperation,
  type ApprovalPayload,
  type ApprovalResult,
} from '../../core/approval-operations.ts';
import { fromFailure, SkeinError, type Failure } from '../../core/errors.ts';
import type { StoreReader } from '../../core/store.ts';
import type { ApprovalRow } from '../../core/store-approvals.ts';
import { threadNotFound } from '../../core/thread-not-found.ts';
import { faultLine } from '../../core/zod-fault.ts';
import { isAboutCall, stoppedCall } from './approval-point.ts';
import { denied } from './approval-settling.ts';
import { approvalView } from './approval-view.ts';
import { refuseStopped, stoppedBefore } from '../handle/refuse-stopped.ts';
import { noRuntime } from '../operations/require-runtime.ts';
import { askToResume } from '../rest/ask-to-resume.ts';
import { findEntry } from '../rest/find-entry.ts';
import type { HostContext } from '../host-context.ts';
import { endParked } from '../rest/parked-ending.ts';
import type { ThreadEntry } from '../rest/thread-table.ts';
import { nextChange } from '../waits/waiters.ts';

/** Carries out operations on requests for approval. */
export interface ApprovalDesk {
  /** @throws SkeinError why it is refused */
  call(name: string, input: unknown): Promise<unknown>;
}

/** What requests are read from, and what settles them; without it they can be read only. */
export type DeskSources = {
  readonly reader: StoreReader;
  readonly running?: { readonly host: HostContext; readonly isStopped: () => boolean } | undefined;
};

/** Makes the desk of a running host, or of a stored database. */
export function createApprovalDesk(sources: DeskSources): ApprovalDesk {
  return {
    async call(name, given) {
      if (!isApprovalOperation(name)) throw invalid(`There is no operation ${JSON.stringify(name)} on approvals`);
      if (sources.running) refuseStopped(sources.running);
      const parsed = APPROVAL_OPERATIONS[name].input.safeParse(given);
      if (!parsed.success) throw invalid(`${name}: ${faultLine(parsed.error)}`);
      // Name, input and code belong together by the two tables.
      return (CODE[name] as Code<ApprovalOperation>)(parsed.data, sources);
    },
  };
}

type Parsed<Name extends ApprovalOperation> = z.output<(typeof APPROVAL_OPERATIONS)[Name]['input']>;
type Code<Name extends ApprovalOperation> = (
  input: Parsed<Name>,
  sources: DeskSources,
) => ApprovalResult<Name> | Promise<ApprovalResult<Name>>;

const CODE: { readonly [Name in ApprovalOperation]: Code<Name> } = {
  async list_approvals({ status, thread_id: id, limit }, { reader }) {
    const row = id === undefined ? undefined : reader.thread(id);
    if (id !== undefined && !row) throw threadNotFound(id);
    const filter = { ...(status && { status }), ...(row && { thread: row.thread }), limit };
    const approvals: ApprovalPayload[] = [];
    for (const one of reader.approvals(filter)) approvals.push(await toldWhole(reader, one));
    return { approvals };
  },
  get_approval: ({ approval_id: id }, { reader }) => toldWhole(reader, find(reader, id)),
  async grant_approval({ approval_id: id, limits, by = 'host', message }, sources) {
    const unheard = unheardSuspension(id, sources);
    if (unheard) await unheard;
    const request = openRequest(id, sources);
    const { host, approval, entry } = request;
    const given = present(limits);
    const hasLimits = Object.keys(given).length > 0;
    const answer = { approvalId: approval.approvalId, by, granted: true, comment: message };
    const granted = await askToResume(host, { entry, message, limits: hasLimits ? given : undefined, answer });
    return answered(request, granted.ok ? undefined : granted.failure);
  },
  async deny_approval({ approval_id: id, by = 'host', message }, sources) {
    const unheard = unheardSuspension(id, sources);
    if (unheard) await unheard;
    const asked = openRequest(id, sources);
    const isCall = await isAboutCall(asked.host, asked.approval);
    // It may have been answered since.
    const request = openRequest(id, sources);
    if (isCall) return answered(request, await refuseCall(request, { by, message }));
    const { host, approval, entry } = request;
    endParked(host, entry, denied(approval, { by, message }));
    while (entry.phase !== 'ended') {
      // An end that waits for children is in memory alone.
      if (sources.running?.isStopped()) return answered(request, stoppedBefore('the thread ended'));
      const failure = await nextChange(host.table, entry);
      if (failure) throw fromFailure(failure);
    }
    return answered(request, undefined);
  },
};

/** A request with the call that it is about, which its thread's log has. */
async function toldWhole(reader: StoreReader, row: ApprovalRow): Promise<ApprovalPayload> {
  // A log that can't be read hides no question.
  const call = await stoppedCall({ reader }, row).catch(() => undefined);
  return { ...approvalView(row), ...(call !== undefined && { call }) };
}

/**
 * The request as it is stored now: a runtime that stops may have written an answer without hearing of it, and a thread that is
 * cancelled meanwhile does not go on by it.
 *
 * @throws SkeinError `failure`; `thread_ended`
 */
function answered(
  { host, approval, entry }: OpenRequest,
  failure: Failure | undefined,
): ApprovalResult<'get_approval'> {
  const row = find(host.reader, approval.approvalId);
  if (!failure || row.status === 'granted' || row.status === 'denied') return approvalView(row);
  if (failure.code === 'invalid_argument') refuseCancelled(entry);
  throw fromFailure(failure);
}

/** The model hears that its call is refused, and the thread goes on; why not, if it can't. */
async function refuseCall(
  { host, approval, entry }: OpenRequest,
  { by, message }: Pick<Parsed<'deny_approval'>, 'message'> & { readonly by: string },
): Promise<Failure | undefined> {
  const answer = { approvalId: approval.approvalId, by, granted: false, comment: message };
  const refused = await askToResume(host, { entry, message: undefined, limits: undefined, answer });
  return refused.ok ? undefined : refused.failure;
}

/**
 * Resolves once the host has heard that the thread is suspended, if it has not: the request is on disk a moment before, where
 * whoever polls sees it.
 */
function unheardSuspension(id: string, sources: DeskSources): Promise<unknown> | undefined {
  const { reader, running } = sources;
  const { threadId, status } = find(reader, id);
  if (!running || status !== 'pending') return undefined;
  const { host } = running;
  const entry = findEntry(threadId, host);
  // One that waits may get its slot back before its suspension is heard of.
  if (entry.phase !== 'running' && entry.phase !== 'waiting') return undefined;
  return nextChange(host.table, entry).then(() => {
    refuseStopped(running);
    return unheardSuspension(id, sources);
  });
}

type OpenRequest = { readonly host: HostContext; readonly approval: ApprovalRow; readonly entry: ThreadEntry };

/** A request that can be settled now: exactly one answer gets past here at a time. @throws SkeinError */
function openRequest(id: string, { reader, running }: DeskSources): OpenRequest {
  const approval = find(reader, id);
  if (!running) throw noRuntime();
  const { host } = running;
  const { threadId, status, decidedBy } = approval;
  if (status === 'cancelled')
    throw new SkeinError('thread_ended', `Thread ${threadId} has ended: nothing is asked any more`);
  if (status !== 'pending') throw settled(`Approval ${id} was ${status} by ${decidedBy ?? 'somebody'}`);
  const entry = findEntry(threadId, host);
  const { phase, heldEnd } = entry;
  if (phase === 'ended') throw new SkeinError('thread_ended', `Thread ${threadId} has ended`);
  refuseCancelled(entry);
  if (entry.resuming || heldEnd || host.parking.has(entry)) throw settled(`Approval ${id} is just being settled`);
  if (phase !== 'suspended') throw invalid(`Thread ${threadId} is ${phase}; only a suspended one waits for an answer`);
  return { host, approval, entry };
}

/** @throws SkeinError `thread_ended` */
function refuseCancelled({ cancelReason, lineage }: ThreadEntry): void {
  if (cancelReason === undefined) return;
  throw new SkeinError('thread_ended', `Thread ${lineage.threadId} is being cancelled`);
}

function find(reader: StoreReader, id: string): ApprovalRow {
  const row = reader.approval(id);
  if (row) return row;
  throw new SkeinError('approval_not_found', `There is no request for approval ${id} in this project`);
}

/** Without the keys that are there and have no value. */
function present(limits: ApprovalInput<'grant_approval'>['limits']): Readonly<Record<string, number>> {
  return Object.fromEntries(
    Object.entries(limits ?? {}).flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])),
  );
}

function settled(message: string): SkeinError {
  return new SkeinError('approval_settled', message);
}

function invalid(message: string): SkeinError {
  return new SkeinError('invalid_argument', message);
}

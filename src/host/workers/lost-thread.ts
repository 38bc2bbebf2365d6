import { readEnding } from '../../core/ending.ts';
import { toFailure, type Failure } from '../../core/errors.ts';
import { INTERRUPTED } from '../../core/interruption.ts';
import type { ThreadRow } from '../../core/store.ts';
import { pendingOf } from '../approvals/approval-pending.ts';
import type { HostContext } from '../host-context.ts';
import { lastSequenceOf } from '../operations/stored-threads.ts';
import { writeInterruption } from '../admission/interruption.ts';
import { endParked } from '../rest/parked-ending.ts';
import { reportEmpty } from '../endings/report-empty.ts';
import type { ThreadEntry } from '../rest/thread-table.ts';
import { leaveSlot } from '../endings/thread-ending.ts';

/**
 * Takes a thread out of its lost worker: it is in no worker and no line. Whoever waits for it does so until it goes on, ends or is
 * suspended; a suspension that it was told there, or is asked for meanwhile, is carried out then.
 */
export function takeOut(host: HostContext, entry: ThreadEntry): void {
  const { suspendAsked } = entry;
  leaveSlot(host, entry);
  entry.suspendAsked = suspendAsked;
  entry.phase = 'admitting';
  // Nobody else writes to its log meanwhile.
  host.parking.set(entry, undefined);
}

/**
 * Goes on with a lost thread from what is on disk, which is all there is of it: in line for a slot like one that a killed
 * runtime left (ADR 40); or it hears of the end or the suspension that its worker could not tell any more. One whose row says
 * that it was interrupted has been resumed, and its worker had not come so far as to say so, unless it was told to stop since
 * the runtime closes. `culprit`: why it is to fail instead.
 */
export function goOnAfterLoss(host: HostContext, entry: ThreadEntry, culprit: Failure | undefined): void {
  try {
    const row = host.reader.threadByNo(entry.lineage.thread);
    if (row === undefined) throw new Error(`Thread ${entry.lineage.threadId} has no row`);
    entry.lastCost = row.cost;
    if (row.ending !== undefined) return tellEnded(host, entry, row);
    const isResumed = row.suspendReason === 'shutdown' && entry.suspendAsked !== 'shutdown';
    if (row.status === 'suspended' && !isResumed) return tellSuspended(host, entry, row);
    if (culprit) return fail(host, entry, culprit);
    if (row.status === 'running') return suspend(host, entry, row);
    backInLine(host, entry);
  } catch (thrown) {
    // A damaged row is that thread's trouble.
    giveUp(host, entry, toFailure(thrown));
  }
}

function tellEnded(host: HostContext, entry: ThreadEntry, { thread, ending: stored = '', successor }: ThreadRow): void {
  host.parking.delete(entry);
  const ending = readEnding(stored);
  const next = ending.status === 'continued' && successor !== undefined ? host.reader.threadByNo(successor) : undefined;
  if (!next) return host.tell({ type: 'ENDED', thread, ending });
  const { threadId } = next;
  host.tell({ type: 'CONTINUED', thread, ending, successor: { thread: next.thread, threadId } });
}

function tellSuspended(host: HostContext, entry: ThreadEntry, { thread, suspendReason, cost }: ThreadRow): void {
  host.parking.delete(entry);
  host.tell({ type: 'SUSPENDED', thread, reason: suspendReason ?? 'error', cost });
  const asked = pendingOf(host, entry);
  if (asked) host.approvals.tell('requested', asked.approvalId);
}

function fail(host: HostContext, entry: ThreadEntry, failure: Failure): void {
  host.parking.delete(entry);
  entry.phase = 'queued';
  endParked(host, entry, { status: 'error', failure });
}

/** A cancellation or a suspension that came meanwhile is carried out there, and a runtime that closes leaves the thread to the next one. */
function backInLine(host: HostContext, entry: ThreadEntry): void {
  host.parking.delete(entry);
  entry.order = { kind: 'resume' };
  host.tell({ type: 'ADMITTED', thread: entry.lineage.thread });
  reportEmpty(host);
}

function suspend(host: HostContext, entry: ThreadEntry, row: ThreadRow): void {
  const { thread, cost } = row;
  const reason = entry.suspendAsked ?? 'shutdown';
  // One that is asked for from now on is another one.
  entry.suspendAsked = undefined;
  const sequence = lastSequenceOf(host.reader, row.thread);
  writeInterruption(host, { entry, sequence, reason, message: INTERRUPTED.worker }, (failure) => {
    if (failure) return giveUp(host, entry, failure);
    if (reason === 'shutdown') return backInLine(host, entry);
    host.parking.delete(entry);
    host.tell({ type: 'SUSPENDED', thread, reason, cost });
  });
}

/** It can't be told how it stands: a person may look at it, and resume it. */
function giveUp(host: HostContext, entry: ThreadEntry, failure: Failure): void {
  host.parking.delete(entry);
  host.problem(failure);
  host.tell({ type: 'SUSPENDED', thread: entry.lineage.thread, reason: 'error', cost: undefined });
}

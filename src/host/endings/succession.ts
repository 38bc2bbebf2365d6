import type { Ending } from '../../core/ending.ts';
import type { Lineage, Successor } from '../../core/protocol.ts';
import { assignThreads, handOver } from '../admission/admission.ts';
import { tellParentOfChild } from '../admission/tell-parent.ts';
import type { HostContext } from '../host-context.ts';
import { standInLine } from '../admission/line.ts';
import { stopParked } from '../rest/parked-ending.ts';
import { leaveWorker } from '../admission/place.ts';
import { leaveSlot, settleEnding, tellParent } from './thread-ending.ts';
import type { ThreadEntry } from '../rest/thread-table.ts';

/** A thread that has handed over, and by whom it is continued; all of it is on disk. */
export type Continuation = { readonly ending: Ending; readonly successor: Successor };

/**
 * A successor goes on where its predecessor was: with its slot, its children, and its place below its parent. A cancellation
 * or a suspension that came too late for the predecessor is the successor's.
 */
export function continueThread(host: HostContext, entry: ThreadEntry | undefined, continuation: Continuation): void {
  const next = succeed(host, entry, continuation);
  if (!entry || !next) return;
  if (next.cancelReason === undefined && entry.phase === 'running') {
    goOn(host, entry, next);
  } else {
    const { suspendAsked } = entry;
    leaveSlot(host, entry);
    next.phase = 'queued';
    if (!stopParked(host, next, suspendAsked)) standInLine(host, next);
  }
  settleEnding(host, entry, continuation.ending);
  assignThreads(host);
}

/** A runtime that closes starts nobody: the successor's row is the next one's. */
export function keepSuccessor(host: HostContext, entry: ThreadEntry | undefined, continuation: Continuation): void {
  const next = succeed(host, entry, continuation);
  if (!entry || !next) return;
  const { suspendAsked } = entry;
  leaveSlot(host, entry);
  next.phase = 'queued';
  next.order = undefined;
  // What a person has stopped stays so.
  stopParked(host, next, suspendAsked === 'user' ? suspendAsked : undefined);
  settleEnding(host, entry, continuation.ending);
  // Who comes back from a wait may still end.
  assignThreads(host);
}

/** Puts the successor into the table, in its predecessor's place. */
function succeed(
  host: HostContext,
  entry: ThreadEntry | undefined,
  { ending, successor }: Continuation,
): ThreadEntry | undefined {
  if (!entry || entry.phase === 'ended') return undefined;
  const lineage: Lineage = { ...entry.lineage, ...successor, continues: entry.lineage.threadId };
  const next = host.table.succeed(entry, lineage);
  next.lastCost = ending.cost;
  next.cancelReason = entry.cancelReason;
  next.order = { kind: 'resume' };
  const parent = host.table.parentOf(next);
  if (parent) tellParentOfChild(host, parent, next);
  host.table.leaveParent(entry);
  tellParent(host, entry, ending);
  return next;
}

/** The slot is held on to: nobody else comes between. So is a worker for suspects, which ends when nobody is in it. */
function goOn(host: HostContext, entry: ThreadEntry, next: ThreadEntry): void {
  const { suspendAsked } = entry;
  next.phase = 'running';
  if (next.order) handOver(host, next, next.order);
  leaveWorker(host, entry);
  if (suspendAsked === undefined) return;
  next.suspendAsked = suspendAsked;
  host.gateway.send(next.worker, { type: 'suspend', thread: next.lineage.thread, reason: suspendAsked, now: false });
}

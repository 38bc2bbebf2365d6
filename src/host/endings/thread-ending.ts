import type { Ending } from '../../core/ending.ts';
import { toFailure } from '../../core/errors.ts';
import type { SuspendReason } from '../../core/events.ts';
import type { ThreadNo } from '../../core/ids.ts';
import { createFifo, type Fifo } from '../../core/fifo.ts';
import { endAbsence, whenBack } from '../workers/absence.ts';
import { assignThreads } from '../admission/admission.ts';
import { takesChildren } from '../admission/child-policy.ts';
import { stopWaiting } from '../admission/line.ts';
import type { HostContext } from '../host-context.ts';
import { tellIfJoined } from './tell-if-joined.ts';
import { cancelled, endParked } from '../rest/parked-ending.ts';
import { latestOf } from '../latest.ts';
import { leaveWorker } from '../admission/place.ts';
import { reportEmpty } from './report-empty.ts';
import type { ThreadEntry } from '../rest/thread-table.ts';
import { wake } from '../waits/waiters.ts';

/** A thread has ended, and its ending is on disk: its slot is free, its waiters wake, its children meet the policy. */
export function endThread(host: HostContext, entry: ThreadEntry | undefined, ending: Ending): void {
  if (!entry || entry.phase === 'ended') return;
  leaveSlot(host, entry);
  host.table.leaveParent(entry);
  // Before its waits are answered: a parent that ends on the answer has it in its log.
  tellParent(host, entry, ending);
  settleEnding(host, entry, ending);
  assignThreads(host);
}

/** Tells whoever waits for it and what is below it, and remembers the ending for a while. */
export function settleEnding(host: HostContext, entry: ThreadEntry, ending: Ending): void {
  entry.phase = 'ended';
  entry.ending = ending;
  announce(host, entry, wake);
  announce(host, entry, host.feed.ended);
  applyChildPolicy(host, entry, ending);
  host.endings.keep(entry, host.config.resilience.coordination.completionEventTtlSeconds * 1000);
}

/** A thread is suspended, and that is on disk: it holds neither slot nor worker. */
export function suspendThread(host: HostContext, entry: ThreadEntry | undefined, reason: SuspendReason): void {
  if (!entry || entry.phase === 'ended') return;
  // What is suspended already is so for another reason from now on, if somebody has asked for that.
  if (entry.phase === 'suspended' && entry.suspendAsked === undefined) return;
  leaveSlot(host, entry);
  entry.phase = 'suspended';
  entry.suspendReason = reason;
  announce(host, entry, wake);
  if (entry.cancelReason !== undefined) endParked(host, entry, cancelled(entry.cancelReason));
  else tellIfJoined(host, entry);
  host.table.rest(entry);
  assignThreads(host);
}

/** Who hears of an ending or a suspension may throw: its children and its slot are seen to all the same. */
function announce({ problem }: HostContext, entry: ThreadEntry, tell: (entry: ThreadEntry) => void): void {
  try {
    tell(entry);
  } catch (thrown) {
    problem(toFailure(thrown));
  }
}

/** It is in no worker any more, and holds no slot. */
export function leaveSlot(host: HostContext, entry: ThreadEntry): void {
  stopWaiting(host, entry);
  const placed = entry.phase === 'running' || entry.phase === 'waiting';
  if (placed) host.slots.leave(entry.owner, entry.phase === 'running');
  leaveWorker(host, entry);
  endAbsence(host, entry);
  entry.suspendAsked = undefined;
  entry.asked = undefined;
  entry.returning = undefined;
  entry.joining = false;
}

function applyChildPolicy(host: HostContext, entry: ThreadEntry, { status }: Ending): void {
  if (!entry.children || entry.children.size === 0) return;
  if (!takesChildren(host, status)) return;
  // A cancellation of the thread itself is on its way through the subtree.
  if (status === 'cancelled' && entry.cancelReason !== undefined) return;
  const reason = `parent ${entry.lineage.threadId} ${status}`;
  cancelAll(host, entry.children, { reason, cascade: takesChildren(host, 'cancelled') });
}

/** A parent hears of the end of a child, wherever it is. */
export function tellParent(host: HostContext, entry: ThreadEntry, ending: Ending): void {
  const parent = host.table.parentOf(entry);
  // One that has ended hears nothing any more.
  if (!parent || parent.phase === 'ended') return;
  const { thread } = parent.lineage;
  const childId = entry.lineage.threadId;
  whenBack(host, parent, () => {
    if (parent.worker < 0) host.parking.get(parent)?.set(childId, ending);
    else host.gateway.send(parent.worker, { type: 'childEnded', thread, childId, ending });
  });
  tellIfJoined(host, parent);
}

/** Parent waits for its children before it ends (child policy `wait`). */
export function joinChildren(host: HostContext, entry: ThreadEntry | undefined): void {
  if (!entry || entry.worker < 0) return;
  entry.joining = true;
  if (entry.liveChildren === 0) tellIfJoined(host, entry);
  else host.tell({ type: 'WAITING', thread: entry.lineage.thread });
}

/** Cancels a thread and what the policy says of its subtree. */
export function cancelTree(host: HostContext, entry: ThreadEntry | undefined, reason: string): void {
  if (!entry) return;
  const last = latestOf(entry);
  if (last.children?.size)
    cancelAll(host, [last.lineage.thread], { reason, cascade: takesChildren(host, 'cancelled') });
  // Most have none: there is nothing to go through.
  else if (mark(host, last, reason)) sendCancel(host, last, reason);
}

/** Cancels a thread and its whole subtree, also what a policy has spared so far. */
export function killTree(host: HostContext, entry: ThreadEntry | undefined, killing: Killing): void {
  if (entry) cancelAll(host, [latestOf(entry).lineage.thread], { ...killing, cascade: true, again: new Set() });
}

type Killing = Pick<Cancellation, 'reason' | 'meets'>;

type Cancellation = {
  readonly reason: string;
  readonly cascade: boolean;
  /**
   * Also looks below those that were cancelled before: their children may have been spared. The families that it has met:
   * who takes over from one of them meanwhile is not another one.
   */
  readonly again?: Set<ThreadNo>;
  /** Called for each that has not ended. */
  readonly meets?: () => void;
};

/** Threads cancelled in one go; the rest waits for the next turn of the event loop. */
const SLICE = 500;
/** What it takes to read one back, in threads that are in memory: at most 25 are read back in one go. */
const READING = 20;

/**
 * Cancels threads, parents first, with one message per worker and slice. The children of a marked one are taken out of its
 * own set, each looked up when its turn comes. It gets no new ones but successors, which are in the set by then: nobody is
 * missed, whatever ends, hands over or is spawned between two slices.
 */
function cancelAll(host: HostContext, threads: Iterable<ThreadNo>, order: Cancellation): void {
  const left = createFifo<Iterator<ThreadNo>>();
  left.push(threads[Symbol.iterator]());
  cancelSlice(host, left, order);
}

function cancelSlice(host: HostContext, left: Fifo<Iterator<ThreadNo>>, order: Cancellation): void {
  const { reason, cascade, again } = order;
  const byWorker = new Map<number, number[]>();
  for (let work = 0; left.size() > 0 && work < SLICE;) {
    const next = left.peek()?.next();
    if (!next || next.done) {
      left.shift();
      continue;
    }
    const known = host.table.get(next.value);
    work += known ? 1 : READING;
    const found = known ?? recall(host, next.value);
    // It may have handed over.
    const one = found && latestOf(found);
    // One that was marked before has its subtree seen to.
    if (!one || (again ? again.has(one.family) : one.cancelReason !== undefined)) continue;
    again?.add(one.family);
    if (cascade && one.children?.size) left.push(one.children.values());
    if (one.phase === 'ended') continue;
    order.meets?.();
    if (mark(host, one, reason)) listOf(byWorker, one.worker).push(one.lineage.thread);
  }
  for (const [worker, threads] of byWorker) host.gateway.send(worker, { type: 'cancel', threads, reason });
  if (left.size() > 0) {
    host.cancelling.add(left);
    setImmediate(() => cancelSlice(host, left, order));
  } else if (host.cancelling.delete(left)) reportEmpty(host);
}

/**
 * Marks a live thread as cancelled, the first time, and says whether its worker is to hear of it: one that is in none is seen
 * to here.
 */
function mark(host: HostContext, one: ThreadEntry, reason: string): boolean {
  if (one.phase === 'ended' || one.cancelReason !== undefined) return false;
  host.table.keep(one);
  one.cancelReason = reason;
  if (one.absence) whenBack(host, one, () => sendCancel(host, one, reason));
  else if (one.worker >= 0) return true;
  else if (one.phase === 'queued' || one.phase === 'suspended') endParked(host, one, cancelled(reason));
  return false;
}

/** One that can't be read back takes no other with it. */
function recall({ table, problem }: HostContext, thread: ThreadNo): ThreadEntry | undefined {
  try {
    return table.recall(thread);
  } catch (thrown) {
    problem(toFailure(thrown));
    return undefined;
  }
}

function sendCancel({ gateway }: HostContext, { worker, lineage }: ThreadEntry, reason: string): void {
  gateway.send(worker, { type: 'cancel', threads: [lineage.thread], reason });
}

function listOf(lists: Map<number, number[]>, key: number): number[] {
  const list = lists.get(key) ?? [];
  lists.set(key, list);
  return list;
}

import type { StoreResult } from '../../core/store.ts';
import { failed, ok } from '../../core/result.ts';
import { toFailure, type Failure } from '../../core/errors.ts';
import type { ThreadNo } from '../../core/ids.ts';
import { formatUsd } from '../../core/money.ts';
import { ownPart, specJson } from '../../core/packed-spec.ts';
import type { Lineage, PackedSpec } from '../../core/protocol.ts';
import type { AdmissionOrder, HostContext } from '../host-context.ts';
import { tellIfJoined } from '../endings/tell-if-joined.ts';
import { latestOf } from '../latest.ts';
import { restInLine, standInLine } from './line.ts';
import { stopParked } from '../rest/parked-ending.ts';
import { placeInWorker } from './place.ts';
import { reportEmpty } from '../endings/report-empty.ts';
import type { StartOrder, ThreadEntry } from '../rest/thread-table.ts';
import { isWaiting } from '../waits/open-wait.ts';
import { wake } from '../waits/waiters.ts';

/** Checks the tree's own limits, then has the store write the row and reserve the budget (contracts, "Admission"). */
export function admitThread(host: HostContext, order: AdmissionOrder): void {
  const { parent, done, resumes, isFork = false } = order;
  const refusal = parent && refuseInTree(host, parent);
  if (refusal) return done(failed(refusal));
  const thread = host.nextThread();
  const threadId = host.newThreadId();
  const root = parent?.lineage.root ?? resumes?.lineage.root ?? thread;
  const continues = resumes?.lineage.threadId;
  const begun = { thread, threadId, parent: parent?.lineage.thread, parentId: parent?.lineage.threadId, root };
  const lineage = continues === undefined ? begun : { ...begun, continues };
  const spec = traced(host, lineage, order);
  const entry = host.table.add(lineage, spec);
  // It is read back, with what it goes on with.
  if (resumes || isFork) entry.order = { kind: 'resume' };
  countInTree(host, entry, 1);
  const op = {
    type: 'admit',
    thread,
    threadId,
    parent: lineage.parent,
    root,
    directive: spec.directive,
    model: spec.model,
    ceiling: spec.spend,
    spec: specJson(spec),
    at: host.clock.now(),
    ...(resumes && { predecessor: resumes.lineage.thread }),
  } as const;
  host.awaitingStore.set(thread, done);
  host.store.submit(op, (result) => {
    host.awaitingStore.delete(thread);
    const problem = failureOf(result, spec);
    if (problem) {
      countInTree(host, entry, -1);
      host.table.leaveParent(entry);
      host.table.forget(entry);
      host.telemetry?.refused(threadId);
      // It was a child of whoever has taken over from that.
      if (parent) tellIfJoined(host, latestOf(parent));
      done(failed(problem));
      // Whoever ends the tree above it waits for it, too; nobody has heard of it otherwise.
      entry.phase = 'ended';
      wake(entry);
    } else {
      done(ok(entry));
      host.tell({ type: 'ADMITTED', thread });
    }
    reportEmpty(host);
  });
}

/** Whose span its own is below is stored with it, if anybody traces: another runtime may start it, or go on with it. */
function traced({ telemetry }: HostContext, lineage: Lineage, { spec, caller }: AdmissionOrder): PackedSpec {
  if (!telemetry) return spec;
  const own = ownPart(spec);
  const traceparent = telemetry.admit(lineage, { caller, traceparent: own.traceparent });
  return traceparent === undefined ? spec : { ...spec, own: JSON.stringify({ ...own, traceparent }) };
}

/** `spawns` of every ancestor bounds its whole subtree (contracts, "Limit checks"). */
function refuseInTree(host: HostContext, parent: ThreadEntry): Failure | undefined {
  if (parent.cancelReason !== undefined || parent.phase === 'ended') {
    return { code: 'thread_ended', message: `Thread ${parent.lineage.threadId} is ending: it may spawn no child` };
  }
  for (let above: ThreadEntry | undefined = parent; above; above = host.table.parentOf(above)) {
    if (above.treeSpawned >= above.spawnLimit) {
      const message = `Thread ${above.lineage.threadId} allows ${above.spawnLimit} threads below it, and has as many`;
      return { code: 'spawns_exceeded', message };
    }
  }
  return undefined;
}

function countInTree(host: HostContext, entry: ThreadEntry, by: 1 | -1): void {
  for (let above = host.table.parentOf(entry); above; above = host.table.parentOf(above)) above.treeSpawned += by;
}

function failureOf(result: StoreResult, { directive, spend }: PackedSpec): Failure | undefined {
  if (result === true || result.type === 'loaded') return undefined;
  if (result.type === 'failed') return result.failure;
  const { remaining } = result;
  const message = `The budget for ${directive} (${formatUsd(spend)}) does not fit: the parent has ${formatUsd(remaining)} left`;
  return { code: 'budget_refused', message, detail: { remaining } };
}

/** Puts an admitted thread in line. */
export function queueThread(host: HostContext, entry: ThreadEntry | undefined): void {
  if (!entry || !settleAdmission(host, entry)) return;
  standInLine(host, entry);
  assignThreads(host);
  restInLine(host, entry);
}

/** A runtime that closes puts nobody in line: the row is the next one's, and can be cancelled or suspended until then. */
export function keepThread(host: HostContext, entry: ThreadEntry | undefined): void {
  if (!entry) return;
  entry.order = undefined;
  settleAdmission(host, entry);
}

/** Whether it may start: a cancellation or a suspension that came while its row was written is carried out now. */
function settleAdmission(host: HostContext, entry: ThreadEntry): boolean {
  if (entry.phase !== 'admitting') return false;
  const { suspendAsked } = entry;
  entry.phase = 'queued';
  entry.suspendAsked = undefined;
  return !stopParked(host, entry, suspendAsked);
}

/** Most threads started in one go; the rest waits for the next turn of the event loop. */
const WAVE = 250;

/** Gives free slots to whoever is next: threads that come back from a wait first, then new ones. */
export function assignThreads(host: HostContext): void {
  for (let started = 0; started < WAVE; started++) {
    const turn = host.slots.next();
    if (!turn) return;
    if (turn.returning) comeBack(host, host.table.get(turn.thread));
    else takeTurn(host, readEntry(host, turn.thread), turn.owner);
  }
  setImmediate(() => host.tell({ type: 'SLOT_FREE' }));
}

/** One that was let go of in line is read back; if that fails, it stays as its row says. */
function readEntry({ table, problem }: HostContext, thread: ThreadNo): ThreadEntry | undefined {
  try {
    return table.takeFromLine(thread);
  } catch (thrown) {
    problem(toFailure(thrown));
    return undefined;
  }
}

/** Its turn passes when it has left the line, or is just being ended or suspended. */
function takeTurn(host: HostContext, entry: ThreadEntry | undefined, owner: ThreadNo): void {
  if (entry) leaveLine(host, entry, owner);
  if (!entry?.order || host.parking.has(entry)) return leaveUnstarted(host, entry, owner);
  if (host.suspects.admits(entry)) return start(host, entry, entry.order);
  host.slots.leave(owner, true);
}

function leaveUnstarted(host: HostContext, entry: ThreadEntry | undefined, owner: ThreadNo): void {
  host.slots.leave(owner, true);
  // The worker that was kept for it may be another one's.
  host.suspects.look();
  if (entry) host.table.rest(entry);
}

/** Its place was taken under this owner, whatever its parent's family is by now. */
function leaveLine({ table }: HostContext, entry: ThreadEntry, owner: ThreadNo): void {
  table.keep(entry);
  entry.inLine = false;
  entry.owner = owner;
}

function comeBack(host: HostContext, entry: ThreadEntry | undefined): void {
  // It may have ended while it was in line, or have left it and wait for something else.
  if (entry?.phase !== 'waiting' || !entry.returning) return host.slots.yieldSlot();
  entry.phase = 'running';
  host.absences.over(entry);
  const answers = entry.returning;
  entry.returning = undefined;
  for (const answer of answers) answer();
  // It has nothing left to do but to wait for its children, and for its hooks on them: that takes no slot.
  if (entry.joining) waitOn(host, entry);
}

function start(host: HostContext, entry: ThreadEntry, order: StartOrder): void {
  entry.phase = 'running';
  handOver(host, entry, order);
}

/** Gives a thread to a worker, to start or to go on as its order says. */
export function handOver(host: HostContext, entry: ThreadEntry, order: StartOrder): void {
  const { lineage } = entry;
  const worker = placeInWorker(host, entry);
  entry.order = undefined;
  if (order.kind === 'start') host.gateway.send(worker, { type: 'start', lineage, spec: order.spec });
  else host.gateway.send(worker, { type: 'resume', lineage, hasChildren: entry.treeSpawned > 0 });
  if (entry.handOverAsked) host.gateway.send(worker, { type: 'handOver', thread: lineage.thread });
}

/**
 * A thread waits for its children: others may have its slot. It takes no step by which it could suspend as it was told,
 * so it is told once more: at once.
 */
export function yieldSlot(host: HostContext, entry: ThreadEntry | undefined): void {
  const hasToWait = isWaiting(entry?.openWaits) || entry?.joining === true;
  if (entry?.phase === 'waiting') {
    // It was back in its worker, and waits on; or it went on without an answer, and needs no slot any more.
    if (hasToWait && entry.returning?.length === 0) entry.returning = undefined;
    return host.absences.waits(entry);
  }
  // With no wait open, its answer is on the way: it goes on, and needs its slot.
  if (entry?.phase !== 'running' || !hasToWait) return;
  waitOn(host, entry);
  assignThreads(host);
}

/** A running thread's slot is free from now on. */
function waitOn(host: HostContext, entry: ThreadEntry): void {
  entry.phase = 'waiting';
  host.absences.waits(entry);
  entry.asked = undefined;
  host.slots.yieldSlot();
  const { worker, lineage, suspendAsked: reason } = entry;
  if (reason) host.gateway.send(worker, { type: 'suspend', thread: lineage.thread, reason, now: true });
}

/** Gives a thread an answer; one that has given its slot back gets it when it holds one again. */
export function answerThread(host: HostContext, entry: ThreadEntry, answer: () => void): void {
  if (entry.phase !== 'waiting') return answer();
  placeToReturn(host, entry).push(answer);
  assignThreads(host);
}

/** A thread goes on that has given up what it waited for. It runs without a slot until it gets one, or waits again. */
export function goOnUnanswered(host: HostContext, entry: ThreadEntry): void {
  if (entry.phase !== 'waiting') return;
  placeToReturn(host, entry);
  assignThreads(host);
}

/** Its place in the line of those who come back: the answers that it gets with its slot. */
function placeToReturn(host: HostContext, entry: ThreadEntry): (() => void)[] {
  if (!entry.returning) host.slots.comeBack(entry.lineage.thread);
  return (entry.returning ??= []);
}

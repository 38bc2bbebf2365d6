import type { Timer } from '../../core/clock.ts';
import type { LeftThread } from '../../core/protocol.ts';
import type { HostContext } from '../host-context.ts';
import { writeInterruption } from '../admission/interruption.ts';
import { leaveWorker, placeInWorker } from '../admission/place.ts';
import type { ThreadEntry } from '../rest/thread-table.ts';

/**
 * A waiting thread on its way out of its worker, or out of it (ADR 46). On its way it is told nothing: what is to be said to
 * it then is kept until its worker has said whether it has left.
 */
export type Absence =
  | { readonly kind: 'leaving'; readonly kept: (() => void)[] }
  | ({ readonly kind: 'away'; readonly timer: Timer | undefined } & LeftThread);

/** Has a thread leave its worker that has waited there for long, if that is all it does. */
export function sendAway(host: HostContext, entry: ThreadEntry): void {
  if (!isOnlyWaiting(entry)) return;
  entry.absence = { kind: 'leaving', kept: [] };
  host.gateway.send(entry.worker, { type: 'leave', thread: entry.lineage.thread });
}

/** Each of its waits must be known by its call, by which it is found again. */
function isOnlyWaiting(entry: ThreadEntry): boolean {
  const { phase, worker, absence, joining, returning, openWaits = new Set() } = entry;
  if (phase !== 'waiting' || worker < 0 || absence || joining || returning || openWaits.size === 0) return false;
  if (entry.cancelReason !== undefined || entry.suspendAsked || entry.handOverAsked || entry.apart) return false;
  const calls = new Set([...openWaits].map(({ call }) => call?.id));
  return calls.size === openWaits.size && !calls.has(undefined);
}

/** A thread has left its worker: the host has its waits, and its deadline. */
export function hasLeft(host: HostContext, entry: ThreadEntry | undefined, left: LeftThread): void {
  if (entry?.absence?.kind !== 'leaving') return;
  const { kept } = entry.absence;
  leaveWorker(host, entry);
  entry.lastCost = left.cost;
  const { deadline } = left;
  const back = (): void => bringBack(host, entry);
  const timer = deadline === undefined ? undefined : host.clock.setTimer(deadline - host.clock.now(), back);
  entry.absence = { ...left, kind: 'away', timer };
  host.absences.away.set(entry.lineage.thread, entry);
  let isOver = kept.length > 0;
  for (const wait of entry.openWaits ?? []) {
    wait.asker = undefined;
    isOver ||= wait.answer !== undefined;
  }
  if (isOver) back();
  for (const say of kept) say();
}

/** A thread has something to do, and has not left. */
export function hasStayed(host: HostContext, entry: ThreadEntry | undefined): void {
  if (entry?.absence?.kind !== 'leaving') return;
  const { kept } = entry.absence;
  entry.absence = undefined;
  for (const say of kept) say();
  for (const wait of entry.openWaits ?? []) wait.tell();
  if (entry.phase === 'waiting') host.absences.waits(entry);
}

/** Puts a thread that is away into a worker again; it needs no slot for that: it waits on there until it has an answer. */
export function bringBack(host: HostContext, entry: ThreadEntry): void {
  const { absence, lineage, openWaits = [] } = entry;
  if (absence?.kind !== 'away') return;
  forget(host, entry);
  const { startedAt, deadline } = absence;
  const calls = [...openWaits].flatMap(({ call, since }) => (call ? { ...call, since } : []));
  const worker = placeInWorker(host, entry);
  const waiting = { startedAt, deadline, calls };
  host.gateway.send(worker, { type: 'resume', lineage, hasChildren: true, waiting });
  if (entry.handOverAsked) host.gateway.send(worker, { type: 'handOver', thread: lineage.thread });
}

/**
 * Says something to a thread that may be away: it is brought back, and hears it there. At once to any other one, and to one on
 * its way out when it is clear where it is: `say` looks at its worker, which it may have none of by then.
 */
export function whenBack(host: HostContext, entry: ThreadEntry, say: () => void): void {
  if (entry.absence?.kind === 'leaving') return void entry.absence.kept.push(say);
  bringBack(host, entry);
  say();
}

/** A thread waits no more: it has ended, is suspended, or its worker is lost. */
export function endAbsence(host: HostContext, entry: ThreadEntry): void {
  const { absence, openWaits } = entry;
  host.absences.over(entry);
  forget(host, entry);
  entry.openWaits = undefined;
  for (const wait of openWaits ?? []) wait.giveUp();
  if (absence?.kind === 'leaving') for (const say of absence.kept) say();
}

function forget({ clock, absences }: HostContext, entry: ThreadEntry): void {
  const { absence } = entry;
  entry.absence = undefined;
  if (absence?.kind !== 'away') return;
  absences.away.delete(entry.lineage.thread);
  if (absence.timer !== undefined) clock.clearTimer(absence.timer);
}

/** Suspends those that are away when their runtime ends: they wait again in the next one, as after a crash. */
export function suspendAway(host: HostContext): void {
  for (const entry of host.absences.away.values()) {
    if (entry.absence?.kind !== 'away') continue;
    const { sequence, cost } = entry.absence;
    forget(host, entry);
    host.parking.set(entry, undefined);
    const message = 'the runtime ended while this thread was waiting for others';
    writeInterruption(host, { entry, sequence, reason: 'shutdown', message }, (failure) => {
      host.parking.delete(entry);
      if (failure) host.problem(failure);
      host.tell({ type: 'SUSPENDED', thread: entry.lineage.thread, reason: 'shutdown', cost });
    });
  }
}

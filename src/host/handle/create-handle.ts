import type { StandardSchemaV1 } from '@standard-schema/spec';
import type { ThreadStatus } from '../../core/ending.ts';
import { fromFailure, SkeinError, type Failure } from '../../core/errors.ts';
import type { ThreadView } from '../../core/control-surface.ts';
import { NO_COST, type Cost } from '../../core/limits.ts';
import { nanoToUsd } from '../../core/money.ts';
import { failed, type Result } from '../../core/result.ts';
import { beingCancelled } from '../endings/cancelled-tree.ts';
import type { ControlClient } from '../workers/control-client.ts';
import { streamChain } from './event-stream.ts';
import { heirOf, lastInLine } from '../endings/heir.ts';
import type { HostContext } from '../host-context.ts';
import { latestOf } from '../latest.ts';
import { checkOptionNames } from './option-names.ts';
import { suspendParked } from '../rest/parked-ending.ts';
import type { ResumeOrder } from '../rest/resume.ts';
import { toThreadEnding, toUsage, type ThreadEnding, type ThreadHandle, type ThreadState } from './thread-handle.ts';
import type { ThreadEntry } from '../rest/thread-table.ts';
import { whenBack } from '../workers/absence.ts';
import { addWaiter, nextChange } from '../waits/waiters.ts';

/** What handles work with. */
export type HandleSources = {
  readonly host: HostContext;
  /** The control surface of a worker; none of one that is gone. */
  readonly controlOf: (worker: number) => ControlClient | undefined;
  /** True once the runtime has stopped: nothing settles after that. */
  readonly isStopped: () => boolean;
};

/** Makes the handle of a thread. */
export function createHandle<Outputs>(
  entry: ThreadEntry,
  sources: HandleSources,
  schema?: StandardSchemaV1<unknown, Outputs>,
): ThreadHandle<Outputs> {
  const { host } = sources;
  const { threadId } = entry.lineage;
  const now = (): ThreadEntry => heirOf(entry, host);
  let result: Promise<ThreadEnding<Outputs>> | undefined;
  return {
    id: threadId,
    get result() {
      return (result ??= resultOf(entry, sources, schema));
    },
    async status() {
      refuseStopped(sources);
      return stateOf(now(), sources);
    },
    cancel(reason = 'cancelled by its owner') {
      if (typeof reason !== 'string') return Promise.reject(fromFailure(notText('A reason', reason)));
      const { thread } = now().lineage;
      host.tell({ type: 'CANCEL', thread, reason });
      return new Promise((done, rejected) => whenCancelled(entry, sources, { done: () => done(), rejected }));
    },
    async suspend() {
      suspendByUser(host, now());
      const failure = await untilRested(entry, sources.host, sources.isStopped);
      if (failure) throw fromFailure(failure);
    },
    async resume(message, options = {}) {
      checkOptionNames('resume', options, { limits: true });
      if (message !== undefined && typeof message !== 'string') throw fromFailure(notText('A message', message));
      const answer = await new Promise<Result<ThreadEntry>>((done) => {
        const order: ResumeOrder = { entry: lastInLine(entry, host), message, limits: options.limits, done };
        host.tell({ type: 'RESUME', order });
      });
      if (!answer.ok) throw fromFailure(answer.failure);
      return createHandle(answer.value, sources, schema);
    },
    async send(message) {
      const answer = await new Promise<Result<undefined>>((done) => say(host, now(), { text: message, done }));
      if (!answer.ok) throw fromFailure(answer.failure);
    },
    async usage() {
      refuseStopped(sources);
      const current = now();
      const { usage } = await stateOf(current, sources);
      const ledger = host.reader.ledger(current.lineage.thread);
      return { own: usage, tree: { spend: nanoToUsd(ledger?.actual ?? 0) } };
    },
    [Symbol.asyncIterator]() {
      refuseStopped(sources);
      return streamChain(entry, host);
    },
  };
}

/** Asks a thread to stop where it is, as its owner. */
export function suspendByUser(host: HostContext, entry: ThreadEntry): void {
  const { thread } = entry.lineage;
  whenBack(host, entry, () => {
    // It goes on, if its resumption can be written: then it is suspended again.
    if (entry.resuming) entry.suspendAsked = 'user';
    if (entry.worker < 0) return entry.phase === 'queued' ? suspendParked(host, entry, 'user') : undefined;
    entry.suspendAsked = 'user';
    host.gateway.send(entry.worker, { type: 'suspend', thread, reason: 'user', now: entry.phase === 'waiting' });
  });
}

type Message = { readonly text: string; readonly done: (answer: Result<undefined>) => void };

/** Only the thread's worker knows whether it takes another turn; one that has left it by then is the host's to explain. */
function say(host: HostContext, entry: ThreadEntry, { text, done }: Message): void {
  const { thread } = entry.lineage;
  if (typeof text !== 'string') return done(failed(notText('A message', text)));
  const heard: Message['done'] = (answer) => {
    // It is handing over: the successor hears it as soon as there is one.
    if (!answer.ok && answer.failure.detail?.['successor'] !== undefined) return sayToHeir(host, entry, { text, done });
    const isGone = !answer.ok && answer.failure.code !== 'runtime_closed' && entry.worker < 0;
    done(isGone ? failed(notRunning(entry)) : answer);
  };
  whenBack(host, entry, () => {
    if (entry.worker < 0) return done(failed(notRunning(entry)));
    host.messages.ask(entry.worker, (ref) => ({ type: 'send', ref, thread, text }), heard);
  });
}

/** Its worker has said that it hands over; the host may not have heard of it yet. */
function sayToHeir(host: HostContext, entry: ThreadEntry, message: Message): void {
  const again = (): void => say(host, heirOf(entry, host), message);
  if (entry.phase === 'ended') again();
  else addWaiter(host.table, entry, again);
}

/** Callers without types may pass anything, and what cannot be sent to a worker would be lost on the way. */
function notText(what: string, given: unknown): Failure {
  return { code: 'invalid_argument', message: `${what} is a text, not a ${typeof given}` };
}

function notRunning({ phase, cancelReason, lineage }: ThreadEntry): Failure {
  const isOver = phase === 'ended' || cancelReason !== undefined;
  const how = isOver && phase !== 'ended' ? 'being cancelled' : phase;
  const message = `Thread ${lineage.threadId} is ${how}: only a running thread can be sent a message`;
  return { code: isOver ? 'thread_ended' : 'invalid_argument', message };
}

/** What needs the database can't be answered any more. @throws SkeinError `runtime_closed` */
export function refuseStopped({ isStopped }: Pick<HandleSources, 'isStopped'>): void {
  if (isStopped()) throw new SkeinError('runtime_closed', 'The runtime has stopped');
}

/** Promise-free but for the one it returns: it is what a caller with ten thousand threads waits for. */
function resultOf<Outputs>(
  entry: ThreadEntry,
  sources: HandleSources,
  schema: StandardSchemaV1<unknown, Outputs> | undefined,
): Promise<ThreadEnding<Outputs>> {
  return new Promise((resolve) => {
    const done = (last: ThreadEntry): void =>
      resolve(last.ending ? toThreadEnding(last.ending, schema) : unfinished(last));
    whenEnded(entry, sources, { done });
  });
}

function unfinished({ lastCost }: ThreadEntry): ThreadEnding<never> {
  const error = { code: 'runtime_closed', message: 'The runtime stopped before the thread ended' } as const;
  return { status: 'suspended', outputs: undefined, text: '', error, cost: toUsage(lastCost ?? NO_COST) };
}

/** Somebody who waits for an ending; `rejected`: what asks for it and hears why it can't be written. */
type Waiting = { readonly done: (last: ThreadEntry) => void; readonly rejected?: (why: SkeinError) => void };

/**
 * Calls `done` once the thread, or the last of those that took over from it, has ended or the runtime has stopped: at once if
 * that is so already.
 */
function whenEnded(begun: ThreadEntry, sources: HandleSources, waiting: Waiting): void {
  const entry = sources.isStopped() ? latestOf(begun) : heirOf(begun, sources.host);
  if (entry.phase === 'ended' || sources.isStopped()) return waiting.done(entry);
  addWaiter(sources.host.table, entry, (failure) => {
    if (failure && waiting.rejected) waiting.rejected(fromFailure(failure));
    else whenEnded(entry, sources, waiting);
  });
}

/**
 * Calls `done` once a cancelled thread has ended, and everything it takes along: nobody of them calls a model after that.
 * Whoever was being admitted meanwhile is found when the others have ended.
 */
function whenCancelled(begun: ThreadEntry, sources: HandleSources, waiting: Waiting): void {
  const entry = latestOf(begun);
  if (sources.isStopped()) return waiting.done(entry);
  // They are read back in slices, not all of them here.
  if (sources.host.cancelling.size > 0) return void setImmediate(() => whenCancelled(entry, sources, waiting));
  const left = entry.phase === 'ended' ? beingCancelled(sources.host, entry) : [entry];
  if (left.length === 0) return waiting.done(entry);
  whenAllEnded({ ...waiting, entries: left, sources, done: () => whenCancelled(entry, sources, waiting) });
}

type AllEnded = Omit<Waiting, 'done'> & {
  readonly entries: readonly ThreadEntry[];
  readonly sources: HandleSources;
  readonly done: () => void;
};

/** A loop with one callback at a time: the endings of ten thousand are no ten thousand promises. */
function whenAllEnded(all: AllEnded, from = 0): void {
  const { entries, sources, done } = all;
  let at = from;
  while (entries[at]?.phase === 'ended') at++;
  const entry = entries[at];
  if (!entry || sources.isStopped()) return done();
  whenEnded(entry, sources, { ...all, done: () => whenAllEnded(all, at + 1) });
}

/** Resolves once a thread has ended or is suspended, or the runtime has stopped; to why that can't be written. */
export async function untilRested(
  begun: ThreadEntry,
  { table }: Pick<HostContext, 'table'>,
  isStopped: () => boolean,
): Promise<Failure | undefined> {
  for (;;) {
    const entry = latestOf(begun);
    if (entry.phase === 'ended' || isResting(entry) || isStopped()) return undefined;
    const failure = await nextChange(table, entry);
    if (failure) return failure;
  }
}

function isResting({ phase, resuming }: ThreadEntry): boolean {
  return phase === 'suspended' && !resuming;
}

async function stateOf(entry: ThreadEntry, sources: HandleSources): Promise<ThreadState> {
  const { host, controlOf } = sources;
  const { threadId, thread } = entry.lineage;
  const view = entry.worker >= 0 ? await controlOf(entry.worker)?.inspect(thread) : undefined;
  // The thread may have ended while the worker was asked, and the runtime stopped.
  refuseStopped(sources);
  const status = statusOf(entry);
  const row = host.reader.threadByNo(thread);
  return {
    id: threadId,
    status,
    state: view?.state ?? (entry.absence ? WAITING : entry.phase),
    suspendReason: entry.suspendReason,
    usage: toUsage(entry.ending?.cost ?? seenCost(view) ?? row?.cost ?? NO_COST),
  };
}

function seenCost(view: ThreadView | undefined): Cost | undefined {
  if (!view) return undefined;
  const { state: _state, messages: _messages, ...cost } = view;
  return cost;
}

/** What a thread does in no worker is what it did there (ADR 46). */
const WAITING = 'running.waitingForChildren';

/** A thread's state as everybody outside of the host names it. */
export function statusOf({ phase, ending }: ThreadEntry): ThreadStatus {
  switch (phase) {
    case 'admitting':
    case 'queued':
      return 'created';
    case 'running':
    case 'waiting':
      return 'running';
    case 'suspended':
      return 'suspended';
    default:
      return ending?.status ?? 'error';
  }
}

import type { StandardSchemaV1 } from '@standard-schema/spec';
import type { ThreadStatus } from '../../core/ending.ts';
import { answerOrNone } from '../../core/answer-or-none.ts';
import { fromFailure, type Failure } from '../../core/errors.ts';
import type { ThreadView } from '../../core/control-surface.ts';
import type { ThreadEvent } from '../../core/events.ts';
import type { ThreadId } from '../../core/ids.ts';
import { NO_COST, type Cost, type LimitOverrides } from '../../core/limits.ts';
import { nanoToUsd } from '../../core/money.ts';
import type { WorkerCommand } from '../../core/protocol.ts';
import { failed, type Result } from '../../core/result.ts';
import type { ControlClient } from '../workers/control-client.ts';
import { streamChain } from './event-stream.ts';
import { heirOf, lastInLine } from '../endings/heir.ts';
import type { HostContext } from '../host-context.ts';
import { latestOf } from '../latest.ts';
import { checkText, refusedArgument } from './argument-types.ts';
import { checkOptionNames } from './option-names.ts';
import { limitsOf } from './spawn-arguments.ts';
import { refuseStopped, stoppedBefore } from './refuse-stopped.ts';
import { askToResume } from '../rest/ask-to-resume.ts';
import { isPaused } from '../rest/interrupted.ts';
import { suspendParked } from '../rest/parked-ending.ts';
import { toUsage, type ThreadEnding, type ThreadHandle, type ThreadState } from './thread-handle.ts';
import type { ThreadEntry } from '../rest/thread-table.ts';
import { whenBack } from '../workers/absence.ts';
import { addWaiter, nextChange } from '../waits/waiters.ts';
import { resultOf, untilCancelled, whereNow, type EndingSources } from './until-ended.ts';

/** What handles work with. */
export type HandleSources = EndingSources & {
  /** The control surface of a worker; none of one that is gone. */
  readonly controlOf: (worker: number) => ControlClient | undefined;
};

/** Makes the handle of a thread. */
export function createHandle<Outputs>(
  entry: ThreadEntry,
  sources: HandleSources,
  schema?: StandardSchemaV1<unknown, Outputs>,
): ThreadHandle<Outputs> {
  return new Handle(entry, sources, schema);
}

/** A class, since a caller may hold a hundred thousand: closures would be 700 bytes more of each. */
class Handle<Outputs> implements ThreadHandle<Outputs> {
  readonly id: ThreadId;
  readonly #entry: ThreadEntry;
  readonly #sources: HandleSources;
  readonly #schema: StandardSchemaV1<unknown, Outputs> | undefined;
  #result: Promise<ThreadEnding<Outputs>> | undefined;

  constructor(entry: ThreadEntry, sources: HandleSources, schema: StandardSchemaV1<unknown, Outputs> | undefined) {
    this.id = entry.lineage.threadId;
    this.#entry = entry;
    this.#sources = sources;
    this.#schema = schema;
    // Its model is to hear of what does not fit.
    if (schema) entry.outputSchema = schema;
  }

  get result(): Promise<ThreadEnding<Outputs>> {
    return (this.#result ??= resultOf(this.#entry, this.#sources, this.#schema));
  }

  async status(): Promise<ThreadState> {
    refuseStopped(this.#sources);
    return stateOf(this.#now(), this.#sources);
  }

  /** Not `async`: a hundred thousand may be cancelled at once. */
  cancel(reason = 'cancelled by its owner'): Promise<void> {
    if (typeof reason !== 'string') return Promise.reject(refusedArgument('A reason', 'a text', reason));
    const now = this.#now();
    this.#sources.host.tell({ type: 'CANCEL', thread: now.lineage.thread, reason });
    return untilCancelled(now, this.#sources);
  }

  async suspend(): Promise<void> {
    const { host, isStopped } = this.#sources;
    const now = this.#now();
    if (!isStopped()) suspendByUser(host, now);
    const failure = await untilRested(now, host, isStopped);
    if (failure) throw fromFailure(failure);
  }

  async resume(message?: string, options: { readonly limits?: LimitOverrides } = {}): Promise<ThreadHandle<Outputs>> {
    const { host } = this.#sources;
    checkOptionNames('resume', options, { limits: true });
    if (message !== undefined) checkText('A message', message);
    refuseStopped(this.#sources);
    const answer = await askToResume(host, {
      entry: lastInLine(this.#entry, host),
      message,
      limits: limitsOf(options.limits),
    });
    if (!answer.ok) throw fromFailure(answer.failure);
    return createHandle(answer.value, this.#sources, this.#schema);
  }

  async send(message: string): Promise<void> {
    checkText('A message', message);
    refuseStopped(this.#sources);
    const { host } = this.#sources;
    const answer = await new Promise<Result<undefined>>((done) => say(host, this.#now(), { text: message, done }));
    if (!answer.ok) throw fromFailure(answer.failure);
  }

  async usage(): ReturnType<ThreadHandle['usage']> {
    refuseStopped(this.#sources);
    const current = this.#now();
    const { usage } = await stateOf(current, this.#sources);
    const ledger = this.#sources.host.reader.ledger(current.lineage.thread);
    return { own: usage, tree: { spend: nanoToUsd(ledger?.actual ?? 0) } };
  }

  [Symbol.asyncIterator](): AsyncIterator<ThreadEvent> {
    refuseStopped(this.#sources);
    return streamChain(this.#entry, this.#sources);
  }

  #now(): ThreadEntry {
    return whereNow(this.#entry, this.#sources);
  }
}

/** Asks a thread to stop where it is, as its owner. */
export function suspendByUser(host: HostContext, entry: ThreadEntry): void {
  const { thread } = entry.lineage;
  // Should its worker be lost before it is clear where it is, what is kept for it is not said.
  if (entry.absence?.kind === 'leaving') entry.suspendAsked = 'user';
  whenBack(host, entry, () => {
    // It goes on, if its resumption can be written, or from what its lost worker has left: then it is suspended.
    if (entry.resuming || entry.phase === 'admitting') entry.suspendAsked = 'user';
    if (entry.worker < 0) return isPaused(entry) ? suspendParked(host, entry, 'user') : undefined;
    entry.suspendAsked = 'user';
    host.gateway.send(entry.worker, { type: 'suspend', thread, reason: 'user', now: entry.phase === 'waiting' });
  });
}

type Message = { readonly text: string; readonly done: (answer: Result<undefined>) => void };

/**
 * Only the thread's worker knows whether it takes another turn; one that has left it by then is the host's to explain. What
 * comes too late for a thread that hands over is its successor's to hear.
 */
function say(host: HostContext, entry: ThreadEntry, message: Message): void {
  const { thread } = entry.lineage;
  const unheard = (failure: Failure): void => {
    if (failure.code === 'runtime_closed') return message.done(failed(failure));
    const now = heirOf(entry, host);
    if (now !== entry) return say(host, now, message);
    const isHandingOver = failure.detail?.['successor'] !== undefined && entry.phase !== 'ended';
    // Its worker has said so; the host will hear of it.
    if (isHandingOver) return addWaiter(host.table, entry, () => say(host, heirOf(entry, host), message));
    message.done(failed(entry.worker < 0 ? notRunning(entry) : failure));
  };
  whenBack(host, entry, () => {
    if (entry.worker < 0) return unheard(notRunning(entry));
    const order = (ref: number): WorkerCommand => ({ type: 'send', ref, thread, text: message.text });
    host.messages.ask(entry.worker, order, (answer) => (answer.ok ? message.done(answer) : unheard(answer.failure)));
  });
}

function notRunning({ phase, cancelReason, lineage }: ThreadEntry): Failure {
  const isOver = phase === 'ended' || cancelReason !== undefined;
  const how = isOver && phase !== 'ended' ? 'being cancelled' : phase;
  const message = `Thread ${lineage.threadId} is ${how}: only a running thread can be sent a message`;
  return { code: isOver ? 'thread_ended' : 'invalid_argument', message };
}

/**
 * Resolves once a thread has ended, or is suspended and stays so until somebody resumes it; to why that is not on disk: it can't be
 * written, or the runtime has stopped before.
 */
export async function untilRested(
  begun: ThreadEntry,
  { table }: Pick<HostContext, 'table'>,
  isStopped: () => boolean,
): Promise<Failure | undefined> {
  for (;;) {
    const entry = latestOf(begun);
    if (entry.phase === 'ended' || isResting(entry)) return undefined;
    if (isStopped()) return stoppedBefore('the thread was suspended');
    const failure = await nextChange(table, entry);
    if (failure) return failure;
  }
}

/** What was suspended for the end of a runtime goes on in the next one. */
function isResting({ phase, resuming, suspendReason }: ThreadEntry): boolean {
  return phase === 'suspended' && !resuming && suspendReason !== 'shutdown';
}

async function stateOf(entry: ThreadEntry, sources: HandleSources): Promise<ThreadState> {
  const { host, controlOf } = sources;
  const { threadId, thread } = entry.lineage;
  const asked = entry.worker < 0 ? undefined : controlOf(entry.worker)?.inspect(thread);
  const view = asked && (await answerOrNone(asked));
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

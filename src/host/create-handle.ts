import type { StandardSchemaV1 } from '@standard-schema/spec';
import type { ThreadStatus } from '../core/ending.ts';
import { fromFailure, SkeinError } from '../core/errors.ts';
import { NO_COST } from '../core/limits.ts';
import { nanoToUsd } from '../core/money.ts';
import type { Result } from '../core/result.ts';
import type { ControlClient } from './control-client.ts';
import { streamEvents } from './event-stream.ts';
import type { HostContext } from './host-context.ts';
import { checkOptionNames } from './option-names.ts';
import { suspendParked } from './parked-ending.ts';
import type { ResumeOrder } from './resume.ts';
import type { Supervisor } from './supervisor.ts';
import { toThreadEnding, toUsage, type ThreadEnding, type ThreadHandle, type ThreadState } from './thread-handle.ts';
import type { ThreadEntry } from './thread-table.ts';

/** What handles work with. */
export type HandleSources = {
  readonly host: HostContext;
  readonly supervisor: Supervisor;
  readonly controls: readonly ControlClient[];
  /** True once the runtime has stopped: nothing settles after that. */
  readonly isStopped: () => boolean;
};

/** Makes the handle of a thread. */
export function createHandle<Outputs>(
  entry: ThreadEntry,
  sources: HandleSources,
  schema?: StandardSchemaV1<unknown, Outputs>,
): ThreadHandle<Outputs> {
  const { host, supervisor } = sources;
  const { thread, threadId } = entry.lineage;
  let result: Promise<ThreadEnding<Outputs>> | undefined;
  return {
    id: threadId,
    get result() {
      return (result ??= resultOf(entry, sources, schema));
    },
    async status() {
      refuseStopped(sources);
      return stateOf(entry, sources);
    },
    cancel(reason = 'cancelled by its owner') {
      supervisor.send({ type: 'CANCEL', thread, reason });
      return new Promise((done) => whenEnded(entry, sources, done));
    },
    async suspend() {
      suspendByUser(host, entry);
      await untilSettled(entry, sources);
    },
    async resume(message, options = {}) {
      checkOptionNames('resume', options, { limits: true });
      const answer = await new Promise<Result<ThreadEntry>>((done) => {
        const order: ResumeOrder = { entry, message, limits: options.limits, done };
        supervisor.send({ type: 'RESUME', order });
      });
      if (!answer.ok) throw fromFailure(answer.failure);
    },
    send(message) {
      if (entry.worker < 0) {
        const text = `Thread ${threadId} is ${entry.phase}: only a running thread can be sent a message`;
        throw fromFailure({ code: 'invalid_argument', message: text });
      }
      host.gateway.send(entry.worker, { type: 'send', thread, text: message });
    },
    async usage() {
      refuseStopped(sources);
      const { usage } = await stateOf(entry, sources);
      return { own: usage, tree: { spend: nanoToUsd(host.reader.ledger(thread)?.actual ?? 0) } };
    },
    [Symbol.asyncIterator]() {
      refuseStopped(sources);
      return streamEvents(entry, host);
    },
  };
}

function suspendByUser(host: HostContext, entry: ThreadEntry): void {
  const { thread } = entry.lineage;
  if (entry.phase === 'queued') return suspendParked(host, entry, 'user');
  if (entry.worker < 0) return;
  host.gateway.send(entry.worker, { type: 'suspend', thread, reason: 'user', now: entry.phase === 'waiting' });
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
    whenEnded(entry, sources, () => resolve(entry.ending ? toThreadEnding(entry.ending, schema) : unfinished(entry)));
  });
}

function unfinished({ lastCost }: ThreadEntry): ThreadEnding<never> {
  const error = { code: 'runtime_closed', message: 'The runtime stopped before the thread ended' } as const;
  return { status: 'suspended', outputs: undefined, text: '', error, cost: toUsage(lastCost ?? NO_COST) };
}

/** Calls `done` once the thread has ended or the runtime has stopped: at once if that is so already. */
function whenEnded(entry: ThreadEntry, sources: HandleSources, done: () => void): void {
  if (entry.phase === 'ended' || sources.isStopped()) return done();
  (entry.waiters ??= new Set()).add(() => whenEnded(entry, sources, done));
}

async function untilSettled(entry: ThreadEntry, sources: HandleSources): Promise<void> {
  const isMoving = (): boolean => entry.phase !== 'ended' && entry.phase !== 'suspended';
  while (isMoving() && !sources.isStopped()) await nextChange(entry);
}

/** The next time the thread ends or is suspended, or the runtime stops. */
function nextChange(entry: ThreadEntry): Promise<void> {
  return new Promise((resolve) => {
    (entry.waiters ??= new Set()).add(resolve);
  });
}

async function stateOf(entry: ThreadEntry, sources: HandleSources): Promise<ThreadState> {
  const { host, controls } = sources;
  const { threadId, thread } = entry.lineage;
  const view = entry.worker >= 0 ? await controls[entry.worker]?.inspect(thread) : undefined;
  // The thread may have ended while the worker was asked, and the runtime stopped.
  refuseStopped(sources);
  const status = statusOf(entry);
  const row = host.reader.threadByNo(thread);
  const cost = view && !entry.ending ? view : (entry.ending?.cost ?? row?.cost ?? NO_COST);
  const usage = toUsage({
    turns: cost.turns,
    inputTokens: cost.inputTokens,
    outputTokens: cost.outputTokens,
    spend: cost.spend,
  });
  return { id: threadId, status, state: view?.state ?? entry.phase, suspendReason: entry.suspendReason, usage };
}

function statusOf({ phase, ending }: ThreadEntry): ThreadStatus {
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

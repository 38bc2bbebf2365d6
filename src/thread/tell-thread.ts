import { costPayload } from '../core/cost-payload.ts';
import type { Failure } from '../core/errors.ts';
import type { ChildStarted, WorkerCommand } from '../core/protocol.ts';
import { childEnded, childStarted, type HookedChild } from './hooks/child-hooks.ts';
import type { InWorker } from './conversation/conversation.ts';
import { logChild } from './plan/prepare-child.ts';
import type { ChildCommand, Thread } from './thread.ts';

/** A thread of this worker, and the state its machine is in, e.g. `running.calling`. */
export type ThreadInState = InWorker & { readonly state: string | undefined };

/** What the host tells one thread without wanting an answer. */
export type Told = Extract<WorkerCommand, { type: 'suspend' | 'handOver' | 'childStarted' | 'childEnded' | 'joined' }>;

const WAITS_TO_CALL: ReadonlySet<string | undefined> = new Set(['running.waitingForProvider', 'running.backingOff']);

/** Tells a thread what its host says. */
export function tellThread(told: ThreadInState, command: Told): void {
  const { thread } = told;
  switch (command.type) {
    case 'suspend':
      // Its cancellation came first, and its turn to hear of it has not.
      if (thread.cancelReason !== undefined && !thread.heldEnd)
        thread.send({ type: 'CANCEL', reason: thread.cancelReason });
      // Nothing is in flight where it waits to call again, and its next step may be far away.
      if (command.now || WAITS_TO_CALL.has(told.state))
        return thread.send({ type: 'SUSPEND', reason: command.reason, message: undefined });
      thread.suspendRequest ??= { reason: command.reason, message: undefined };
      return;
    case 'handOver':
      thread.handOverAsked = true;
      return;
    case 'childStarted':
    case 'childEnded':
      return tellOfChild(told, command);
    case 'joined': {
      // Of an end that is held; otherwise its hooks may start another one before it ends.
      thread.joined = thread.heldEnd !== undefined;
      return thread.send(thread.heldEnd ?? { type: 'CHILDREN_ENDED', heard: !thread.childNews?.size });
    }
  }
}

/**
 * Nothing follows an ending. One that is being suspended leaves this worker, and learns the rest when it is read back,
 * unless it is cancelled before that.
 */
function tellOfChild({ thread, services, state }: ThreadInState, command: ChildCommand): void {
  if (thread.ended) return;
  if (state === 'suspended') return void (thread.missed ??= []).push(command);
  recordTold({ thread, services }, command);
}

/**
 * Puts into the log what a thread was told of its children while it was being suspended, before its ending. Its hooks do not
 * hear of it: they are told when it goes on, and it does not.
 */
export function recordMissed(worker: InWorker): void {
  const missed = worker.thread.missed ?? [];
  worker.thread.missed = undefined;
  for (const command of missed) logTold(worker, command);
}

function recordTold(worker: InWorker, command: ChildCommand): void {
  if (!logTold(worker, command)) return;
  const { childId, type } = command;
  if (type === 'childStarted') childStarted(worker, { childId, ...hookedChild(worker.thread, command) });
  else childEnded(worker, { childId, status: command.ending.status, cost: costPayload(command.ending.cost) });
}

/** Who takes over from a child that hooks led to is as deep. */
function hookedChild({ hookedChildren }: Thread, { directive, continues }: ChildStarted): HookedChild {
  const hookDepth = continues && hookedChildren?.get(continues)?.hookDepth;
  return hookDepth === undefined ? { directive } : { directive, hookDepth };
}

/** False for what the log has already. */
function logTold(worker: InWorker, command: ChildCommand): boolean {
  const { thread, services } = worker;
  const { childId: child_thread_id, type } = command;
  const known = thread.caughtUp?.get(child_thread_id);
  if (type === 'childStarted' ? known !== undefined : known === 'child_thread_ended') return false;
  if (type === 'childStarted') {
    logChild(worker, command);
    return true;
  }
  const { status, cost } = command.ending;
  services.journal.record(thread, 'child_thread_ended', { child_thread_id, status, cost: costPayload(cost) });
  services.journal.flushSoon(thread);
  return true;
}

const ENDS_AFTER_CHILDREN: ReadonlySet<string | undefined> = new Set([
  'running.joining',
  'running.hearing',
  'running.ending',
]);

/** Gives a thread a message for its next turn; a failure if there is none. */
export function sendToThread({ thread, state }: ThreadInState, text: string): Failure | undefined {
  const { threadId } = thread.lineage;
  if (thread.successor !== undefined) {
    return { ...noTurns(threadId, 'has handed over'), detail: { successor: thread.successor } };
  }
  if (thread.ended || thread.cancelReason !== undefined) return noTurns(threadId, 'has ended');
  if (ENDS_AFTER_CHILDREN.has(state)) return noTurns(threadId, 'takes no more turns: it waits for its children to end');
  if (state === 'suspended') {
    const message = `Thread ${threadId} is being suspended: only a running thread can be sent a message`;
    return { code: 'invalid_argument', message };
  }
  thread.inbox.push(text);
  return undefined;
}

/** Why a thread hears nothing any more. */
function noTurns(thread: string | number, why: string): Failure {
  return { code: 'thread_ended', message: `Thread ${thread} ${why}` };
}

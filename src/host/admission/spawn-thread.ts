import { packSpec, splitSpec, unpackSpec } from '../../core/packed-spec.ts';
import type { PackedSpec, WorkerCommand } from '../../core/protocol.ts';
import { failed, type Result } from '../../core/result.ts';
import type { AdmissionOrder, HostContext, SpawnOrder } from '../host-context.ts';
import { latestOf } from '../latest.ts';
import type { ThreadEntry } from '../rest/thread-table.ts';
import { addWaiter } from '../waits/waiters.ts';
import { whenBack } from '../workers/absence.ts';
import { noParent } from './parent-of-spawn.ts';
import { tellParentOfChild } from './tell-parent.ts';

/** Begins with a thread that was asked for: a root when its turn has come. */
export function spawnThread(host: HostContext, order: SpawnOrder): void {
  const next = order.parent ? order : host.spawnLine.enter(order);
  if (next) prepareThread(host, next);
}

/** Has a worker load the directive and resolve what the thread may do. */
function prepareThread(host: HostContext, order: SpawnOrder, isAgain = false): void {
  if (order.parent) prepareChild(host, order, latestOf(order.parent));
  else prepareIn(host, order, { worker: host.crew.next(), isAgain });
}

/**
 * What is refused since its parent has handed over meanwhile is asked of the one that took over. Its worker and the store know that
 * its parent has ended, or is suspended, before the host has heard how: then that is waited for.
 */
function prepareChild(host: HostContext, order: SpawnOrder, parent: ThreadEntry): void {
  const decide: SpawnOrder['done'] = (answer) => {
    const isOver = answer.ok || answer.failure.code === 'runtime_closed';
    // A runtime that closes refuses it.
    if (!isOver && parent.successor) host.tell({ type: 'SPAWN', order });
    else order.done(answer);
  };
  const done: SpawnOrder['done'] = (answer) => {
    const saysEnded = !answer.ok && answer.failure.code === 'thread_ended';
    const isUnheard = saysEnded && parent.worker >= 0 && parent.cancelReason === undefined;
    // One that is suspended is not in its worker any more either.
    const hear = (): void => decide(saysEnded && isSuspended(parent) ? failed(noParent(parent)) : answer);
    if (isUnheard) addWaiter(host.table, parent, hear);
    else hear();
  };
  whenBack(host, parent, () => {
    const { worker } = parent;
    if (worker < 0) done(failed(noParent(parent)));
    else prepareIn(host, { ...order, parent, done }, { worker, isAgain: false });
  });
}

function isSuspended({ phase, cancelReason }: ThreadEntry): boolean {
  return phase === 'suspended' && cancelReason === undefined;
}

type Preparing = { readonly worker: number; readonly isAgain: boolean };

function prepareIn(host: HostContext, order: SpawnOrder, { worker, isAgain }: Preparing): void {
  const { request, parent, done, caller, finish } = order;
  const asked = parent ? { ...request, parent: parent.lineage.thread } : request;
  const admitted = parent ? tellingOf(host, parent, done) : done;
  const prepare = (ref: number): WorkerCommand => ({ type: 'prepare', ref, request: asked });
  host.questions.ask(worker, prepare, (answer: Result<PackedSpec>) => {
    // Its worker was lost, not by this as a rule: another one may do.
    if (!answer.ok && answer.failure.code === 'worker_lost' && !parent && !isAgain)
      return prepareThread(host, order, true);
    if (!answer.ok) return done(answer);
    const finished = finish?.(unpackSpec(answer.value));
    const spec = finished ? packSpec(splitSpec(finished)) : answer.value;
    const isFork = finished?.forkedFrom !== undefined;
    host.tell({ type: 'PREPARED', order: { spec, isFork, parent, caller, done: admitted } satisfies AdmissionOrder });
  });
}

function tellingOf(host: HostContext, parent: ThreadEntry, done: SpawnOrder['done']): SpawnOrder['done'] {
  return (answer) => {
    if (answer.ok) tellParentOfChild(host, parent, answer.value);
    done(answer);
  };
}

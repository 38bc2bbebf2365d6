import type { WorkerCommand } from '../../src/core/protocol.ts';
import type { StoreOp, StoreReply } from '../../src/core/store.ts';
import { packOp, type StoreRequest, type WireOps } from '../../src/core/store-wire.ts';
import { unpackOps } from '../fixtures/unpack-ops.ts';
import type { Tamper } from './ports.ts';

/** A bug, built into the ports between the parts: each function makes what happens to the messages of one connection. */
export type Plant = {
  /** From host and workers to the store; `reply` posts an answer of its own. */
  readonly toStore?: (reply: (message: StoreReply) => void) => Tamper;
  /** From the host to a worker. */
  readonly toWorker?: () => Tamper;
  /** A worker counts as gone though what it has posted is still on its way, and that is taken for what it was. */
  readonly hasLateWorkers?: boolean;
};

/** A store that says that steps are on disk before they are, where it can. */
const ACK_BEFORE_COMMIT: Plant = {
  toStore: (reply) => (message, pass) => {
    // Senders post requests, nothing else.
    const { batch, ops } = message as StoreRequest;
    if (unpackOps(ops).every(isPlainStep)) reply({ batch, results: [] });
    pass(message);
  },
};

/** A host that forgets a waiter if it has something else to say to its worker in the same tick. */
const LOST_WAKE_UP: Plant = {
  toWorker: () => (message, pass) => {
    // The host posts batches of commands, nothing else.
    const commands = message as WorkerCommand[];
    const others = commands.filter((command) => !wakesWaiter(command));
    pass(others.length > 0 ? others : commands);
  },
};

/** A store that takes the settlement of a call twice if the thread reserves for another one with it. */
const DOUBLE_SETTLE: Plant = {
  toStore: () => (message, pass) => {
    const request = message as StoreRequest;
    const ops: WireOps = [...request.ops];
    for (const op of unpackOps(request.ops).flatMap(settledAgain)) packOp(ops, op);
    pass({ ...request, ops });
  },
};

/** The bugs that are to be found. */
export const PLANTS = {
  ackBeforeCommit: ACK_BEFORE_COMMIT,
  lostWakeUp: LOST_WAKE_UP,
  doubleSettle: DOUBLE_SETTLE,
  lateWorkers: { hasLateWorkers: true },
} as const satisfies Readonly<Record<string, Plant>>;

function isPlainStep(op: StoreOp): boolean {
  return op.type === 'step' && op.reserve === undefined;
}

/** Whether it answers a wait: those answers are lists of threads. */
function wakesWaiter(command: WorkerCommand): boolean {
  return command.type === 'answer' && 'value' in command && Array.isArray(command.value) && command.value.length > 0;
}

function settledAgain(op: StoreOp): StoreOp[] {
  if (op.type !== 'step' || !op.settle || op.reserve === undefined) return [];
  const { thread, at, settle } = op;
  return [{ type: 'step', thread, at, lines: '', firstSequence: 0, lastSequence: 0, settle }];
}

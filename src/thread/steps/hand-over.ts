import { specJson, writeShared } from '../../core/packed-spec.ts';
import type { Successor } from '../../core/protocol.ts';
import type { ContinueOp } from '../../core/store.ts';
import { checkpointState } from '../conversation/checkpoint.ts';
import type { InWorker } from '../conversation/conversation.ts';
import { costOf } from '../cost.ts';
import type { Effect } from './effects.ts';

/** Asks the host who takes over; nothing has happened yet when the thread is stopped before the answer. */
export const askForSuccessor: Effect = (thread, { host }) => {
  host.ask({ type: 'succeed', thread: thread.lineage.thread }, (answer) => {
    // Suspended or cancelled meanwhile: the machine does not listen to it any more.
    if (!answer.ok) return thread.send({ type: 'FAIL', failure: answer.failure });
    // The host answers a `succeed` with a successor (protocol).
    thread.send({ type: 'HAND_OVER', successor: answer.value as Successor });
  });
};

/**
 * The row of the thread that takes over: counters, limits, time and what is left of the inbox go on as they are (contracts,
 * "Continuation"). What it is told of the conversation is read from the log when it starts.
 */
export function successorRow({ thread, services }: InWorker, successor: Successor): ContinueOp['successor'] {
  const at = services.clock.now();
  const { shared } = thread.spec;
  const { message: _, ...own } = thread.spec.own;
  const begins = { ...thread, firstTurn: thread.turns, compacted: false, assembly: undefined };
  return {
    ...successor,
    root: thread.lineage.root,
    directive: shared.directive,
    model: shared.model,
    spec: specJson({
      shared: writeShared({ ...shared, warnings: [] }),
      own: JSON.stringify({ ...own, limits: thread.limits }),
    }),
    at,
    checkpoint: { turn: thread.turns, state: checkpointState(begins, at) },
    cost: costOf(thread),
  };
}

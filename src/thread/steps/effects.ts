import { toFailure } from '../../core/errors.ts';
import type { ThreadAction, ThreadMachineContext, ThreadMachineEvent } from '../../../machines/thread.machine.ts';
import { assemble } from './assemble.ts';
import { askBeforeTools } from './before-tool.ts';
import { backOff, classifyFailure } from './call-failure.ts';
import { decideFullContext, relievePressure } from '../conversation/context-pressure.ts';
import { askForSuccessor } from './hand-over.ts';
import { holdEnding } from './held-ending.ts';
import { checkLimits, decideLimit } from './limit-check.ts';
import { callModel, settleCall } from './model-call.ts';
import { reserveBudget } from './reserve-budget.ts';
import { waitForProvider } from './provider-wait.ts';
import { recordCancellation, recordCompletion, recordContinuation, recordError } from './record-ending.ts';
import type { Services } from '../services/services.ts';
import { awaitChildren, conclude, runAfterStep, runBeforeStep, saveCheckpoint } from './step-end.ts';
import { stopWork } from './stop-work.ts';
import { recordResumption, recordSuspension } from './suspension.ts';
import { prepare } from './prepare.ts';
import type { Thread } from '../thread.ts';
import { recordToolCalls, runTools, yieldSlot } from './tool-step.ts';

/** One effect: acts on a thread, and sends its result to the thread's machine as an event, now or later. */
export type Effect = (thread: Thread, services: Services, event: ThreadMachineEvent) => void;

const EFFECTS: Readonly<Record<ThreadAction, Effect>> = {
  prepare,
  checkLimits,
  relievePressure,
  decideFullContext,
  askForSuccessor,
  decideLimit,
  runBeforeStep,
  assemble,
  reserveBudget,
  callModel,
  waitForProvider,
  classifyFailure,
  backOff,
  settleCall,
  askBeforeTools,
  recordToolCalls,
  runTools,
  yieldSlot,
  runAfterStep,
  saveCheckpoint,
  conclude,
  awaitChildren,
  holdEnding,
  stopWork,
  recordSuspension,
  recordResumption,
  recordCompletion,
  recordError,
  recordCancellation,
  recordContinuation,
};

type ActionArgs = { readonly context: ThreadMachineContext; readonly event: ThreadMachineEvent };

/**
 * The thread machine's actions for a worker. An effect that throws ends its own thread with `error` and touches no
 * other: 1,000 neighbours share the worker.
 */
export function createThreadActions(services: Services): Record<ThreadAction, (args: ActionArgs) => void> {
  const guarded =
    (effect: Effect) =>
    ({ context, event }: ActionArgs): void => {
      // `work` is opaque to the machine; the thread host alone creates it, always as a Thread.
      const thread = context.work as Thread;
      try {
        effect(thread, services, event);
      } catch (thrown) {
        const failure = toFailure(thrown);
        if (thread.ended) services.fatal(failure);
        else thread.send({ type: 'FAIL', failure });
      }
    };
  return Object.fromEntries(Object.entries(EFFECTS).map(([name, effect]) => [name, guarded(effect)])) as ReturnType<
    typeof createThreadActions
  >;
}

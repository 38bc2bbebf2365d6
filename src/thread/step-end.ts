import { costPayload } from '../core/cost-payload.ts';
import { costOf, limitsPayload } from './cost.ts';
import { addUserMessage } from './conversation.ts';
import type { Control } from './control.ts';
import type { Effect } from './effects.ts';
import { runHooks } from './run-hooks.ts';
import type { Thread } from './thread.ts';

function stepContext(thread: Thread): Record<string, unknown> {
  return {
    thread_id: thread.lineage.threadId,
    cost: costPayload(costOf(thread)),
    limits: limitsPayload(thread),
    turn: thread.turns,
  };
}

/** Runs the `before_step` hooks; a control result ends or suspends the thread before it pays for a call. */
export const runBeforeStep: Effect = (thread, services) => {
  runHooks({ thread, services, event: 'before_step', context: () => stepContext(thread) }, (control) => {
    if (!obey(thread, control)) thread.send({ type: 'STEP_ALLOWED' });
  });
};

/** Runs the `after_step` hooks. */
export const runAfterStep: Effect = (thread, services) => {
  runHooks({ thread, services, event: 'after_step', context: () => stepContext(thread) }, (control) => {
    if (!obey(thread, control)) thread.send({ type: 'STEP_OVER' });
  });
};

/** Carries out a control result; true if it took the thread out of its turn. */
function obey(thread: Thread, control: Control | undefined): boolean {
  switch (control?.action) {
    case 'fail':
      thread.send({
        type: 'FAIL',
        failure: { code: 'hook_failed', message: control.error ?? 'A hook ended the thread' },
      });
      return true;
    case 'abort':
      thread.send({ type: 'CANCEL', reason: control.error ?? 'Aborted by a hook' });
      return true;
    case 'suspend':
    case 'escalate':
      thread.send({ type: 'SUSPEND', reason: 'approval', message: control.suspend_reason });
      return true;
    default:
      return false;
  }
}

/** Marks the checkpoint as due: it commits with the step's events, in the next step or with the ending. */
export const saveCheckpoint: Effect = (thread) => {
  const last = thread.messages.at(-1);
  const isFinal = thread.outputs !== undefined || last?.role === 'assistant';
  thread.checkpointDue = !isFinal;
  thread.send({ type: 'CHECKPOINTED', final: isFinal && thread.inbox.length === 0 });
};

/** Ends the thread, unless outputs are missing or its children must end first. */
export const conclude: Effect = (thread, services) => {
  const required = thread.plan.expected.required;
  if (thread.outputs === undefined && required.length > 0) {
    const names = required.join(', ');
    if (thread.reminded) {
      const message = `The directive declares outputs (${names}), but the model ended without directive_return`;
      return thread.send({ type: 'FAIL', failure: { code: 'outputs_missing', message } });
    }
    thread.reminded = true;
    addUserMessage({ thread, services }, `Return the results now: call the directive_return tool with ${names}.`);
    return thread.send({ type: 'REMINDED' });
  }
  const waits = thread.spawned > 0 && services.config.resilience.childPolicy.onParentComplete === 'wait';
  thread.send({ type: waits ? 'CHILDREN_LEFT' : 'CONCLUDED' });
};

/** Asks the host to say when the last child has ended. */
export const awaitChildren: Effect = (thread, { report }) => {
  report({ type: 'join', thread: thread.lineage.thread });
};

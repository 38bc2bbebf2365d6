import { costPayload } from '../../core/cost-payload.ts';
import { suspendAsAsked } from './asked-suspension.ts';
import { markCheckpoint } from './checkpoint-triggers.ts';
import { costOf, limitsPayload } from '../cost.ts';
import { addUserMessage } from '../conversation/conversation.ts';
import { stopDeadline } from './deadline.ts';
import type { Effect } from './effects.ts';
import { waitsForChildren } from './held-ending.ts';
import { obeyControl } from '../hooks/obey-control.ts';
import { runHooks } from '../hooks/run-hooks.ts';
import type { Services } from '../services/services.ts';
import type { Thread } from '../thread.ts';

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
  // The step goes on with another model: it is the one that they have let pass (ADR 33).
  if (thread.fellBackAt === thread.turns) return allow(thread);
  const event = 'before_step';
  runHooks({ thread, services, event, context: () => stepContext(thread) }, (control, by) => {
    // They may have spent more than there is: a person decides about that before anything is reserved.
    if (!obeyControl({ thread, services, event, by }, control) && !suspendAsAsked(thread)) allow(thread);
  });
};

function allow(thread: Thread): void {
  thread.send(thread.assembly ? { type: 'STEP_ALLOWED', assemble: true } : { type: 'STEP_ALLOWED' });
}

/** Runs the `after_step` hooks: once they have let the thread pass, not again for this turn. */
export const runAfterStep: Effect = (thread, services) => {
  const event = 'after_step';
  let isLater = false;
  runHooks({ thread, services, event, context: () => stepContext(thread) }, (control, by) => {
    // After a suspension all are asked again: what a person has granted is found, and the others may decide.
    if (obeyControl({ thread, services, event, by }, control)) return;
    thread.steppedAt = thread.turns;
    if (isLater) keepDecided(thread, services);
    thread.send({ type: 'STEP_OVER' });
  });
  isLater = true;
};

/** The checkpoint of the answer does not know that its hooks have decided, and the next one may be far away. */
function keepDecided(thread: Thread, { journal }: Services): void {
  thread.checkpointDue = true;
  journal.flushSoon(thread);
}

/** Whether a turn was cut off before its `after_step` hooks had decided. */
export function isStepDue({ turns, steppedAt, heldEnd }: Thread): boolean {
  return steppedAt < turns && !heldEnd;
}

/** Marks the checkpoint after tool calls as due; says whether the thread has come to its end. */
export const saveCheckpoint: Effect = (thread, services) => {
  // Read back: its work was over, and it only waited for its children.
  if (thread.heldEnd) return thread.send(thread.heldEnd);
  if (!hasSaidAll(thread) && thread.messages.at(-1)?.role === 'tool') markCheckpoint(thread, services, 'postTools');
  thread.send({ type: 'CHECKPOINTED', final: isWorkOver(thread) });
};

/** Whoever has spoken since it gave its outputs is answered first: those of an earlier turn end nothing. */
function hasSaidAll({ returnedAt, turns, messages }: Thread): boolean {
  const last = messages.at(-1)?.role;
  return last === 'assistant' || (last === 'tool' && returnedAt === turns);
}

/** With nothing in flight: whether there is nothing left to do for a thread but to end. */
export function isWorkOver(thread: Thread): boolean {
  return hasSaidAll(thread) && thread.inbox.length === 0;
}

/** Ends the thread, unless outputs are missing or its children must end first. */
export const conclude: Effect = (thread, services) => {
  const { required, isExpected } = thread.plan.expected;
  if (thread.outputs === undefined && isExpected) {
    const names = required.join(', ');
    if (thread.reminded) {
      const asked = names === '' ? 'Outputs are asked for' : `The directive declares outputs (${names})`;
      const message = `${asked}, but the model ended without directive_return`;
      return thread.send({ type: 'FAIL', failure: { code: 'outputs_missing', message } });
    }
    thread.reminded = true;
    const whatWith = names === '' ? '' : ` with ${names}`;
    addUserMessage({ thread, services }, `Return the results now: call the directive_return tool${whatWith}.`);
    return thread.send({ type: 'REMINDED' });
  }
  tellOutputs(thread, services, () => {
    // It was told something while its hooks heard of its outputs: they are asked again after the turn that this takes.
    if (thread.inbox.length > 0) {
      thread.returnHeard = false;
      return thread.send({ type: 'REMINDED' });
    }
    const waits = thread.spawned > 0 && waitsForChildren(services, 'completed');
    thread.send({ type: waits ? 'CHILDREN_LEFT' : 'CONCLUDED' });
  });
};

/** Runs the `directive_return` hooks until they let the thread pass; `done` is not called if one ends or suspends the thread. */
function tellOutputs(thread: Thread, services: Services, done: () => void): void {
  const { outputs, returnHeard } = thread;
  if (outputs === undefined || returnHeard) return done();
  const event = 'directive_return';
  const context = (): Record<string, unknown> => ({
    thread_id: thread.lineage.threadId,
    outputs,
    cost: costPayload(costOf(thread)),
  });
  runHooks({ thread, services, event, context }, (control, by) => {
    // After a suspension all are asked again: what a person has granted is found, and the others may decide.
    if (obeyControl({ thread, services, event, by }, control)) return;
    thread.returnHeard = true;
    done();
  });
}

/** Asks the host to say when the last child has ended. The thread's own work is over, and with it what its time measures. */
export const awaitChildren: Effect = (thread, services) => {
  stopDeadline(thread, services);
  services.report({ type: 'join', thread: thread.lineage.thread });
};

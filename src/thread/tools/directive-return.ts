import type { Thread } from '../thread.ts';
import type { ThreadToolCode } from './thread-tool.ts';

/**
 * `directive_return`: ends the thread with its outputs, once every required one is there and fits. What does not fit
 * goes back to the model with the reason.
 */
export const directiveReturn: ThreadToolCode = {
  id: 'rye/agent/threads/directive_return',
  run({ thread, input }, done) {
    const checked = thread.plan.expected.check(input);
    if (checked.ok) accept(thread, checked.value);
    done(checked.ok ? { ok: true, value: 'accepted' } : checked);
    return undefined;
  },
};

/** The log says no more of them than that they were accepted: what commits that takes them along. */
function accept(thread: Thread, outputs: NonNullable<Thread['outputs']>): void {
  thread.outputs = outputs;
  thread.returnedAt = thread.turns;
  thread.returnHeard = false;
  thread.checkpointDue = true;
}

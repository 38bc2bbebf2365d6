import type { Result } from '../../core/result.ts';
import type { Thread } from '../thread.ts';
import type { ThreadToolCode } from './thread-tool.ts';

/**
 * `directive_return`: ends the thread with its outputs, once every required one is there and fits. What does not fit
 * goes back to the model with the reason, also what only the caller's own schema finds.
 */
export const directiveReturn: ThreadToolCode = {
  id: 'rye/agent/threads/directive_return',
  run({ thread, services, input }, done) {
    const checked = thread.plan.expected.check(input);
    const settle = (fits: Result<unknown>): void => {
      if (checked.ok && fits.ok) accept(thread, checked.value);
      done(fits.ok ? { ok: true, value: 'accepted' } : fits);
    };
    if (checked.ok && thread.spec.shared.outputSchema !== undefined) {
      const question = { type: 'checkOutputs', thread: thread.lineage.thread, outputs: checked.value } as const;
      return services.host.ask(question, settle);
    }
    settle(checked);
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

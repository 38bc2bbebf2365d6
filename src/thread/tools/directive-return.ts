import type { ThreadToolCode } from './thread-tool.ts';

/**
 * `directive_return`: ends the thread with its outputs, once every required one is there and fits. What does not fit
 * goes back to the model with the reason.
 */
export const directiveReturn: ThreadToolCode = {
  id: 'rye/agent/threads/directive_return',
  run({ thread, input }, done) {
    const checked = thread.plan.expected.check(input);
    if (checked.ok) thread.outputs = checked.value;
    done(checked.ok ? { ok: true, value: 'accepted' } : checked);
    return undefined;
  },
};

import type { ThreadTool } from './thread-tools.ts';

/**
 * `directive_return`: ends the thread with its outputs, once every required one is there and fits. What does not fit
 * goes back to the model with the reason.
 */
export const directiveReturn: ThreadTool = {
  id: 'rye/agent/threads/directive_return',
  description: 'Return the results of the directive and end the thread.',
  inputSchema: { type: 'object' },
  idempotent: true,
  run(_input, _caller, done) {
    done({ ok: false, failure: { code: 'tool_failed', message: 'directive_return runs inside a thread only' } });
    return undefined;
  },
  runFor({ thread, call }, done) {
    const checked = thread.plan.expected.check(call.input);
    if (checked.ok) thread.outputs = checked.value;
    done(checked.ok ? { ok: true, value: 'accepted' } : checked);
    return undefined;
  },
};

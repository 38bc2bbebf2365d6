import { z } from 'zod';
import type { WaitedThread } from '../core/protocol.ts';
import type { RunningTool, ToolOutcome } from '../core/tool.ts';
import { defineThreadTool } from './define-thread-tool.ts';
import { syncReturn } from './thread-directive-tool.ts';
import type { ThreadToolCall } from './thread-tools.ts';

const OPERATIONS = ['wait_threads', 'cancel_thread', 'get_status', 'list_active'] as const;

/** S2 §6.11: wait for threads, cancel one, ask for a status, list those that are running. */
export const orchestrator = defineThreadTool({
  id: 'rye/agent/threads/orchestrator',
  description: 'Coordinate child threads: wait_threads, cancel_thread, get_status, list_active.',
  input: z.object({
    operation: z.enum(OPERATIONS).optional(),
    action: z.enum(OPERATIONS).optional().describe('Another name for operation'),
    thread_ids: z.array(z.string()).default([]),
    thread_id: z.string().default(''),
    timeout: z.number().positive().optional().describe('Seconds; the default is configured'),
  }),
  run({ input, ...call }, done) {
    const { thread, services } = call;
    const operation = input.operation ?? input.action;
    if (operation === undefined) {
      const message = `Name an operation: ${OPERATIONS.join(', ')}`;
      done({ ok: false, failure: { code: 'tool_input_invalid', message } });
      return undefined;
    }
    if (operation === 'wait_threads') {
      return waitThreads(call, { ids: input.thread_ids, seconds: input.timeout, done });
    }
    const question = {
      type: 'orchestrate',
      thread: thread.lineage.thread,
      operation,
      threadId: input.thread_id,
    } as const;
    return services.host.ask(question, (answer) => done(answer));
  },
});

type Wait = {
  readonly ids: readonly string[];
  readonly seconds: number | undefined;
  readonly done: (outcome: ToolOutcome) => void;
};

/** One deadline for all; results in the order asked (contracts, `wait_threads`). */
function waitThreads(
  { thread, services, waits }: ThreadToolCall,
  { ids, seconds, done }: Wait,
): RunningTool | undefined {
  const { coordination } = services.config.resilience;
  if (ids.length > coordination.maxWaitThreadIds) {
    const message = `wait_threads takes at most ${coordination.maxWaitThreadIds} thread_ids at once, not ${ids.length}`;
    done({ ok: false, failure: { code: 'tool_input_invalid', message } });
    return undefined;
  }
  const timeoutMs = (seconds ?? coordination.waitTimeoutSeconds) * 1000;
  const question = {
    type: 'wait',
    thread: thread.lineage.thread,
    threadIds: ids,
    timeoutMs,
    failFast: coordination.failFast,
  } as const;
  const asked = services.host.ask(question, (answer) => {
    if (!answer.ok) return done(answer);
    // The host answers a `wait` with one entry per id (protocol).
    const waited = answer.value as readonly WaitedThread[];
    const results = waited.map((entry) => syncReturn(entry, entry.threadId));
    done({ ok: true, value: { success: waited.every(({ status }) => status === 'completed'), results } });
  });
  waits();
  return asked;
}

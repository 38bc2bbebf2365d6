import { costPayload } from '../core/cost-payload.ts';
import type { WaitedThread } from '../core/protocol.ts';
import { syncReturn } from '../core/thread-return.ts';
import type { RunningTool, ToolOutcome } from '../core/tool.ts';
import type { ThreadToolCall, ThreadToolCode } from './thread-tool.ts';

/** What its file declares. */
type Input = {
  readonly operation?: string;
  readonly action?: string;
  readonly thread_ids: readonly string[];
  readonly thread_id: string;
  readonly timeout?: number;
};

/** S2 §6.11: wait for threads, cancel one, ask for a status, list those that are running. */
export const orchestrator: ThreadToolCode = {
  id: 'rye/agent/threads/orchestrator',
  run(call, done) {
    const { thread, services } = call;
    // Checked against its file.
    const input = call.input as Input;
    const operation = input.operation ?? input.action;
    if (operation === undefined) {
      done({ ok: false, failure: { code: 'tool_input_invalid', message: 'Name an operation' } });
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
};

type Wait = {
  readonly ids: readonly string[];
  readonly seconds: number | undefined;
  readonly done: (outcome: ToolOutcome) => void;
};

/** One deadline for all; results in the order asked (contracts, `wait_threads`). */
function waitThreads(call: ThreadToolCall, { ids, seconds, done }: Wait): RunningTool | undefined {
  const { thread, services, maxWaitMs = Number.POSITIVE_INFINITY } = call;
  const { coordination } = services.config.resilience;
  if (ids.length > coordination.maxWaitThreadIds) {
    const message = `wait_threads takes at most ${coordination.maxWaitThreadIds} thread_ids at once, not ${ids.length}`;
    done({ ok: false, failure: { code: 'tool_input_invalid', message } });
    return undefined;
  }
  const question = {
    type: 'wait',
    thread: thread.lineage.thread,
    threadIds: ids,
    timeoutMs: Math.min(maxWaitMs, (seconds ?? coordination.waitTimeoutSeconds) * 1000),
    failFast: coordination.failFast,
  } as const;
  const asked = services.host.ask(question, (answer) => {
    if (!answer.ok) return done(answer);
    // The host answers a `wait` with one entry per id (protocol).
    const waited = answer.value as readonly WaitedThread[];
    const results = waited.map((entry) => syncReturn(entry.threadId, entry, costPayload));
    done({ ok: true, value: { success: waited.every(({ status }) => status === 'completed'), results } });
  });
  call.waits();
  return asked;
}

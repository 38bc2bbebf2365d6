import type { ThreadId } from '../core/ids.ts';
import type { SpawnRequest, WaitedThread } from '../core/protocol.ts';
import { threadOutcome } from '../core/thread-outcome.ts';
import { asyncReturn } from '../core/thread-return.ts';
import type { RunningTool, ToolOutcome } from '../core/tool.ts';
import { prepareChild, recordChild } from './prepare-child.ts';
import type { ThreadToolCall, ThreadToolCode } from './thread-tool.ts';

/** What its file declares. */
type Input = {
  readonly directive_name: string;
  readonly async_exec: boolean;
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly model?: string;
  readonly limit_overrides?: Readonly<Record<string, unknown>>;
};

/** S2 §6.8: spawns a child thread, and waits for it unless `async_exec`. */
export const threadDirective: ThreadToolCode = {
  id: 'rye/agent/threads/thread_directive',
  run(call, done) {
    // Checked against its file.
    const input = call.input as Input;
    let aborted = false;
    let asked: RunningTool | undefined;
    const spawned = (threadId: ThreadId, directive: string): void => {
      recordChild(call, { childId: threadId, directive });
      if (input.async_exec) return done({ ok: true, value: asyncReturn(threadId, directive) });
      asked = waitForChild(call, { threadId, directive, done });
      call.waits();
    };
    prepareChild(call, requestOf(input), (prepared) => {
      if (aborted) return;
      if (!prepared.ok) return done(prepared);
      const spec = prepared.value;
      asked = call.services.host.ask({ type: 'spawn', thread: call.thread.lineage.thread, spec }, (answer) => {
        if (!answer.ok) return done(answer);
        // The host answers a `spawn` with the child's id (protocol).
        spawned((answer.value as { threadId: ThreadId }).threadId, spec.directive);
      });
    });
    return {
      abort() {
        aborted = true;
        asked?.abort();
      },
    };
  },
};

function requestOf({ directive_name, inputs, limit_overrides, model }: Input): SpawnRequest {
  const request = { directive: directive_name, inputs, limits: limit_overrides, model };
  return { ...request, parent: undefined, outputSchema: undefined };
}

type Child = { readonly threadId: ThreadId; readonly directive: string; readonly done: (outcome: ToolOutcome) => void };

function waitForChild(
  { thread, services, maxWaitMs }: ThreadToolCall,
  { threadId, directive, done }: Child,
): RunningTool {
  const question = {
    type: 'wait',
    thread: thread.lineage.thread,
    threadIds: [threadId],
    timeoutMs: maxWaitMs,
    failFast: false,
  } as const;
  return services.host.ask(question, (answer) => {
    if (!answer.ok) return done(answer);
    // The host answers a `wait` with one entry per id (protocol).
    const [child] = answer.value as readonly WaitedThread[];
    const waited = child ?? { threadId, status: 'not_found', ending: undefined };
    done({ ok: true, value: { ...threadOutcome(waited), directive } });
  });
}

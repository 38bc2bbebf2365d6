import type { ThreadId } from '../../core/ids.ts';
import { packSpec } from '../../core/packed-spec.ts';
import type { SpawnedChild, SpawnRequest } from '../../core/protocol.ts';
import { asyncReturn } from '../../core/thread-return.ts';
import type { RunningTool, ToolOutcome } from '../../core/tool.ts';
import { prepareChild, recordChild } from '../plan/prepare-child.ts';
import type { ThreadToolCall, ThreadToolCode } from './thread-tool.ts';
import { waitedOutcome } from './waited-outcome.ts';

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
  // It goes on with the child that it has spawned.
  mayRunAgain: () => true,
  run(call, done) {
    // Checked against its file.
    const input = call.input as Input;
    let aborted = false;
    let asked: RunningTool | undefined;
    const goOn = (threadId: ThreadId, directive: string): void => {
      if (input.async_exec) return done({ ok: true, value: asyncReturn(threadId, directive) });
      asked = waitForChild(call, { threadId, directive, done });
      call.waits();
    };
    const spawn = (): void =>
      prepareChild(call, requestOf(input), (prepared) => {
        if (aborted) return;
        if (!prepared.ok) return done(prepared);
        const { shared, own } = prepared.value;
        const { callId } = call;
        const spec = packSpec({ shared, own: callId === undefined ? own : { ...own, callId } });
        asked = call.services.host.ask({ type: 'spawn', thread: call.thread.lineage.thread, spec }, (answer) => {
          if (!answer.ok) return done(answer);
          // The host answers a `spawn` with the child's id (protocol).
          const { threadId } = answer.value as { threadId: ThreadId };
          recordChild(call, { childId: threadId, directive: spec.directive });
          // Its `child_started` hooks may have stopped the thread.
          if (aborted) return;
          goOn(threadId, spec.directive);
        });
      });
    if (call.isAgain && call.callId !== undefined) {
      const question = { type: 'spawned', thread: call.thread.lineage.thread, callId: call.callId } as const;
      asked = call.services.host.ask(question, (answer) => {
        if (!answer.ok) return done(answer);
        // The host answers a `spawned` with the child, if there is one (protocol); the log tells of it by now.
        const child = answer.value as SpawnedChild | undefined;
        if (child) goOn(child.threadId, child.directive);
        else spawn();
      });
    } else spawn();
    return {
      abort(stays) {
        aborted = true;
        asked?.abort(stays);
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
  { thread, services, maxWaitMs, callId, isBeside }: ThreadToolCall,
  { threadId, directive, done }: Child,
): RunningTool {
  const question = {
    type: 'wait',
    thread: thread.lineage.thread,
    threadIds: [threadId],
    timeoutMs: maxWaitMs,
    failFast: false,
    ...(callId !== undefined && { call: { id: callId, directive } }),
    ...(isBeside && { isBeside }),
  } as const;
  return services.host.ask(question, (answer) => done(waitedOutcome(answer, directive, maxWaitMs)));
}

import { z } from 'zod';
import type { ThreadId } from '../core/ids.ts';
import type { SpawnRequest, WaitedThread } from '../core/protocol.ts';
import type { RunningTool, ToolOutcome } from '../core/tool.ts';
import type { InWorker } from './conversation.ts';
import { costPayload } from '../core/cost-payload.ts';
import { defineThreadTool } from './define-thread-tool.ts';
import { prepareChild, recordChild } from './prepare-child.ts';

/** S2 §6.8: spawns a child thread, and waits for it unless `async_exec`. */
export const threadDirective = defineThreadTool({
  id: 'rye/agent/threads/thread_directive',
  description:
    'Run a directive in a child thread. Waits for its result, or with async_exec returns its thread_id at once.',
  input: z.object({
    directive_name: z.string().describe('Item id of the directive'),
    async_exec: z.boolean().default(false).describe('Return at once with the thread_id'),
    inputs: z.record(z.string(), z.unknown()).default({}).describe('Inputs of the directive'),
    parent_thread_id: z.string().optional().describe('Ignored: the parent is the calling thread'),
    model: z.string().optional().describe('Another model, as provider:model, id or tier'),
    limit_overrides: z.record(z.string(), z.unknown()).optional().describe('Limits lower than the defaults'),
  }),
  run(call, done) {
    let aborted = false;
    let asked: RunningTool | undefined;
    const spawned = (threadId: ThreadId, directive: string): void => {
      recordChild(call, threadId, directive);
      if (call.input.async_exec) return done({ ok: true, value: asyncReturn(threadId, directive) });
      asked = waitForChild(call, { threadId, directive, done });
      call.waits();
    };
    prepareChild(call, requestOf(call.input), (prepared) => {
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
});

type Input = {
  readonly directive_name: string;
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly model?: string | undefined;
  readonly limit_overrides?: Readonly<Record<string, unknown>> | undefined;
};

function requestOf({ directive_name, inputs, limit_overrides, model }: Input): SpawnRequest {
  const request = { directive: directive_name, inputs, limits: limit_overrides, model };
  return { ...request, parent: undefined, outputSchema: undefined };
}

/** S2 §3 "Async Return Payload". */
function asyncReturn(threadId: ThreadId, directive: string): Record<string, unknown> {
  return {
    success: true,
    thread_id: threadId,
    status: 'running',
    directive,
    control: {
      wait: `orchestrator.wait_threads(['${threadId}'])`,
      cancel: `state_store.request_cancel('${threadId}')`,
      status: `registry.get_status('${threadId}')`,
    },
  };
}

type Child = { readonly threadId: ThreadId; readonly directive: string; readonly done: (outcome: ToolOutcome) => void };

function waitForChild({ thread, services }: InWorker, { threadId, directive, done }: Child): RunningTool {
  const question = {
    type: 'wait',
    thread: thread.lineage.thread,
    threadIds: [threadId],
    timeoutMs: undefined,
    failFast: false,
  } as const;
  return services.host.ask(question, (answer) => {
    if (!answer.ok) return done(answer);
    // The host answers a `wait` with one entry per id (protocol).
    const [child] = answer.value as readonly WaitedThread[];
    done({ ok: true, value: { ...syncReturn(child, threadId), directive } });
  });
}

/** S2 §6.8 `SYNC_RETURN`, without `directive`. */
export function syncReturn(waited: WaitedThread | undefined, threadId: string): Record<string, unknown> {
  const ending = waited?.ending;
  return {
    success: waited?.status === 'completed',
    thread_id: threadId,
    result: ending?.outputs ?? ending?.text ?? null,
    status: waited?.status ?? 'not_found',
    ...(ending && { outputs: ending.outputs ?? null, cost: costPayload(ending.cost) }),
    error: ending?.error?.message ?? null,
  };
}

import type { AsyncLocalStorage } from 'node:async_hooks';
import { type Failure, messageOf } from '../core/errors.ts';
import type { ToolCaller } from '../core/tool.ts';

/** A call of a tool that runs in this very thread of the process. */
export type TracedCall = Pick<ToolCaller, 'threadId' | 'callId'> & { readonly tool: string };

/** Of which call something is that runs now: its promises and timers take that along, however much later they run. */
export type CallContext = Pick<AsyncLocalStorage<TracedCall>, 'run' | 'getStore'>;

/** What is told of a promise that was rejected while nobody waited for it (ADR 28). */
export function strayRejection(reason: unknown, call: TracedCall | undefined): Failure {
  const message = messageOf(reason);
  const what = 'A promise nobody waits for was rejected';
  if (!call) return { code: 'tool_failed', message: `${what}, by no tool call that is known: ${message}` };
  const { tool, threadId, callId } = call;
  return {
    code: 'tool_failed',
    message: `${what}, which tool ${tool} has left in thread ${threadId}: ${message}`,
    detail: { tool, thread_id: threadId, call_id: callId },
  };
}

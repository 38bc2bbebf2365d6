import type { EventPayloads } from '../../core/events.ts';
import { hookedTool } from './before-tool.ts';
import type { InWorker } from '../conversation/conversation.ts';
import { obeyControl } from '../hooks/obey-control.ts';
import { runHooks } from '../hooks/run-hooks.ts';
import type { ToolRequest } from '../tools/tool-requests.ts';

/** A call that has its result: `output` or `error` as the model gets it. */
export type FinishedCall = { readonly request: ToolRequest; readonly given: EventPayloads['tool_call_result'] };

/** Runs the `after_tool` hooks of a call; `done` is not called if one takes the thread out of its turn. */
export function runAfterTool(worker: InWorker, { request, given }: FinishedCall, done: () => void): void {
  const { thread, services } = worker;
  const event = 'after_tool';
  const tool = thread.plan.hooks.has(event) ? hookedTool(request) : undefined;
  if (!tool) return done();
  const { threadId } = thread.lineage;
  const context = (): Readonly<Record<string, unknown>> => {
    const { call_id: _, ...result } = given;
    return { thread_id: threadId, tool: tool.id, input: request.input, ...result };
  };
  runHooks({ thread, services, event, context }, (control, by) => {
    if (!obeyControl({ thread, services, event, by }, control)) done();
  });
}

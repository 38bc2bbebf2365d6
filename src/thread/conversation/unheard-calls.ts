import { decodeEvents } from '../../core/events.ts';
import type { FinishedCall } from '../steps/after-tool.ts';
import { hookedTool } from '../steps/before-tool.ts';
import type { RunningCall } from './history.ts';
import type { InWorker } from './conversation.ts';

/** The log of a thread, and the calls whose `after_tool` hooks have not decided, by its checkpoint. */
type Unheard = { readonly lines: string; readonly ids: readonly string[] };

/** Those of them that are of the last answer, with their results: they may have been decided since the checkpoint was written. */
export function findUnheardCalls({ thread, services }: InWorker, { lines, ids }: Unheard): Map<string, FinishedCall> {
  const started = new Map<string, RunningCall>();
  const found = new Map<string, FinishedCall>();
  for (const { event_type: type, payload } of decodeEvents(lines)) {
    if (type === 'cognition_out') found.clear();
    if (type === 'tool_call_start') started.set(payload.call_id, { name: payload.tool, input: payload.input });
    if (type !== 'tool_call_result' || !ids.includes(payload.call_id)) continue;
    const run = started.get(payload.call_id);
    const tool = run && hookedTool(services.requests.read({ id: payload.call_id, ...run }, thread.plan));
    if (tool) found.set(payload.call_id, { tool: tool.id, input: run.input, given: payload });
  }
  return found;
}

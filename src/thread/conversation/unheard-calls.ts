import { decodeEvents } from '../../core/events.ts';
import type { FinishedCall } from '../steps/after-tool.ts';
import type { ThreadPlan } from '../plan/plan.ts';
import type { UnheardCall } from './checkpoint.ts';
import type { RunningCall } from './history.ts';

/** The log of a thread, and the calls whose `after_tool` hooks have not decided, by its checkpoint. */
type Unheard = { readonly lines: string; readonly calls: readonly UnheardCall[] };

/**
 * Those of them that are of the last answer, with their results: they may have been decided since the checkpoint was written. Their
 * hooks are asked though the tool be there no more: the result is.
 */
export function findUnheardCalls({ palette }: ThreadPlan, { lines, calls }: Unheard): Map<string, FinishedCall> {
  const tools = new Map(calls.map(({ id, tool }) => [id, tool]));
  const started = new Map<string, RunningCall>();
  const found = new Map<string, FinishedCall>();
  for (const { event_type: type, payload } of decodeEvents(lines)) {
    if (type === 'cognition_out') found.clear();
    if (type === 'tool_call_start') started.set(payload.call_id, { name: payload.tool, input: payload.input });
    if (type !== 'tool_call_result' || !tools.has(payload.call_id)) continue;
    const run = started.get(payload.call_id);
    if (!run) continue;
    const tool = tools.get(payload.call_id) ?? palette.idOf(run.name) ?? run.name;
    found.set(payload.call_id, { tool, input: run.input, given: payload });
  }
  return found;
}

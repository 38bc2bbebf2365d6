import type { ThreadEvent } from '../../core/events.ts';
import { beginCall, endCall, takeUsage } from './call-spans.ts';
import { messageJson } from './gen-ai.ts';
import { endTool, writeHook } from './step-spans.ts';
import type { Telling } from './telling.ts';
import type { ThreadTrace } from './thread-trace.ts';

/** When it happened, and whom it is told to. */
export type Told = { readonly at: number; readonly telling: Telling };

/** Tells what an event says of a thread that goes on. */
export function tellEvent(thread: ThreadTrace, event: ThreadEvent, { at, telling }: Told): void {
  if (event.event_type === 'hook_ran') return writeHook(thread, event.payload, { at, telling });
  thread.lastAt = Math.max(thread.lastAt, at);
  const { call } = thread;
  switch (event.event_type) {
    case 'model_call_started':
      return beginCall(thread, event.payload, telling);
    case 'cognition_out_delta':
      if (call && event.payload.text !== '') call.firstChunkAt ??= at;
      return;
    case 'cognition_in':
      if (telling.content && !event.payload.carried) {
        thread.said.push(messageJson(event.payload.role, event.payload.text));
      }
      return;
    case 'cognition_out':
      if (!call || event.payload.carried) return;
      if (event.payload.truncated) call.finish = 'length';
      else if (event.payload.tool_calls) call.finish = 'tool_call';
      if (telling.content) call.answer = event.payload.text;
      return;
    case 'usage':
      return takeUsage(thread, event.payload, telling);
    case 'error_classified': {
      const { error_code: type, message = '', category, delay_ms: delayMs } = event.payload;
      if (call?.usage?.interrupted) endCall(thread, telling, { type, message });
      if (delayMs !== undefined)
        telling.instruments.retries.add(1, { 'error.type': type, 'skein.error.category': category });
      return;
    }
    case 'tool_call_start': {
      const { call_id: id, tool, input } = event.payload;
      if (call?.finish === 'stop') call.finish = 'tool_call';
      endCall(thread, telling);
      const given = telling.content ? JSON.stringify(input) : undefined;
      thread.tools.set(id, { tool, startedAt: at, input: given });
      return;
    }
    case 'tool_call_result':
      endCall(thread, telling);
      return endTool(thread, event.payload, telling);
    default:
      return;
  }
}

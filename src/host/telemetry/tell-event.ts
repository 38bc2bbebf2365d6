import type { ToolCall } from '../../core/conversation.ts';
import type { ThreadEvent } from '../../core/events.ts';
import { beginCall, endCall, takeUsage } from './call-spans.ts';
import { messageJson } from './gen-ai.ts';
import { endTool, writeHook } from './step-spans.ts';
import type { Telling } from './telling.ts';
import type { Answer, ThreadTrace } from './thread-trace.ts';

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
    case 'system_prompt':
      if (telling.content) thread.system = event.payload.text;
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
      if (telling.content) call.answer = { text: event.payload.text, calls: [...(event.payload.tool_calls ?? [])] };
      return;
    case 'usage':
      return takeUsage(thread, event.payload, telling);
    case 'error_classified': {
      const { error_code: type, message = '', category } = event.payload;
      if (call?.usage?.interrupted) endCall(thread, telling, { type, message, category });
      return;
    }
    case 'tool_call_start': {
      const { call_id: id, tool, input, called_as: said = { tool, input } } = event.payload;
      if (call?.finish === 'stop') call.finish = 'tool_call';
      // What is told of its content has all its calls in it: it waits for the others.
      if (call?.answer) addCall(call.answer, { id, name: said.tool, input: said.input });
      else endCall(thread, telling);
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

/** A call that starts; the answer itself says which it makes if hooks look at them first. */
function addCall({ calls }: Answer, call: ToolCall): void {
  if (!calls.some(({ id }) => id === call.id)) calls.push(call);
}

import type { Message, ToolCall } from '../core/conversation.ts';
import { decodeEvents, type EventPayloads, type StoredEvent } from '../core/events.ts';

/** A conversation as the log tells it. */
export type History = {
  readonly system: string;
  readonly messages: Message[];
  /** Calls that were started and have no result: the thread was interrupted while they ran. */
  readonly openCalls: readonly ToolCall[];
};

/**
 * Folds a thread's events into its conversation: the log is the message history, so a checkpoint need not hold it.
 * `cognition_in` (user), `cognition_out`, `tool_call_start` and `tool_call_result` carry exactly what was said.
 */
export function rebuildHistory(lines: string): History {
  let system = '';
  const messages: Message[] = [];
  let calls: ToolCall[] = [];
  const results = new Map<string, Message>();
  const fold = (): void => {
    const answer = messages.findLastIndex((message) => message.role === 'assistant');
    const said = messages[answer];
    if (calls.length > 0 && said?.role === 'assistant') {
      messages[answer] = { ...said, toolCalls: calls };
      const after = messages.splice(answer + 1);
      messages.push(...calls.flatMap(({ id }) => results.get(id) ?? []), ...after);
    }
    calls = calls.filter(({ id }) => !results.has(id));
    results.clear();
  };
  for (const event of decodeEvents(lines)) {
    switch (event.event_type) {
      case 'system_prompt':
        system = payloadOf(event, 'system_prompt').text;
        break;
      case 'cognition_in':
        if (payloadOf(event, 'cognition_in').role === 'user') {
          fold();
          messages.push({ role: 'user', text: payloadOf(event, 'cognition_in').text });
        }
        break;
      case 'cognition_out': {
        const said = payloadOf(event, 'cognition_out');
        if (said.is_partial) break;
        fold();
        calls = [];
        messages.push({ role: 'assistant', text: said.text, toolCalls: [] });
        break;
      }
      case 'tool_call_start': {
        const { call_id, tool, input } = payloadOf(event, 'tool_call_start');
        calls.push({ id: call_id, name: tool, input });
        break;
      }
      case 'tool_call_result': {
        const { call_id, output, error } = payloadOf(event, 'tool_call_result');
        const text = error ?? output ?? '';
        results.set(call_id, { role: 'tool', callId: call_id, text, isError: error !== undefined });
        break;
      }
      default:
        break;
    }
  }
  fold();
  return { system, messages, openCalls: calls };
}

/** The payload of an event whose type was just looked at; the log is written by `encodeEvent` alone. */
function payloadOf<Type extends keyof EventPayloads>(event: StoredEvent, _type: Type): EventPayloads[Type] {
  return event.payload as EventPayloads[Type];
}

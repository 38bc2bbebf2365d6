import type { Message, ToolCall } from '../core/conversation.ts';
import { decodeEvents, type StoredEvent } from '../core/events.ts';

/** A conversation as the log tells it. */
export type History = {
  /** It says that the thread has started. */
  readonly started: boolean;
  readonly system: string;
  readonly messages: readonly Message[];
  /** Calls that were started and have no result: the thread was interrupted while they ran. */
  readonly openCalls: readonly ToolCall[];
};

/**
 * Folds a thread's events into its conversation: the log is the message history, so a checkpoint need not hold it.
 * `cognition_in` (user), `cognition_out`, `tool_call_start` and `tool_call_result` carry exactly what was said.
 */
export function rebuildHistory(lines: string): History {
  const fold: Fold = { started: false, system: '', messages: [], answer: undefined, results: new Map() };
  for (const event of decodeEvents(lines)) take(fold, event);
  const openCalls = (fold.answer?.toolCalls ?? []).filter(({ id }) => !fold.results.has(id));
  closeAnswer(fold);
  return { started: fold.started, system: fold.system, messages: fold.messages, openCalls };
}

type Fold = {
  started: boolean;
  system: string;
  readonly messages: Message[];
  /** The last answer, as long as results of its calls may come. */
  answer: { readonly toolCalls: ToolCall[] } | undefined;
  readonly results: Map<string, Message>;
};

function take(fold: Fold, event: StoredEvent): void {
  switch (event.event_type) {
    case 'thread_started':
      fold.started = true;
      return;
    case 'system_prompt':
      fold.system = event.payload.text;
      return;
    case 'cognition_in':
      if (event.payload.role !== 'user') return;
      closeAnswer(fold);
      fold.messages.push({ role: 'user', text: event.payload.text });
      return;
    case 'cognition_out':
      if (event.payload.is_partial) return;
      closeAnswer(fold);
      fold.answer = { toolCalls: [] };
      fold.messages.push({ role: 'assistant', text: event.payload.text, toolCalls: fold.answer.toolCalls });
      return;
    case 'tool_call_start': {
      const { call_id, tool, input, called_as: said = { tool, input } } = event.payload;
      fold.answer?.toolCalls.push({ id: call_id, name: said.tool, input: said.input });
      return;
    }
    case 'tool_call_result': {
      const { call_id, output, error } = event.payload;
      const text = error ?? output ?? '';
      fold.results.set(call_id, { role: 'tool', callId: call_id, text, isError: error !== undefined });
      return;
    }
    default:
  }
}

/** Puts the results of an answer's calls behind it, in call order; they may have come in another. */
function closeAnswer(fold: Fold): void {
  for (const { id } of fold.answer?.toolCalls ?? []) {
    const result = fold.results.get(id);
    if (result) fold.messages.push(result);
  }
  fold.answer = undefined;
  fold.results.clear();
}

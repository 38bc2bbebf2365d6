import type { Message, ToolCall } from '../core/conversation.ts';
import { decodeEvents, type StoredEvent } from '../core/events.ts';
import type { LimitOverrides } from '../core/limits.ts';
import { replaceMiddle } from './replace-middle.ts';

/** A conversation as the log tells it. */
export type History = {
  /** It says that the thread has started. */
  readonly started: boolean;
  readonly system: string;
  readonly messages: readonly Message[];
  /** Calls without a result: the thread was interrupted before they were done. */
  readonly openCalls: readonly OpenCall[];
  /** Limits that people have granted, oldest first; undefined = none. */
  readonly raises: readonly Raise[] | undefined;
  /** The decision of a hook that was granted since the last answer. */
  readonly granted: string | undefined;
  /** How long the conversation was when that was last said for certain; undefined = never. */
  readonly counted: Counted | undefined;
};

/** A count of tokens: the number of the event that says it, and how many messages are in it. */
export type Counted = { readonly sequence: number; readonly tokens: number; readonly messages: number };

/** New limits, and the number of the event that they are in. */
export type Raise = { readonly sequence: number; readonly limits: LimitOverrides };

/** A call without a result; not started if its `before_tool` hooks had not let it pass. */
export type OpenCall = ToolCall & { readonly isStarted: boolean };

/**
 * Folds a thread's events into its conversation: the log is the message history, so a checkpoint need not hold it.
 * `cognition_in` (user), `cognition_out`, `tool_call_start` and `tool_call_result` carry exactly what was said, and
 * `context_compacted` what stands in the place of what from there on.
 */
export function rebuildHistory(lines: string): History {
  const fold: Fold = {
    started: false,
    system: '',
    messages: [],
    answer: undefined,
    results: new Map(),
    points: new Map(),
    raises: undefined,
    granted: undefined,
    counted: undefined,
  };
  for (const event of decodeEvents(lines)) take(fold, event);
  const { toolCalls = [], started: begun = new Set() } = fold.answer ?? {};
  const openCalls = toolCalls
    .filter(({ id }) => !fold.results.has(id))
    .map((call) => ({ ...call, isStarted: begun.has(call.id) }));
  closeAnswer(fold);
  const { started, system, messages, raises, granted, counted } = fold;
  return { started, system, messages, openCalls, raises, granted, counted };
}

type Fold = {
  started: boolean;
  system: string;
  readonly messages: Message[];
  /** The last answer, as long as results of its calls may come. */
  answer: { readonly toolCalls: ToolCall[]; readonly started: Set<string> } | undefined;
  readonly results: Map<string, Message>;
  /** Points by the request that is about them. */
  readonly points: Map<string, string>;
  raises: Raise[] | undefined;
  granted: string | undefined;
  counted: Counted | undefined;
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
      fold.granted = undefined;
      closeAnswer(fold);
      fold.answer = { toolCalls: [...(event.payload.tool_calls ?? [])], started: new Set() };
      fold.messages.push({ role: 'assistant', text: event.payload.text, toolCalls: fold.answer.toolCalls });
      return;
    case 'tool_call_start': {
      const { call_id, tool, input, called_as: said = { tool, input } } = event.payload;
      const known = fold.answer?.toolCalls.some(({ id }) => id === call_id);
      if (!known) fold.answer?.toolCalls.push({ id: call_id, name: said.tool, input: said.input });
      fold.answer?.started.add(call_id);
      return;
    }
    case 'context_compacted':
      closeAnswer(fold);
      replaceMiddle(fold.messages, event.payload);
      count(fold, event.sequence, event.payload.tokens_after);
      return;
    case 'usage':
      if (!event.payload.interrupted) {
        count(fold, event.sequence, event.payload.input_tokens + event.payload.output_tokens);
      }
      return;
    case 'tool_call_result': {
      const { call_id, output, error } = event.payload;
      const text = error ?? output ?? '';
      fold.results.set(call_id, { role: 'tool', callId: call_id, text, isError: error !== undefined });
      return;
    }
    case 'approval_requested': {
      const { approval_id, point } = event.payload;
      if (point !== undefined) fold.points.set(approval_id, point);
      return;
    }
    case 'approval_resolved': {
      const { approval_id, granted, limits } = event.payload;
      if (!granted) return;
      fold.granted = fold.points.get(approval_id);
      if (limits) (fold.raises ??= []).push({ sequence: event.sequence, limits });
      return;
    }
    default:
  }
}

function count(fold: Fold, sequence: number, tokens: number): void {
  fold.counted = { sequence, tokens, messages: fold.messages.length };
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

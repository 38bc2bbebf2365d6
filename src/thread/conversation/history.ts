import type { Message, ProviderCarry, ToolCall } from '../../core/conversation.ts';
import { decodeEvents, type EventPayloads, type StoredEvent } from '../../core/events.ts';
import type { LimitOverrides } from '../../core/limits.ts';
import { INTERRUPTED } from '../../core/interruption.ts';
import { REDACTED } from '../../core/redactor.ts';
import { replaceMiddle } from './replace-middle.ts';

/** A conversation as the log tells it. */
export type History = {
  /** It says that the thread has started. */
  readonly started: boolean;
  readonly system: string;
  readonly messages: readonly Message[];
  /** What its model has said last; '' = nothing. */
  readonly text: string;
  /** Calls without a result: the thread was interrupted before they were done. */
  readonly openCalls: readonly OpenCall[];
  /** Number of the event that says that its runtime ended, since the last answer; undefined = it did not. */
  readonly interruptedAt: number | undefined;
  /** How often a runtime has ended without it since the last answer. */
  readonly cutOffs: number;
  /** Its last event says that it goes on. */
  readonly isResumed: boolean;
  /** Messages of resumptions that no conversation has yet, oldest first; undefined = none. */
  readonly unheard: readonly Unheard[] | undefined;
  /** Limits that people have granted or resumed it with, oldest first; undefined = none. */
  readonly raises: readonly Raise[] | undefined;
  /** What people have said to decisions of hooks since the last answer, by the point of these; undefined = nothing. */
  readonly answers: ReadonlyMap<string, Answer> | undefined;
  /** How long the conversation was when that was last said for certain; undefined = never. */
  readonly counted: Counted | undefined;
  /** Cache tokens of the calls that had any, oldest first; undefined = none had. */
  readonly cached: readonly Cached[] | undefined;
  /** More was spent than there was, and no person has been asked; undefined = neither. */
  readonly overspent: EventPayloads['budget_overspend'] | undefined;
};

/** A person's answer to what a hook has asked. */
export type Answer = Pick<EventPayloads['approval_resolved'], 'granted' | 'by' | 'message'>;

/** A count of tokens: the number of the event that says it, and how many messages are in it. */
export type Counted = { readonly sequence: number; readonly tokens: number; readonly messages: number };

/** Tokens that a call has read from a cache and written to one, and the number of the event that says so. */
export type Cached = { readonly sequence: number; readonly read: number; readonly write: number };

/** New limits, and the number of the event that they are in. */
export type Raise = { readonly sequence: number; readonly limits: LimitOverrides };

/** A message that was not delivered, and the number of the event that it is in. */
export type Unheard = { readonly sequence: number; readonly text: string };

/** A call without a result; not started if its `before_tool` hooks had not let it pass. */
export type OpenCall = ToolCall & { readonly isStarted: boolean; readonly runs: RunningCall | undefined };

/** What runs for a call that has started: another tool or input than the model's, if a hook or `rye/execute` says so. */
export type RunningCall = { readonly name: string; readonly input: ToolCall['input'] };

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
    text: '',
    answer: undefined,
    results: new Map(),
    points: new Map(),
    unheard: undefined,
    raises: undefined,
    answers: undefined,
    counted: undefined,
    cached: undefined,
    overspent: undefined,
    interruptedAt: undefined,
    cutOffs: 0,
    isResumed: false,
  };
  for (const event of decodeEvents(lines)) {
    fold.isResumed = event.event_type === 'thread_resumed';
    take(fold, event);
  }
  const { toolCalls = [], started: begun } = fold.answer ?? {};
  const openCalls = toolCalls
    .filter(({ id }) => !fold.results.has(id))
    .map((call) => ({ ...call, isStarted: begun?.has(call.id) ?? false, runs: begun?.get(call.id) }));
  closeAnswer(fold);
  const { answer: _answer, results: _results, points: _points, ...history } = fold;
  return { ...history, openCalls };
}

type Fold = {
  started: boolean;
  system: string;
  readonly messages: Message[];
  text: string;
  /** The last answer, as long as results of its calls may come. */
  answer: { readonly toolCalls: ToolCall[]; readonly started: Map<string, RunningCall> } | undefined;
  readonly results: Map<string, Message>;
  /** Points by the request that is about them. */
  readonly points: Map<string, string>;
  unheard: Unheard[] | undefined;
  raises: Raise[] | undefined;
  answers: Map<string, Answer> | undefined;
  counted: Counted | undefined;
  cached: Cached[] | undefined;
  overspent: EventPayloads['budget_overspend'] | undefined;
  interruptedAt: number | undefined;
  cutOffs: number;
  isResumed: boolean;
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
      fold.unheard = undefined;
      closeAnswer(fold);
      fold.messages.push(userMessage(event.payload));
      return;
    case 'cognition_out':
      return takeAnswer(fold, event.payload);
    case 'tool_call_start': {
      const { call_id, tool, input, called_as: said = { tool, input } } = event.payload;
      const known = fold.answer?.toolCalls.some(({ id }) => id === call_id);
      if (!known) fold.answer?.toolCalls.push({ id: call_id, name: said.tool, input: said.input });
      fold.answer?.started.set(call_id, { name: tool, input });
      return;
    }
    case 'context_compacted':
      closeAnswer(fold);
      replaceMiddle(fold.messages, event.payload);
      count(fold, event.sequence, event.payload.tokens_after);
      return;
    case 'usage':
      return takeUsage(fold, event.sequence, event.payload);
    case 'thread_suspended':
      if (event.payload.suspend_reason === 'shutdown') fold.interruptedAt = event.sequence;
      if (event.payload.suspend_reason === 'budget') fold.overspent = undefined;
      if (event.payload.message === INTERRUPTED.runtime) fold.cutOffs++;
      return;
    case 'budget_overspend':
      fold.overspent = event.payload;
      return;
    case 'tool_call_result': {
      const { call_id, output, error } = event.payload;
      const text = error ?? output ?? '';
      fold.results.set(call_id, { role: 'tool', callId: call_id, text, isError: error !== undefined });
      return;
    }
    default:
      takeDecision(fold, event);
  }
}

function userMessage({ text, parts }: EventPayloads['cognition_in']): Message {
  return { role: 'user', text, ...(parts && { parts }) };
}

/** What people have said to the thread. */
function takeDecision(fold: Fold, event: StoredEvent): void {
  switch (event.event_type) {
    case 'approval_requested': {
      const { approval_id, point } = event.payload;
      if (point !== undefined) fold.points.set(approval_id, point);
      return;
    }
    case 'approval_resolved': {
      const { approval_id, granted, by, message, limits } = event.payload;
      const point = fold.points.get(approval_id);
      if (point !== undefined) (fold.answers ??= new Map()).set(point, { granted, by, message });
      return keepRaise(fold, event.sequence, limits);
    }
    case 'thread_resumed': {
      const { message, limits } = event.payload;
      if (message !== undefined) (fold.unheard ??= []).push({ sequence: event.sequence, text: message });
      return keepRaise(fold, event.sequence, limits);
    }
    default:
  }
}

function takeAnswer(fold: Fold, payload: EventPayloads['cognition_out']): void {
  const { text, is_partial, tool_calls = [], carry, carried } = payload;
  if (is_partial) return;
  // What another thread has said is not its own.
  if (!carried) fold.text = text;
  fold.answers = undefined;
  fold.interruptedAt = undefined;
  fold.cutOffs = 0;
  closeAnswer(fold);
  fold.answer = { toolCalls: [...tool_calls], started: new Map() };
  const kept = carry && isWhole(carry) ? { carry } : {};
  fold.messages.push({ role: 'assistant', text, toolCalls: fold.answer.toolCalls, ...kept });
}

/** What a provider has signed is of no use to it once a secret was taken out: it would refuse the request. */
function isWhole(carry: ProviderCarry): boolean {
  return !JSON.stringify(carry.parts).includes(REDACTED);
}

function takeUsage(fold: Fold, sequence: number, usage: EventPayloads['usage']): void {
  const { cache_read_tokens: read, cache_write_tokens: write } = usage;
  if (!usage.interrupted) count(fold, sequence, usage.input_tokens + usage.output_tokens);
  if (read > 0 || write > 0) (fold.cached ??= []).push({ sequence, read, write });
}

function keepRaise(fold: Fold, sequence: number, limits: LimitOverrides | undefined): void {
  if (limits) (fold.raises ??= []).push({ sequence, limits });
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

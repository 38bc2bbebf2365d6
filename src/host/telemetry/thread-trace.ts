import type { Context, Span, SpanContext } from '@opentelemetry/api';
import type { ToolCall } from '../../core/conversation.ts';
import type { EventPayloads } from '../../core/events.ts';
import type { ThreadId } from '../../core/ids.ts';
import type { NanoUsd } from '../../core/money.ts';

/** A turn that is not over. */
export type TurnTrace = {
  readonly number: number;
  readonly span: Span;
  readonly context: Context;
  readonly startedAt: number;
  /** When the last of its calls, tools and hooks was over. */
  lastAt: number;
  /** It has an answer: without one it is no turn, only attempts. */
  isAnswered: boolean;
  /** What the last of its attempts that failed has failed with. */
  mistake: Mistake | undefined;
};

/** What went wrong: a code or a category, and words for people. `category`: of an error that was classified. */
export type Mistake = { readonly type: string; readonly message: string; readonly category?: string };

/** A call of a model that is not over, or whose last word is still awaited. Times are milliseconds since the epoch. */
export type CallTrace = {
  readonly model: string;
  readonly attempt: number;
  readonly startedAt: number;
  firstChunkAt: number | undefined;
  /** When its usage was booked: it is over then. */
  endedAt: number | undefined;
  finish: 'stop' | 'length' | 'tool_call';
  usage: UsagePayload | undefined;
  /** What it is told; nothing unless content is asked for. */
  readonly said: readonly object[];
  /** Kept only if content is asked for. */
  answer: Answer | undefined;
};

/** What a model says, and the calls of tools that it makes. */
export type Answer = { readonly text: string; readonly calls: ToolCall[] };

/** What a call used, as its event says. */
export type UsagePayload = EventPayloads['usage'];

/** A call of a tool that is not over. */
export type ToolTrace = { readonly tool: string; readonly startedAt: number; readonly input: string | undefined };

/** What calls of models have used. */
export type Used = { turns: number; inputTokens: number; outputTokens: number; spend: NanoUsd };

/** A thread between its start, or its resumption, and its rest. */
export type ThreadTrace = {
  readonly id: ThreadId;
  readonly directive: string;
  readonly span: Span;
  /** What its own spans are below. */
  readonly context: Context;
  /** What its own span is below: that of its continuation will be, too. */
  readonly parent: Context;
  readonly startedAt: number;
  /** When its last event happened. */
  lastAt: number;
  model: string;
  turn: TurnTrace | undefined;
  call: CallTrace | undefined;
  readonly tools: Map<string, ToolTrace>;
  /** Below this span alone: those before it, and those of threads before this one, have their own. */
  readonly used: Used;
  /** What the model is told next; kept only if content is asked for. */
  said: object[];
  /** Its instructions, until it has answered with them; kept only if content is asked for. */
  system: string | undefined;
};

/** What is kept of a thread that rests: what continues it is linked to it. */
export type RestingTrace = {
  readonly span: SpanContext;
  readonly parent: Context;
  readonly directive: string;
  readonly model: string;
  readonly tools: Map<string, ToolTrace>;
};

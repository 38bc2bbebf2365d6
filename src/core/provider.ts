import type { Message, ProviderCarry, ToolCall, ToolDefinition } from './conversation.ts';

/** What is sent to a model. Shared, never mutated by an adapter. */
export type ModelRequest = {
  /** The provider's own name of the model. */
  readonly model: string;
  readonly system: string;
  readonly messages: readonly Message[];
  readonly tools: readonly ToolDefinition[];
  readonly maxOutputTokens: number;
  /** How long it is, as its worst case was reserved: what the provider does not count is taken to be that. */
  readonly inputTokens: number;
  /** Where the stable part of the request ends, in order; at most as many as the provider takes. Absent: none. */
  readonly cacheMarks?: readonly CacheMark[] | undefined;
  /** Requests with the same one have a long prefix in common; at most 64 characters. For caches that are found by a name. */
  readonly cacheKey?: string | undefined;
  /** How much the model is to think; absent: as the provider sees fit. */
  readonly reasoning?: ReasoningSetting | undefined;
  /** Facts a scripted model may match on; real adapters ignore them. */
  readonly thread: { readonly directive: string; readonly turn: number };
};

/** The prefix up to and with this part may be served from the provider's cache; a number is the index of a message. */
export type CacheMark = 'tools' | 'system' | number;

/** How much a model thinks before it answers, as an effort or as a number of tokens. */
export type ReasoningSetting = { readonly effort: 'low' | 'medium' | 'high' } | { readonly budgetTokens: number };

/** Tokens of one call, as the provider counted them. */
export type TokenUsage = {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  /** How much of the input is to be paid as audio; absent: nothing. */
  readonly audioTokens?: number;
};

/** The final response (S2 §6.12); what the call costs is computed from `usage` by the price table. */
export type ModelResponse = {
  readonly text: string;
  readonly toolCalls: readonly ToolCall[];
  readonly usage: TokenUsage;
  readonly finishReason: 'stop' | 'tool_calls' | 'length';
  /** What the model thought aloud, if it did and the provider shows it. */
  readonly reasoning?: string | undefined;
  /** What the provider wants back with the assistant message of this answer, e.g. signed thoughts. */
  readonly carry?: ProviderCarry;
};

/** A piece of a response as it arrives. */
export type ModelChunk =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'reasoning'; readonly text: string }
  /** A part of a tool call's input: JSON text, not to be acted on. `index` counts the calls of the answer. */
  | { readonly type: 'tool_call'; readonly index: number; readonly name: string; readonly json: string }
  /** A tool call whose input is complete, to be shown. It runs when the answer is whole, if it ever is. */
  | { readonly type: 'tool_ready'; readonly call: ToolCall }
  /** What the call has used so far, as the provider counts it. */
  | { readonly type: 'usage'; readonly usage: TokenUsage };

/** Why a call failed, with everything error classification may match on (contracts, "Error context"). */
export type ModelFailure = {
  readonly type: string;
  readonly message: string;
  readonly code: string | undefined;
  readonly statusCode: number | undefined;
  readonly headers: Readonly<Record<string, string>>;
  /** Usage before the failure: an interrupted call is paid for too. Undefined: it was refused, or never arrived. */
  readonly usage: TokenUsage | undefined;
};

/** Receives one call's stream. After `done` or `failed`, and after `abort`, nothing more is delivered. */
export interface ModelSink {
  chunk(chunk: ModelChunk): void;
  done(response: ModelResponse): void;
  failed(failure: ModelFailure): void;
}

/** A call in flight. */
export interface ModelCall {
  /** Ends the request at once and silently; returns the usage so far, of an answer that has not begun what was sent. */
  abort(): TokenUsage | undefined;
}

/**
 * A model provider inside a worker (S2 §6.12). Callbacks rather than promises or iterators, so that thousands of calls
 * in flight cost no allocation per chunk. `call` never throws: what goes wrong reaches `sink.failed`, possibly in the
 * same tick.
 */
export interface Provider {
  readonly id: string;
  call(request: ModelRequest, sink: ModelSink): ModelCall;
}

/** What a call costs: nano-USD per token, and beside its tokens. They may be fractions: only what a call costs is rounded up. */
export type ModelRates = {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  /** Of models that hear, where audio costs something else than text. */
  readonly audio?: number;
  /** Of each call, where a seller asks for that. */
  readonly call?: number;
};

/** Price of a model. Long calls may have rates of their own, which hold for all of their tokens. */
export type ModelPrice = ModelRates & {
  /** Rates of calls with more than so many input tokens, shortest first. */
  readonly above?: readonly (ModelRates & { readonly tokens: number })[] | undefined;
};

/** No tokens used. */
export const NO_USAGE: TokenUsage = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };

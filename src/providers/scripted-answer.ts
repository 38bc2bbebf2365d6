import type { Message, ToolCall } from '../core/conversation.ts';
import type { ModelFailure, ModelRequest, ModelResponse, TokenUsage } from '../core/provider.ts';
import { madeUpCallId } from './made-up-call-id.ts';

/** What a scripted model answers, as a function gives it. Everything is optional: the default is an empty text. */
export type ScriptedAnswer = {
  readonly text?: string;
  /** What the model thinks aloud before it answers. */
  readonly reasoning?: string;
  /** An `id` left out is made up, unique within the conversation. */
  readonly toolCalls?: readonly {
    readonly name: string;
    readonly input?: ToolCall['input'];
    readonly id?: string | undefined;
  }[];
  /** Counts left out are estimated as characters divided by 4, cache counts as 0. */
  readonly usage?: Partial<TokenUsage>;
  /** Default: `tool_calls` if there are any, else `stop`. */
  readonly finishReason?: ModelResponse['finishReason'];
  /** Ends the call with a failure, after the text (if any) was streamed. */
  readonly error?: {
    readonly type?: string;
    readonly message?: string;
    readonly code?: string;
    readonly statusCode?: number;
    readonly headers?: Readonly<Record<string, string>>;
  };
  /** Milliseconds until the answer is complete; its chunks are spread evenly over them. Default 0. */
  readonly delayMs?: number;
  /** In how many pieces the text is streamed; 0 streams nothing. Default 1. */
  readonly chunks?: number;
  /** Breaks the answer off. */
  readonly broken?: ScriptedBreak;
};

/** How an answer breaks: after so many of its chunks, or by its limit within the input of its last tool call. */
export type ScriptedBreak =
  | { readonly how: 'end' | 'reset' | 'stall' | 'garbage'; readonly afterChunks: number }
  | { readonly how: 'cut_tool' };

/** An answer ready to be delivered. */
export type Outcome = {
  readonly text: string;
  readonly reasoning: string;
  readonly chunks: number;
  readonly delayMs: number;
  readonly usage: TokenUsage;
  readonly broken: ScriptedBreak | undefined;
  readonly end: { readonly response: ModelResponse } | { readonly failure: ModelFailure };
};

/** Completes an answer: ids, counts, finish reason. */
export function toOutcome(request: ModelRequest, answer: ScriptedAnswer): Outcome {
  const { text = '', reasoning = '' } = answer;
  const usage: TokenUsage = {
    inputTokens: answer.usage?.inputTokens ?? countInput(request),
    outputTokens: answer.usage?.outputTokens ?? countOutput(answer),
    cacheReadTokens: answer.usage?.cacheReadTokens ?? 0,
    cacheWriteTokens: answer.usage?.cacheWriteTokens ?? 0,
  };
  const { chunks = 1, delayMs = 0 } = answer;
  const broken = breakOf(answer);
  const delivery = { text, reasoning, usage, chunks, delayMs, broken };
  if (answer.error) return { ...delivery, end: { failure: toFailure(answer, usage) } };
  const toolCalls = toToolCalls(request, answer.toolCalls);
  const said = answer.finishReason ?? (toolCalls.length > 0 ? 'tool_calls' : 'stop');
  const finishReason = broken?.how === 'cut_tool' ? 'length' : said;
  const response = { text, toolCalls, usage, finishReason, reasoning: reasoning || undefined };
  return { ...delivery, end: { response } };
}

/** Without a call there is no input to be cut. */
function breakOf({ broken, toolCalls = [] }: ScriptedAnswer): ScriptedBreak | undefined {
  return broken?.how === 'cut_tool' && toolCalls.length === 0 ? undefined : broken;
}

/** What comes of the input of a call that is cut off. */
export function cutInput(json: string): string {
  return json.slice(0, Math.ceil(json.length / 2));
}

/** Tokens of an answer as an unscripted count gives them: characters divided by 4, at least 1. */
export function countOutput({ text = '', reasoning = '', toolCalls = [] }: ScriptedAnswer): number {
  let characters = text.length + reasoning.length;
  for (const { name, input } of toolCalls) characters += name.length + JSON.stringify(input ?? {}).length;
  return Math.max(1, Math.ceil(characters / 4));
}

const NO_CALLS: readonly ToolCall[] = [];

function toToolCalls(request: ModelRequest, calls: ScriptedAnswer['toolCalls']): readonly ToolCall[] {
  if (calls === undefined || calls.length === 0) return NO_CALLS;
  return calls.map(({ id, name, input }, at) => ({ id: id ?? madeUpCallId(request, at), name, input: input ?? {} }));
}

function toFailure({ error, text, usage: given }: ScriptedAnswer, usage: TokenUsage): ModelFailure {
  return {
    type: error?.type ?? 'ScriptedError',
    message: error?.message ?? 'scripted failure',
    code: error?.code,
    statusCode: error?.statusCode,
    headers: error?.headers ?? {},
    usage: given || text ? usage : undefined,
  };
}

/** Reads lengths only, so that a long history costs no scan of its text. */
function countInput({ system, messages }: ModelRequest): number {
  return Math.ceil(messages.reduce((sum: number, message: Message) => sum + message.text.length, system.length) / 4);
}

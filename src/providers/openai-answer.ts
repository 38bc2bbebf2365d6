import type { ToolCall } from '../core/conversation.ts';
import type { ModelResponse, TokenUsage } from '../core/provider.ts';
import { isRecord } from '../core/record.ts';
import type { AnswerOrder } from './answer-order.ts';
import { hasAudio, heardTokens } from './audio-tokens.ts';
import { cutFault, invalidFault, type CallFault } from './call-failure.ts';
import { madeUpCallId } from './made-up-call-id.ts';
import { carryReasoning } from './openai-carry.ts';
import { estimateTextTokens } from './pricing.ts';
import type { Assembler } from './streamed-call.ts';
import { StreamingToolParser } from './streaming-tool-parser.ts';
import { answerTokens, inputCount, knownCount, outputCount, tokenCount } from './token-count.ts';

/**
 * An event as the many servers of this protocol really send it: nothing is certain, and reasoning has two names that
 * the SDK does not know.
 */
export type OpenaiEvent = {
  readonly choices?: readonly OpenaiChoice[] | null;
  readonly usage?: OpenaiUsage | null;
};
type OpenaiChoice = {
  readonly index?: number;
  readonly delta?: OpenaiDelta | null;
  readonly finish_reason?: string | null;
};
type OpenaiDelta = {
  /** A text, or parts of one, as Mistral's models give it while they think. */
  readonly content?: unknown;
  readonly refusal?: string | null;
  readonly reasoning?: unknown;
  readonly reasoning_content?: unknown;
  readonly tool_calls?: readonly OpenaiToolDelta[] | null;
};
type OpenaiToolDelta = {
  readonly index?: number;
  readonly id?: string | null;
  readonly function?: { readonly name?: string | null; readonly arguments?: string | null } | null;
};
type OpenaiUsage = {
  readonly prompt_tokens?: number;
  readonly completion_tokens?: number;
  readonly total_tokens?: number;
  readonly prompt_tokens_details?: {
    readonly cached_tokens?: number;
    readonly cache_write_tokens?: number;
    readonly audio_tokens?: number;
  } | null;
};

/** Few servers want back what their models think: the others have no name for it. */
type OpenaiOrder = Omit<AnswerOrder, 'carryName'> & { readonly carryName?: string | undefined };

/**
 * Builds an answer from Chat Completions chunks. Whole means: a `finish_reason` was seen and every tool call has a
 * name and a complete JSON object as input. What the server does not count is estimated, never zero.
 */
export class OpenaiAnswer implements Assembler<OpenaiEvent> {
  readonly #order: OpenaiOrder;
  readonly #tools: StreamingToolParser;
  /** Index of the call that was streamed last. */
  #lastIndex = 0;
  #text = '';
  #reasoning = '';
  #refusal = '';
  readonly #hasAudio: boolean;
  /** The last count that has an input, if any has. */
  #reported: OpenaiUsage = {};
  /** Tokens of the answer when the server last counted. */
  #counted = 0;
  /** Tokens that arrived since then, estimated. */
  #uncounted = 0;
  #finishReason: string | undefined;

  constructor(order: OpenaiOrder) {
    const { request, chunk } = order;
    this.#order = order;
    this.#hasAudio = hasAudio(request);
    this.#tools = new StreamingToolParser({
      chunk,
      madeUpId: (position) => madeUpCallId(request, position),
      messages: request.messages,
    });
  }

  push(event: OpenaiEvent): CallFault | undefined {
    const choice = event.choices?.[0];
    if (choice?.finish_reason) this.#finishReason = choice.finish_reason;
    const fault = choice?.delta ? this.#append(choice.delta) : undefined;
    // What stands beside its count is in it. Also of an answer that is none: it is paid for.
    if (event.usage) this.#count(event.usage);
    return fault;
  }

  finish(): ModelResponse | CallFault {
    if (this.#finishReason === undefined) return cutFault('no finish_reason was received');
    if (BROKEN.has(this.#finishReason)) return cutFault(`it ends with finish_reason "${this.#finishReason}"`);
    if (this.#finishReason === 'content_filter') {
      return invalidFault('content_filter', "the provider's content filter withheld the answer");
    }
    if (this.#refusal !== '') return invalidFault('refusal', `the model refused to answer: ${this.#refusal}`);
    const toolCalls = this.#tools.finish(CUT.has(this.#finishReason));
    if ('message' in toolCalls) return toolCalls;
    if (this.#finishReason === 'tool_calls' && toolCalls.length === 0) {
      return invalidFault('tool_call_invalid', 'the answer announces tool calls and has none');
    }
    const carry = carryReasoning(this.#reasoning, this.#order.carryName);
    return {
      text: this.#text,
      toolCalls,
      usage: this.usage(),
      finishReason: this.#endedBy(toolCalls),
      ...(this.#reasoning !== '' && { reasoning: this.#reasoning }),
      ...(carry && { carry }),
    };
  }

  usage(): TokenUsage {
    const { prompt_tokens_details: details } = this.#reported;
    const { inputTokens: expected, maxOutputTokens } = this.#order.request;
    const cacheReadTokens = tokenCount(details?.cached_tokens);
    const cacheWriteTokens = tokenCount(details?.cache_write_tokens);
    const inputTokens = countInput(this.#reported) ?? expected;
    return {
      inputTokens,
      outputTokens: answerTokens(this.#counted, this.#uncounted, maxOutputTokens),
      cacheReadTokens,
      cacheWriteTokens,
      ...heardTokens(details?.audio_tokens, inputTokens, this.#hasAudio),
    };
  }

  /** Counts are of the whole answer so far; what is not in them stays as it was counted or estimated. */
  #count(usage: OpenaiUsage): void {
    this.#counted = countOutput(usage, this.usage().outputTokens);
    this.#uncounted = 0;
    const hasInput = inputCount(usage.prompt_tokens, 0) !== undefined;
    if (hasInput || countInput(this.#reported) === undefined) this.#reported = usage;
    this.#order.chunk({ type: 'usage', usage: this.usage() });
  }

  #append(delta: OpenaiDelta): CallFault | undefined {
    const { content, reasoning, reasoning_content } = delta;
    this.#addReasoning(textIn(reasoning_content) || textIn(reasoning) || thoughtIn(content));
    this.#addText(textIn(content));
    if (delta.refusal) this.#refusal += delta.refusal;
    for (const call of delta.tool_calls ?? []) {
      const fault = this.#appendCall(call);
      if (fault) return fault;
    }
    return undefined;
  }

  #addReasoning(text: string): void {
    if (text === '') return;
    this.#reasoning += text;
    this.#uncounted += estimateTextTokens(text);
    this.#order.chunk({ type: 'reasoning', text });
  }

  #addText(text: string): void {
    if (text === '') return;
    this.#text += text;
    this.#uncounted += estimateTextTokens(text);
    this.#order.chunk({ type: 'text', text });
  }

  #appendCall({ index, id, function: call }: OpenaiToolDelta): CallFault | undefined {
    this.#lastIndex = index ?? this.#lastIndex;
    const json = call?.arguments ?? '';
    this.#uncounted += estimateTextTokens(json);
    return this.#tools.push({ index: this.#lastIndex, id, name: call?.name, json });
  }

  #endedBy(toolCalls: readonly ToolCall[]): ModelResponse['finishReason'] {
    if (this.#finishReason !== undefined && CUT.has(this.#finishReason)) return 'length';
    return toolCalls.length > 0 ? 'tool_calls' : 'stop';
  }
}

/** The others than the first are words of compatible servers. Whatever else they say is taken for a whole answer. */
const CUT: ReadonlySet<string> = new Set(['length', 'model_length', 'max_tokens']);
/** The server gave up within its answer. */
const BROKEN: ReadonlySet<string> = new Set(['insufficient_system_resource', 'error', 'abort']);

/** What is said as a text: itself, or the texts among its parts. Whatever else there is is passed over. */
function textIn(said: unknown): string {
  if (typeof said === 'string') return said;
  const texts = partsOf(said).map(({ type, text }) => (type === 'text' && typeof text === 'string' ? text : ''));
  return texts.join('');
}

function thoughtIn(content: unknown): string {
  const thoughts = partsOf(content).map(({ thinking }) => textIn(thinking));
  return thoughts.join('');
}

function partsOf(said: unknown): readonly Readonly<Record<string, unknown>>[] {
  return [said].flat().filter(isRecord);
}

function countInput({ prompt_tokens, prompt_tokens_details: details }: OpenaiUsage): number | undefined {
  return inputCount(prompt_tokens, tokenCount(details?.cached_tokens) + tokenCount(details?.cache_write_tokens));
}

/** Some do not count thoughts as part of the answer: xAI tells them apart, and Google nowhere but in the total. */
function countOutput({ prompt_tokens, completion_tokens, total_tokens }: OpenaiUsage, estimate: number): number {
  const [input, total] = [inputCount(prompt_tokens, 0), knownCount(total_tokens)];
  const rest = input === undefined || total === undefined ? 0 : total - input;
  return Math.max(outputCount(completion_tokens) ?? estimate, rest);
}

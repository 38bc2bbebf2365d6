import type { Part } from '@google/genai/web';
import type { ModelChunk, ModelRequest, ModelResponse, TokenUsage } from '../core/provider.ts';
import type { AnswerOrder } from './answer-order.ts';
import { hasAudio, heardTokens } from './audio-tokens.ts';
import { cutFault, invalidFault, type CallFault } from './call-failure.ts';
import { madeUpCallId } from './made-up-call-id.ts';
import { estimateTextTokens } from './pricing.ts';
import type { Assembler } from './streamed-call.ts';
import { StreamingToolParser } from './streaming-tool-parser.ts';
import { answerTokens, inputCount, outputCount, tokenCount } from './token-count.ts';
import { toolInputText } from './tool-input.ts';

/** What of a streamed response is read. Reasons are texts: the SDK's enums are not the last word. */
export type GeminiEvent = {
  readonly candidates?: readonly GeminiCandidate[];
  readonly promptFeedback?: { readonly blockReason?: string };
  readonly usageMetadata?: GeminiUsage;
};
type GeminiCandidate = {
  readonly content?: { readonly parts?: readonly Part[] };
  readonly finishReason?: string;
};
type GeminiUsage = {
  readonly promptTokenCount?: number;
  readonly promptTokensDetails?: readonly { readonly modality?: string; readonly tokenCount?: number }[];
  readonly cachedContentTokenCount?: number;
  readonly toolUsePromptTokenCount?: number;
  readonly candidatesTokenCount?: number;
  readonly thoughtsTokenCount?: number;
};

type Counted = {
  readonly prompt: number | undefined;
  readonly audio: number;
  readonly toolUse: number;
  readonly cached: number;
  readonly answer: number;
  readonly thoughts: number;
};

/**
 * Builds an answer from streamGenerateContent's responses. Whole means: a `finishReason` was seen that ends an answer,
 * and every function call has a name and an object as input. Counts that never come are estimated, never zero.
 */
export class GeminiAnswer implements Assembler<GeminiEvent> {
  readonly #request: ModelRequest;
  readonly #chunk: (chunk: ModelChunk) => void;
  readonly #carryName: string;
  readonly #tools: StreamingToolParser;
  readonly #hasAudio: boolean;
  #calls = 0;
  /** What goes back with the assistant message, if anything of it can't be made anew. */
  readonly #parts: Part[] = [];
  #mustCarry = false;
  #text = '';
  #reasoning = '';
  #finishReason: string | undefined;
  #blockReason: string | undefined;
  #counted: Counted = { prompt: undefined, audio: 0, toolUse: 0, cached: 0, answer: 0, thoughts: 0 };
  /** Tokens that arrived since they were last counted, estimated. */
  readonly #uncounted = { answer: 0, thoughts: 0 };

  constructor({ request, chunk, carryName }: AnswerOrder) {
    this.#request = request;
    this.#chunk = chunk;
    this.#carryName = carryName;
    this.#hasAudio = hasAudio(request);
    this.#tools = new StreamingToolParser({
      chunk,
      madeUpId: (position) => madeUpCallId(request, position),
      messages: request.messages,
    });
  }

  push({ candidates, promptFeedback, usageMetadata }: GeminiEvent): CallFault | undefined {
    const candidate = candidates?.[0];
    this.#blockReason ??= promptFeedback?.blockReason;
    const fault = this.#takeAll(candidate?.content?.parts ?? []);
    this.#finishReason = candidate?.finishReason ?? this.#finishReason;
    // Also of an answer that is none: it is paid for.
    if (usageMetadata) this.#count(usageMetadata);
    return fault;
  }

  finish(): ModelResponse | CallFault {
    if (this.#blockReason !== undefined) {
      return invalidFault('content_filter', `the provider refused the prompt: ${this.#blockReason}`);
    }
    if (this.#finishReason === undefined) return cutFault('no finishReason was received');
    const finishReason = this.#endedBy(this.#finishReason);
    if (finishReason === undefined) return withheld(this.#finishReason);
    const toolCalls = this.#tools.finish();
    if ('message' in toolCalls) return toolCalls;
    return {
      text: this.#text,
      toolCalls,
      usage: this.usage(),
      finishReason,
      ...(this.#reasoning !== '' && { reasoning: this.#reasoning }),
      ...(this.#mustCarry && { carry: { provider: this.#carryName, parts: this.#parts } }),
    };
  }

  /** The prompt's count has the cached part in it; thoughts are paid for as output. */
  usage(): TokenUsage {
    const { prompt, audio, toolUse, cached, answer, thoughts } = this.#counted;
    const { inputTokens: expected, maxOutputTokens } = this.#request;
    const inputTokens = (prompt ?? expected) + toolUse;
    const uncounted = this.#uncounted.answer + this.#uncounted.thoughts;
    return {
      inputTokens,
      outputTokens: answerTokens(answer + thoughts, uncounted, maxOutputTokens),
      cacheReadTokens: cached,
      cacheWriteTokens: 0,
      ...heardTokens(audio, inputTokens, this.#hasAudio),
    };
  }

  #takeAll(parts: readonly Part[]): CallFault | undefined {
    for (const part of parts) {
      const fault = this.#take(part);
      if (fault) return fault;
    }
    return undefined;
  }

  #take(part: Part): CallFault | undefined {
    this.#keep(part);
    if (part.functionCall) return this.#addCall(part.functionCall);
    if (part.text && part.thought) this.#addThought(part.text);
    else if (part.text) this.#addText(part.text);
    return undefined;
  }

  /** Calls arrive whole; they are told apart by position, since ids may be missing. */
  #addCall({ id, name, args }: NonNullable<Part['functionCall']>): CallFault | undefined {
    const json = toolInputText(name ?? '', args ?? {});
    if (typeof json !== 'string') return json;
    this.#uncounted.answer += estimateTextTokens(json);
    return this.#tools.push({ index: this.#calls++, id, name, json });
  }

  #addThought(text: string): void {
    this.#reasoning += text;
    this.#uncounted.thoughts += estimateTextTokens(text);
    this.#chunk({ type: 'reasoning', text });
  }

  #addText(text: string): void {
    this.#text += text;
    this.#uncounted.answer += estimateTextTokens(text);
    this.#chunk({ type: 'text', text });
  }

  /** Pieces of plain text become one part; a signed part stays as it came, since its signature is for it alone. */
  #keep(part: Part): void {
    const isSigned = part.thoughtSignature !== undefined;
    // Summaries of thoughts are for people; the thoughts themselves are in the signatures.
    if (!isSigned && (part.thought || part.text === '')) return;
    if (isSigned || part.functionCall?.id) this.#mustCarry = true;
    const last = this.#parts.at(-1);
    if (isSigned || part.text === undefined) this.#parts.push(part);
    else if (last?.text !== undefined && last.thoughtSignature === undefined) last.text += part.text;
    else this.#parts.push({ text: part.text });
  }

  /** Counts are cumulative; a field that is missing, or 0 after a count, keeps its last value. */
  #count(usage: GeminiUsage): void {
    const before = this.#counted;
    const cached = Math.max(before.cached, tokenCount(usage.cachedContentTokenCount));
    const [answer, thoughts] = [outputCount(usage.candidatesTokenCount), outputCount(usage.thoughtsTokenCount)];
    this.#counted = {
      prompt: inputCount(usage.promptTokenCount, before.prompt ?? cached) ?? before.prompt,
      audio: Math.max(before.audio, tokenCount(audioIn(usage))),
      toolUse: Math.max(before.toolUse, tokenCount(usage.toolUsePromptTokenCount)),
      cached,
      answer: answer ?? before.answer,
      thoughts: thoughts ?? before.thoughts,
    };
    if (answer !== undefined) this.#uncounted.answer = 0;
    if (thoughts !== undefined) this.#uncounted.thoughts = 0;
    if (this.#counted.prompt !== undefined) this.#chunk({ type: 'usage', usage: this.usage() });
  }

  /** Undefined when the reason is none that ends an answer, or contradicts it. */
  #endedBy(reason: string): ModelResponse['finishReason'] | undefined {
    if (CUT.has(reason)) return 'length';
    if (!WHOLE.has(reason)) return undefined;
    if (this.#calls > 0) return 'tool_calls';
    return reason === 'STOP' ? 'stop' : undefined;
  }
}

function audioIn({ promptTokensDetails }: GeminiUsage): unknown {
  return promptTokensDetails?.find(({ modality }) => modality === 'AUDIO')?.tokenCount;
}

/** The last is not Google's own word, but that of servers which speak its format. */
const WHOLE: ReadonlySet<string> = new Set(['STOP', 'FUNCTION_CALL']);
/** The second: the provider's limit for one request, not ours, was reached. */
const CUT: ReadonlySet<string> = new Set(['MAX_TOKENS', 'CONTINUATION']);
const FILTERS = /SAFETY|RECITATION|BLOCKLIST|PROHIBITED_CONTENT|SPII|LANGUAGE/;
const BAD_CALLS = /TOOL_CALL|FUNCTION_CALL/;

/** Whatever else ended the answer, also a reason newer than this adapter, it is not what the model meant to say. */
function withheld(reason: string): CallFault {
  if (FILTERS.test(reason)) return invalidFault('content_filter', `the provider withheld the answer: ${reason}`);
  if (BAD_CALLS.test(reason)) return invalidFault('tool_call_invalid', `the model made an invalid call: ${reason}`);
  return invalidFault('stop_reason', `the answer ends with finishReason "${reason}"`);
}

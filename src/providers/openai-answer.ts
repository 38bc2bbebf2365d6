import type { ToolCall } from '../core/conversation.ts';
import type { ModelChunk, ModelRequest, ModelResponse, TokenUsage } from '../core/provider.ts';
import { hasAudio, heardTokens } from './audio-tokens.ts';
import type { CallFault } from './call-failure.ts';
import { cutFault, invalidFault } from './call-failure.ts';
import { madeUpCallId } from './made-up-call-id.ts';
import { estimateInputTokens, estimateTextTokens } from './pricing.ts';
import type { Assembler } from './streamed-call.ts';
import { StreamingToolParser } from './streaming-tool-parser.ts';
import { tokenCount } from './token-count.ts';

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
  readonly content?: string | null;
  readonly refusal?: string | null;
  readonly reasoning?: string | null;
  readonly reasoning_content?: string | null;
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
  readonly prompt_tokens_details?: {
    readonly cached_tokens?: number;
    readonly cache_write_tokens?: number;
    readonly audio_tokens?: number;
  } | null;
};

/**
 * Builds an answer from Chat Completions chunks. Whole means: a `finish_reason` was seen and every tool call has a
 * name and a complete JSON object as input. Counts that the server never sends are estimated, never zero.
 */
export class OpenaiAnswer implements Assembler<OpenaiEvent> {
  readonly #request: ModelRequest;
  readonly #chunk: (chunk: ModelChunk) => void;
  readonly #tools: StreamingToolParser;
  /** Index of the call that was streamed last. */
  #lastIndex = 0;
  #text = '';
  #reasoning = '';
  #refusal = '';
  readonly #hasAudio: boolean;
  #begun = false;
  #reported: TokenUsage | undefined;
  #outputEstimate = 0;
  #finishReason: string | undefined;

  constructor(request: ModelRequest, chunk: (chunk: ModelChunk) => void) {
    this.#request = request;
    this.#chunk = chunk;
    this.#hasAudio = hasAudio(request);
    this.#tools = new StreamingToolParser({
      chunk,
      madeUpId: (position) => madeUpCallId(request, position),
      messages: request.messages,
    });
  }

  push(event: OpenaiEvent): CallFault | undefined {
    this.#begun = true;
    if (event.usage) {
      this.#reported = readUsage(event.usage, this.#hasAudio);
      this.#chunk({ type: 'usage', usage: this.#reported });
    }
    const choice = event.choices?.[0];
    if (choice === undefined) return undefined;
    if (choice.finish_reason) this.#finishReason = choice.finish_reason;
    return choice.delta ? this.#append(choice.delta) : undefined;
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
    const usage = this.#reported ?? this.#estimate();
    return {
      text: this.#text,
      toolCalls,
      usage,
      finishReason: this.#endedBy(toolCalls),
      ...(this.#reasoning !== '' && { reasoning: this.#reasoning }),
    };
  }

  usage(): TokenUsage | undefined {
    return this.#reported ?? (this.#begun ? this.#estimate() : undefined);
  }

  #append(delta: OpenaiDelta): CallFault | undefined {
    const reasoning = delta.reasoning_content || delta.reasoning;
    if (reasoning) {
      this.#reasoning += reasoning;
      this.#outputEstimate += estimateTextTokens(reasoning);
      this.#chunk({ type: 'reasoning', text: reasoning });
    }
    if (delta.content) {
      this.#text += delta.content;
      this.#outputEstimate += estimateTextTokens(delta.content);
      this.#chunk({ type: 'text', text: delta.content });
    }
    if (delta.refusal) this.#refusal += delta.refusal;
    for (const call of delta.tool_calls ?? []) {
      const fault = this.#appendCall(call);
      if (fault) return fault;
    }
    return undefined;
  }

  #appendCall({ index, id, function: call }: OpenaiToolDelta): CallFault | undefined {
    this.#lastIndex = index ?? this.#lastIndex;
    const json = call?.arguments ?? '';
    this.#outputEstimate += estimateTextTokens(json);
    return this.#tools.push({ index: this.#lastIndex, id, name: call?.name, json });
  }

  #endedBy(toolCalls: readonly ToolCall[]): ModelResponse['finishReason'] {
    if (this.#finishReason !== undefined && CUT.has(this.#finishReason)) return 'length';
    return toolCalls.length > 0 ? 'tool_calls' : 'stop';
  }

  #estimate(): TokenUsage {
    const inputTokens = estimateInputTokens(this.#request);
    return {
      inputTokens,
      outputTokens: this.#outputEstimate,
      cacheReadTokens: 0,
      cacheWriteTokens: 0,
      ...heardTokens(undefined, inputTokens, this.#hasAudio),
    };
  }
}

/** The others than the first are words of compatible servers. Whatever else they say is taken for a whole answer. */
const CUT: ReadonlySet<string> = new Set(['length', 'model_length', 'max_tokens']);
/** The server gave up within its answer. */
const BROKEN: ReadonlySet<string> = new Set(['insufficient_system_resource', 'error', 'abort']);

function readUsage(usage: OpenaiUsage, heard: boolean): TokenUsage {
  const inputTokens = tokenCount(usage.prompt_tokens);
  return {
    inputTokens,
    outputTokens: tokenCount(usage.completion_tokens),
    cacheReadTokens: tokenCount(usage.prompt_tokens_details?.cached_tokens),
    cacheWriteTokens: tokenCount(usage.prompt_tokens_details?.cache_write_tokens),
    ...heardTokens(usage.prompt_tokens_details?.audio_tokens, inputTokens, heard),
  };
}

import type { RawMessageStreamEvent, StopReason, ToolUseBlock } from '@anthropic-ai/sdk/resources/messages';
import type { ProviderCarry, ToolCall } from '../core/conversation.ts';
import type { ModelChunk, ModelRequest, ModelResponse, TokenUsage } from '../core/provider.ts';
import type { AnswerOrder } from './answer-order.ts';
import { isThinking, type CarriedBlock } from './anthropic-carry.ts';
import { cutFault, invalidFault, type CallFault } from './call-failure.ts';
import { estimateTextTokens } from './pricing.ts';
import type { Assembler } from './streamed-call.ts';
import { StreamingToolParser } from './streaming-tool-parser.ts';
import { answerTokens, outputCount, tokenCount } from './token-count.ts';
import { toolInputText } from './tool-input.ts';

type EventOf<Type extends RawMessageStreamEvent['type']> = Extract<RawMessageStreamEvent, { type: Type }>;
/** A block as it grows. */
type OpenBlock =
  | { readonly type: 'thinking'; thinking: string; signature: string }
  | { readonly type: 'text'; length: number }
  | Extract<CarriedBlock, { type: 'redacted_thinking' | 'tool_use' }>;
/** As this provider counts: its input tokens leave out what the cache read or wrote. */
type Counted = {
  readonly newInput: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
};

/**
 * Builds an answer from Messages API events. Whole means: `message_stop` was seen with a stop reason, every block that
 * was opened was closed, every tool input is a complete JSON object. The SDK checks none of these.
 */
export class AnthropicAnswer implements Assembler<RawMessageStreamEvent> {
  readonly #request: ModelRequest;
  readonly #chunk: (chunk: ModelChunk) => void;
  readonly #carryName: string;
  /** In the order they came. */
  readonly #blocks = new Map<number, OpenBlock>();
  readonly #tools: StreamingToolParser;
  readonly #openBlocks = new Set<number>();
  /** Inputs that came with the beginning of their calls, for as long as nothing else came of them. */
  readonly #startInputs = new Map<number, string>();
  #text = '';
  #reasoning = '';
  #counted: Counted = { newInput: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
  /** Tokens that arrived since the provider last counted, estimated. */
  #uncounted = 0;
  #stopReason: StopReason | undefined;
  #stopped = false;

  constructor({ request, chunk, carryName }: AnswerOrder) {
    this.#request = request;
    this.#chunk = chunk;
    this.#carryName = carryName;
    this.#tools = new StreamingToolParser({ chunk, messages: request.messages });
  }

  push(event: RawMessageStreamEvent): CallFault | undefined {
    switch (event.type) {
      case 'message_start':
        this.#count(event.message.usage);
        return undefined;
      case 'content_block_start':
        return this.#start(event);
      case 'content_block_delta':
        return this.#append(event);
      case 'content_block_stop':
        return this.#stop(event);
      case 'message_delta':
        this.#stopReason = event.delta.stop_reason ?? this.#stopReason;
        this.#count(event.usage);
        return undefined;
      case 'message_stop':
        this.#stopped = true;
        return undefined;
      default:
        // An event type newer than this adapter: nothing of the answer is in it.
        return undefined;
    }
  }

  finish(): ModelResponse | CallFault {
    if (!this.#stopped) return cutFault('no message_stop was received');
    if (this.#openBlocks.size > 0) return cutFault('a content block was not closed');
    if (this.#stopReason === 'refusal') return invalidFault('refusal', 'the model refused to answer');
    const isCut = finishReasonOf(this.#stopReason, []) === 'length';
    const toolCalls = this.#tools.finish(isCut);
    if ('message' in toolCalls) return toolCalls;
    const finishReason = finishReasonOf(this.#stopReason, toolCalls);
    if (finishReason === undefined) {
      return invalidFault(
        'stop_reason',
        `the answer ends with stop_reason "${this.#stopReason}", which it does not fit`,
      );
    }
    const carry = this.#carry();
    return {
      text: this.#text,
      toolCalls,
      usage: this.usage(),
      finishReason,
      ...(this.#reasoning !== '' && { reasoning: this.#reasoning }),
      ...(carry && { carry }),
    };
  }

  isOver(): boolean {
    return this.#stopped;
  }

  usage(): TokenUsage {
    const { newInput, output, cacheRead, cacheWrite } = this.#counted;
    const { inputTokens, maxOutputTokens } = this.#request;
    return {
      // Until it is counted, and for servers that never do.
      inputTokens: newInput + cacheRead + cacheWrite || inputTokens,
      outputTokens: answerTokens(output, this.#uncounted, maxOutputTokens),
      cacheReadTokens: cacheRead,
      cacheWriteTokens: cacheWrite,
    };
  }

  #start({ index, content_block: block }: EventOf<'content_block_start'>): CallFault | undefined {
    this.#openBlocks.add(index);
    switch (block.type) {
      case 'tool_use':
        return this.#startCall(block, index);
      case 'text':
        this.#blocks.set(index, { type: 'text', length: 0 });
        this.#addText(index, block.text);
        return undefined;
      case 'thinking':
        this.#blocks.set(index, { type: 'thinking', thinking: '', signature: block.signature ?? '' });
        this.#addThought(index, block.thinking ?? '');
        return undefined;
      case 'redacted_thinking':
        this.#blocks.set(index, { type: 'redacted_thinking', data: block.data });
        return undefined;
      default:
        // A kind of block it does not ask for.
        return undefined;
    }
  }

  #startCall({ id, name, input }: ToolUseBlock, index: number): CallFault | undefined {
    this.#blocks.set(index, { type: 'tool_use', id });
    // The API begins with an empty one; some servers have all of it here, and no deltas.
    if (Object.keys(Object(input)).length > 0) {
      const json = toolInputText(name, input);
      if (typeof json !== 'string') return json;
      this.#startInputs.set(index, json);
    }
    return this.#tools.push({ index, id, name });
  }

  #stop({ index }: EventOf<'content_block_stop'>): CallFault | undefined {
    this.#openBlocks.delete(index);
    const json = this.#startInputs.get(index);
    return json === undefined ? undefined : this.#addInput(index, json);
  }

  #append({ index, delta }: EventOf<'content_block_delta'>): CallFault | undefined {
    switch (delta.type) {
      case 'text_delta':
        this.#addText(index, delta.text);
        return undefined;
      case 'thinking_delta':
        this.#addThought(index, delta.thinking);
        return undefined;
      case 'signature_delta': {
        const block = this.#blocks.get(index);
        if (block?.type === 'thinking') block.signature += delta.signature;
        return undefined;
      }
      case 'input_json_delta':
        return this.#addInput(index, delta.partial_json);
      case 'citations_delta':
        return undefined;
      default:
        // A kind of delta newer than this adapter, e.g. for blocks it does not ask for.
        return undefined;
    }
  }

  #addText(index: number, text: string): void {
    if (text === '') return;
    const block = this.#blocks.get(index);
    if (block?.type === 'text') block.length += text.length;
    this.#text += text;
    this.#uncounted += estimateTextTokens(text);
    this.#chunk({ type: 'text', text });
  }

  #addThought(index: number, text: string): void {
    if (text === '') return;
    const block = this.#blocks.get(index);
    if (block?.type === 'thinking') block.thinking += text;
    this.#reasoning += text;
    this.#uncounted += estimateTextTokens(text);
    this.#chunk({ type: 'reasoning', text });
  }

  #addInput(index: number, json: string): CallFault | undefined {
    if (this.#blocks.get(index)?.type !== 'tool_use') {
      return invalidFault('stream_order', 'tool input arrived before its tool call began');
    }
    if (json !== '') this.#startInputs.delete(index);
    this.#uncounted += estimateTextTokens(json);
    return this.#tools.push({ index, json });
  }

  /** Only an answer with thoughts in it has to be put together again as it was. */
  #carry(): ProviderCarry | undefined {
    const parts = [...this.#blocks].map(([index, block]) => this.#named(block, index));
    const isWorthIt = parts.some((block) => isThinking(block)) && !parts.every((block) => isThinking(block));
    return isWorthIt ? { provider: this.#carryName, parts } : undefined;
  }

  /** A call is found again by the id with which it was given. */
  #named(block: OpenBlock, index: number): OpenBlock {
    return block.type === 'tool_use' ? { ...block, id: this.#tools.idAt(index) ?? block.id } : block;
  }

  /** Counts are cumulative; a field that is missing keeps its last value. Some servers end with 0 for an input they have counted. */
  #count(reported: Partial<EventOf<'message_delta'>['usage']> | undefined): void {
    const before = this.#counted;
    const output = outputCount(reported?.output_tokens);
    if (output !== undefined) this.#uncounted = 0;
    this.#counted = {
      newInput: Math.max(before.newInput, tokenCount(reported?.input_tokens)),
      output: output ?? before.output,
      cacheRead: Math.max(before.cacheRead, tokenCount(reported?.cache_read_input_tokens)),
      cacheWrite: Math.max(before.cacheWrite, tokenCount(reported?.cache_creation_input_tokens)),
    };
    this.#chunk({ type: 'usage', usage: this.usage() });
  }
}

/** Undefined when the reason contradicts the answer: a `tool_use` without a tool call, or no reason at all. */
function finishReasonOf(
  reason: StopReason | undefined,
  toolCalls: readonly ToolCall[],
): ModelResponse['finishReason'] | undefined {
  switch (reason) {
    case 'end_turn':
    case 'stop_sequence':
      return toolCalls.length > 0 ? 'tool_calls' : 'stop';
    case 'tool_use':
      return toolCalls.length > 0 ? 'tool_calls' : undefined;
    case 'max_tokens':
    case 'model_context_window_exceeded':
      return 'length';
    case 'pause_turn':
    case 'refusal':
    case undefined:
      return undefined;
    default:
      // A reason newer than this adapter.
      return toolCalls.length > 0 ? 'tool_calls' : 'stop';
  }
}

import type {
  Response,
  ResponseFunctionToolCall,
  ResponseOutputItem,
  ResponseStreamEvent,
  ResponseUsage,
} from 'openai/resources/responses/responses';
import type { ProviderCarry } from '../core/conversation.ts';
import type { ModelResponse, TokenUsage } from '../core/provider.ts';
import { isRecord } from '../core/record.ts';
import type { AnswerOrder } from './answer-order.ts';
import { cutFault, describeThrown, invalidFault, type CallFault } from './call-failure.ts';
import type { CarriedItem } from './openai-responses-carry.ts';
import { estimateTextTokens } from './pricing.ts';
import type { Assembler } from './streamed-call.ts';
import { StreamingToolParser, type ToolDelta } from './streaming-tool-parser.ts';
import { answerTokens, inputCount, outputCount, tokenCount } from './token-count.ts';

type EventOf<Type extends ResponseStreamEvent['type']> = Extract<ResponseStreamEvent, { type: Type }>;
type TextDelta = Pick<EventOf<'response.output_text.delta'>, 'delta' | 'output_index'>;
type ItemDone = Pick<EventOf<'response.output_item.done'>, 'item' | 'output_index'>;
type LastEvent = EventOf<'response.completed' | 'response.incomplete' | 'response.failed'>;

/**
 * Builds an answer from Responses API events. Whole means: `response.completed` or `response.incomplete` was seen, every
 * item that was begun is done, every call has a complete JSON object as input. The SDK checks none of these.
 */
export class OpenaiResponsesAnswer implements Assembler<ResponseStreamEvent> {
  readonly #order: AnswerOrder;
  readonly #tools: StreamingToolParser;
  /** The place behind all that there are. */
  #nextPlace = 0;
  /** How much of each call's input has come, by its place in the output. */
  readonly #inputs = new Map<number, number>();
  readonly #open = new Set<number>();
  readonly #items = new Map<number, CarriedItem>();
  /** What each message says, by its place. */
  readonly #texts = new Map<number, string>();
  #text = '';
  /** How much of the text is of messages that are done. */
  #doneLength = 0;
  #reasoning = '';
  #refusal = '';
  #reported: TokenUsage | undefined;
  #outputEstimate = 0;
  #last: Response | undefined;

  constructor(order: AnswerOrder) {
    this.#order = order;
    this.#tools = new StreamingToolParser({ chunk: order.chunk, messages: order.request.messages });
  }

  push(event: ResponseStreamEvent): CallFault | undefined {
    switch (event.type) {
      case 'response.output_item.added':
        return this.#begin(event);
      case 'response.output_text.delta':
        this.#addText(event);
        return undefined;
      case 'response.refusal.delta':
        this.#refusal += event.delta;
        return undefined;
      case 'response.reasoning_summary_part.added':
        if (event.summary_index > 0) this.#addReasoning('\n\n');
        return undefined;
      case 'response.reasoning_summary_text.delta':
      case 'response.reasoning_text.delta':
        this.#addReasoning(event.delta);
        return undefined;
      case 'response.function_call_arguments.delta':
        return this.#addInput(event);
      case 'response.output_item.done':
        return this.#close(event);
      case 'response.completed':
      case 'response.incomplete':
      case 'response.failed':
        return this.#end(event);
      default:
        // What begins or sums up a part, or is newer than this adapter.
        return undefined;
    }
  }

  finish(): ModelResponse | CallFault {
    const last = this.#last;
    if (last === undefined) return cutFault('no response.completed was received');
    const reason = last.status === 'incomplete' ? (last.incomplete_details?.reason ?? 'no reason') : undefined;
    if (reason === 'content_filter') {
      return invalidFault('content_filter', "the provider's content filter withheld the answer");
    }
    if (reason !== undefined && reason !== 'max_output_tokens') {
      return invalidFault('incomplete', `the answer is incomplete: ${reason}`);
    }
    if (this.#refusal !== '') return invalidFault('refusal', `the model refused to answer: ${this.#refusal}`);
    if (this.#open.size > 0 && reason === undefined) return cutFault('an item of the answer was not finished');
    const toolCalls = this.#tools.finish(reason !== undefined);
    if ('message' in toolCalls) return toolCalls;
    const carry = this.#carry();
    return {
      text: this.#text,
      toolCalls,
      usage: this.usage(),
      finishReason: reason === undefined ? (toolCalls.length > 0 ? 'tool_calls' : 'stop') : 'length',
      ...(this.#reasoning !== '' && { reasoning: this.#reasoning }),
      ...(carry && { carry }),
    };
  }

  isOver(): boolean {
    return this.#last !== undefined;
  }

  /** OpenAI may think for minutes after an item of reasoning has begun. */
  isSilent(): boolean {
    return this.#outputEstimate === 0;
  }

  usage(): TokenUsage {
    return this.#reported ?? this.#estimate();
  }

  #begin({ item, output_index: at }: EventOf<'response.output_item.added'>): CallFault | undefined {
    this.#open.add(at);
    this.#reach(at);
    return item.type === 'function_call' ? this.#addCall(item, at) : undefined;
  }

  /** A call as an item, with all of its input that is known by now. */
  #addCall({ call_id: id, name, arguments: input }: ResponseFunctionToolCall, at: number): CallFault | undefined {
    const before = this.#inputs.get(at) ?? 0;
    return this.#readInput({ index: at, id, name, json: typeof input === 'string' ? input.slice(before) : '' });
  }

  #readInput(piece: ToolDelta & { readonly json: string }): CallFault | undefined {
    const { index, json } = piece;
    this.#inputs.set(index, (this.#inputs.get(index) ?? 0) + json.length);
    this.#outputEstimate += estimateTextTokens(json);
    return this.#tools.push(piece);
  }

  #addText({ delta, output_index: at }: TextDelta): void {
    if (delta === '') return;
    this.#text += delta;
    this.#texts.set(at, (this.#texts.get(at) ?? '') + delta);
    this.#outputEstimate += estimateTextTokens(delta);
    this.#order.chunk({ type: 'text', text: delta });
  }

  #addReasoning(text: string): void {
    this.#reasoning += text;
    this.#outputEstimate += estimateTextTokens(text);
    this.#order.chunk({ type: 'reasoning', text });
  }

  #addInput({ delta, output_index: at }: EventOf<'response.function_call_arguments.delta'>): CallFault | undefined {
    if (this.#inputs.has(at)) return this.#readInput({ index: at, json: delta });
    return invalidFault('stream_order', 'tool input arrived before its tool call began');
  }

  /** The item as a whole: some servers say only here what a message, or the input of a call, is. */
  #close({ item, output_index: at }: ItemDone): CallFault | undefined {
    if (item.type === 'message') this.#addRest(wordsOf(item.content), at);
    this.#keep(item, at);
    return item.type === 'function_call' ? this.#addCall(item, at) : undefined;
  }

  #reach(at: number): void {
    if (at >= this.#nextPlace) this.#nextPlace = at + 1;
  }

  /** An item that is done. */
  #keep(item: ResponseOutputItem, at: number): void {
    this.#open.delete(at);
    this.#reach(at);
    const carried = this.#toCarry(item, at);
    if (carried) this.#items.set(at, carried);
  }

  /** What of a message has not been said. Some servers stream it under another place, where it is of no message that is done. */
  #addRest({ text, refusal }: Words, at: number): void {
    const said = this.#texts.get(at) ?? this.#text.slice(this.#doneLength);
    const rest = text.startsWith(said) ? text.slice(said.length) : '';
    this.#addText({ delta: rest, output_index: at });
    this.#texts.set(at, said + rest);
    this.#doneLength = this.#text.length;
    this.#refusal ||= refusal;
  }

  #end({ type, response }: LastEvent): CallFault | undefined {
    const hasFailed =
      type === 'response.failed' || FAILED.has(response.status) || Object.keys(response.error ?? {}).length > 0;
    const fault = hasFailed ? failureOf(response) : this.#addUnsaid(response);
    this.#count(response.usage);
    if (!fault) this.#last = response;
    return fault;
  }

  /**
   * Some servers say only in the end what they say, or what they call: it is taken where the stream had nothing of the kind. Places
   * and ids there need not be those of the stream, so that what it had is not looked for.
   */
  #addUnsaid({ output, status }: Response): CallFault | undefined {
    const had = { message: this.#text + this.#refusal !== '', function_call: this.#inputs.size > 0 };
    const hadItems = this.#items.size > 0;
    for (const [place, item] of [output].flat().filter(isRecord).entries()) {
      if (item.type === 'message' || item.type === 'function_call' ? had[item.type] : hadItems) continue;
      const at = this.#items.has(place) ? this.#nextPlace : place;
      const fault = this.#close({ item, output_index: at });
      if (fault) return fault;
      // The last of them may have been cut off.
      if (status === 'incomplete') this.#open.add(at);
    }
    return undefined;
  }

  #toCarry(item: ResponseOutputItem, at: number): CarriedItem | undefined {
    if (item.type === 'reasoning') {
      // The API does not take back the state that it gave.
      const { status: _, ...rest } = item;
      return rest;
    }
    if (item.type === 'message') {
      const { id, phase } = item;
      return { type: 'message', id, length: this.#texts.get(at)?.length ?? 0, ...(phase && { phase }) };
    }
    if (item.type !== 'function_call') return undefined;
    return { type: 'function_call', callId: item.call_id, ...(item.id !== undefined && { id: item.id }) };
  }

  /** Reasoning that is not encrypted can't be given back: the provider has not stored it. */
  #carry(): ProviderCarry | undefined {
    const parts = [...this.#items].toSorted(([one], [other]) => one - other).map(([at, item]) => this.#named(item, at));
    const isWhole = parts.every((part) => part.type !== 'reasoning' || Boolean(part.encrypted_content));
    const isWorthIt = parts.some((part) => part.type === 'reasoning' || (part.type === 'message' && part.phase));
    const leadsOn = parts.at(-1)?.type !== 'reasoning';
    // What was cut off before its end is in no part.
    return isWhole && isWorthIt && leadsOn && this.#open.size === 0
      ? { provider: this.#order.carryName, parts }
      : undefined;
  }

  /** A call is found again by the id with which it was given. */
  #named(item: CarriedItem, at: number): CarriedItem {
    return item.type === 'function_call' ? { ...item, callId: this.#tools.idAt(at) ?? item.callId } : item;
  }

  #count(usage: ResponseUsage | undefined): void {
    if (!usage) return;
    const { inputTokens, outputTokens } = this.#estimate();
    const cacheReadTokens = tokenCount(usage.input_tokens_details?.cached_tokens);
    const cacheWriteTokens = tokenCount(usage.input_tokens_details?.cache_write_tokens);
    this.#reported = {
      inputTokens: inputCount(usage.input_tokens, cacheReadTokens + cacheWriteTokens) ?? inputTokens,
      outputTokens: outputCount(usage.output_tokens) ?? outputTokens,
      cacheReadTokens,
      cacheWriteTokens,
    };
    this.#order.chunk({ type: 'usage', usage: this.#reported });
  }

  #estimate(): TokenUsage {
    const { inputTokens, maxOutputTokens } = this.#order.request;
    const outputTokens = answerTokens(0, this.#outputEstimate, maxOutputTokens);
    return { inputTokens, outputTokens, cacheReadTokens: 0, cacheWriteTokens: 0 };
  }
}

/** Whatever event they come with. */
const FAILED: ReadonlySet<unknown> = new Set(['failed', 'cancelled']);

type Words = { readonly text: string; readonly refusal: string };

/** What a message says as a whole: a text, or parts. Whatever else there is is passed over. */
function wordsOf(content: unknown): Words {
  if (typeof content === 'string') return { text: content, refusal: '' };
  const parts = [content].flat().filter(isRecord);
  const said = (kind: string, field: string): string =>
    parts.map(({ type, [field]: words }) => (type === kind && typeof words === 'string' ? words : '')).join('');
  return { text: said('output_text', 'text'), refusal: said('refusal', 'refusal') };
}

/** The failure that the provider reports as the end of its stream, in the form of those that its SDK throws. */
function failureOf({ error }: Response): CallFault {
  if (!error) return invalidFault('response_failed', 'the provider gave no reason for its failure');
  return describeThrown({ error: { ...error, type: error.type ?? error.code } });
}

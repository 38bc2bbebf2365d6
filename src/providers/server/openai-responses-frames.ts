import type {
  Response,
  ResponseFunctionToolCall,
  ResponseOutputItem,
  ResponseOutputMessage,
  ResponseOutputText,
  ResponseReasoningItem,
  ResponseStreamEvent,
} from 'openai/resources/responses/responses';
import { splitText } from '../split-text.ts';
import { sealThought } from './signature.ts';
import { thoughtTokens } from './thought-tokens.ts';
import { streamPart } from './stream-part.ts';
import type { WireAnswer, WireFrames } from './wire.ts';

/** The answer as the events of a stream. */
export function responsesFrames(answer: WireAnswer): WireFrames {
  const numbers = new Numbered();
  const whole = wholeResponse(answer);
  const begun: Response = { ...whole, status: 'in_progress', incomplete_details: null, output: [] };
  delete begun.usage;
  const head =
    numbers.event({ type: 'response.created', response: begun }) +
    numbers.event({ type: 'response.in_progress', response: begun });
  const pieces = outputOf(answer).flatMap((item, at) => itemPieces(item, at, { numbers, chunks: answer.chunks }));
  const type = answer.finishReason === 'length' ? 'response.incomplete' : 'response.completed';
  return { head, pieces, tail: numbers.event({ type, response: whole }) };
}

/** The answer in one piece. */
export function wholeResponse(answer: WireAnswer): Response {
  const isCut = answer.finishReason === 'length';
  const response: Omit<Response, 'output_text'> = {
    id: `resp_${answer.id}`,
    object: 'response',
    created_at: CREATED,
    status: isCut ? 'incomplete' : 'completed',
    error: null,
    incomplete_details: isCut ? { reason: 'max_output_tokens' } : null,
    access_programs: null,
    instructions: null,
    metadata: {},
    model: answer.model,
    output: outputOf(answer),
    parallel_tool_calls: true,
    temperature: 1,
    tool_choice: 'auto',
    tools: [],
    top_p: 1,
    usage: usageOf(answer),
  };
  // `output_text` is the SDK's own sum of the output; it is on no wire.
  return response as Response;
}

/** Always the same, so that a script's answers are, byte for byte. */
const CREATED = 1_700_000_000;

function outputOf({ id, text, reasoning, toolCalls, asked }: WireAnswer): ResponseOutputItem[] {
  const items: ResponseOutputItem[] = toolCalls.map((call, at) => ({
    id: `fc_${id}_${at}`,
    type: 'function_call',
    call_id: call.id,
    name: call.name,
    arguments: call.json,
    status: 'completed',
  }));
  if (text !== '') {
    const content = [{ type: 'output_text' as const, text, annotations: [], logprobs: [] }];
    items.unshift({ id: `msg_${id}`, type: 'message', role: 'assistant', status: 'completed', content });
  }
  if (reasoning !== '') {
    const sealed = asked.sealedThoughts && { encrypted_content: sealThought(reasoning) };
    const summary = [{ type: 'summary_text' as const, text: reasoning }];
    items.unshift({ id: `rs_${id}`, type: 'reasoning', summary, ...sealed });
  }
  return items;
}

function usageOf(answer: WireAnswer): NonNullable<Response['usage']> {
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens } = answer.usage;
  return {
    input_tokens: inputTokens,
    input_tokens_details: { cached_tokens: cacheReadTokens, cache_write_tokens: cacheWriteTokens },
    output_tokens: outputTokens,
    output_tokens_details: { reasoning_tokens: thoughtTokens(answer) },
    total_tokens: inputTokens + outputTokens,
  };
}

type Unnumbered<Event> = Event extends unknown ? Omit<Event, 'sequence_number'> : never;

/** Counts the events of one stream. */
class Numbered {
  #next = 0;

  event(data: Unnumbered<ResponseStreamEvent>): string {
    return `event: ${data.type}\ndata: ${JSON.stringify({ ...data, sequence_number: this.#take() })}\n\n`;
  }

  /** By far the most frequent event: only its text is encoded. `rest` is the fields that are the same in all of a part. */
  delta(type: ResponseStreamEvent['type'], rest: string, text: string): string {
    return `event: ${type}\ndata: {"type":"${type}","sequence_number":${this.#take()},${rest},"delta":${JSON.stringify(text)}}\n\n`;
  }

  #take(): number {
    this.#next += 1;
    return this.#next - 1;
  }
}

type Around = { readonly numbers: Numbered; readonly chunks: number };

function itemPieces(item: ResponseOutputItem, at: number, around: Around): string[] {
  if (item.type === 'reasoning') return reasoningPieces(item, at, around);
  if (item.type === 'message') return messagePieces(item, at, around);
  return item.type === 'function_call' ? callPieces(item, at, around) : [];
}

function reasoningPieces(item: ResponseReasoningItem, index: number, { numbers, chunks }: Around): string[] {
  const place = { item_id: item.id, output_index: index, summary_index: 0 };
  const text = item.summary[0]?.text ?? '';
  const rest = `"item_id":"${item.id}","output_index":${index},"summary_index":0`;
  const opening =
    numbers.event({
      type: 'response.output_item.added',
      output_index: index,
      item: { ...item, summary: [], encrypted_content: '' },
    }) +
    numbers.event({
      type: 'response.reasoning_summary_part.added',
      ...place,
      part: { type: 'summary_text', text: '' },
    });
  const deltas = splitText(text, chunks).map((piece) =>
    numbers.delta('response.reasoning_summary_text.delta', rest, piece),
  );
  const closing =
    numbers.event({ type: 'response.reasoning_summary_text.done', ...place, text }) +
    numbers.event({ type: 'response.reasoning_summary_part.done', ...place, part: { type: 'summary_text', text } }) +
    numbers.event({ type: 'response.output_item.done', output_index: index, item });
  return streamPart(opening, deltas, closing);
}

function messagePieces(item: ResponseOutputMessage, index: number, { numbers, chunks }: Around): string[] {
  const place = { item_id: item.id, output_index: index, content_index: 0 };
  const [part] = item.content;
  const text = part?.type === 'output_text' ? part.text : '';
  const whole: ResponseOutputText = { type: 'output_text', text, annotations: [], logprobs: [] };
  const opening =
    numbers.event({
      type: 'response.output_item.added',
      output_index: index,
      item: { ...item, status: 'in_progress', content: [] },
    }) + numbers.event({ type: 'response.content_part.added', ...place, part: { ...whole, text: '' } });
  const rest = `"item_id":"${item.id}","output_index":${index},"content_index":0,"logprobs":[]`;
  const deltas = splitText(text, chunks).map((piece) => numbers.delta('response.output_text.delta', rest, piece));
  const closing =
    numbers.event({ type: 'response.output_text.done', ...place, text, logprobs: [] }) +
    numbers.event({ type: 'response.content_part.done', ...place, part: whole }) +
    numbers.event({ type: 'response.output_item.done', output_index: index, item });
  return streamPart(opening, deltas, closing);
}

function callPieces(item: ResponseFunctionToolCall, index: number, { numbers, chunks }: Around): string[] {
  const { id = '', arguments: json } = item;
  const opening = numbers.event({
    type: 'response.output_item.added',
    output_index: index,
    item: { ...item, arguments: '', status: 'in_progress' },
  });
  const rest = `"item_id":"${id}","output_index":${index}`;
  const deltas = splitText(json, Math.max(2, chunks)).map((piece) =>
    numbers.delta('response.function_call_arguments.delta', rest, piece),
  );
  const done = { item_id: id, output_index: index, arguments: json };
  const closing =
    numbers.event({ type: 'response.function_call_arguments.done', ...done }) +
    numbers.event({ type: 'response.output_item.done', output_index: index, item });
  return streamPart(opening, deltas, closing);
}

import type { Message, RawMessageStreamEvent, StopReason, Usage } from '@anthropic-ai/sdk/resources/messages';
import { BINDING_BETA } from '../anthropic-binding.ts';
import { splitText } from '../split-text.ts';
import { anthropicBody, type AnthropicBody, type AnthropicTool } from './anthropic-body.ts';
import { readAnthropicConversation } from './anthropic-conversation.ts';
import { errorWord } from './error-word.ts';
import { firstProblem } from './problem.ts';
import { signThought } from './signature.ts';
import { streamPart } from './stream-part.ts';
import { bindThoughts } from './thought-binding.ts';
import { withThreadFacts } from './thread-facts.ts';
import {
  ALL_EXTRAS,
  type Wire,
  type WireAnswer,
  type WireCall,
  type WireError,
  type WireFrames,
  type WireInput,
} from './wire.ts';

/** The Messages API. */
export const anthropicWire: Wire = {
  match: (path) => (path === '/v1/messages' ? { model: undefined, stream: undefined } : undefined),
  read,
  frames,
  whole: (answer) => JSON.stringify(wholeMessage(answer)),
  errorBody: (error) => JSON.stringify(errorOf(error)),
  errorFrame: (error) => `event: error\ndata: ${JSON.stringify(errorOf(error))}\n\n`,
  garbage: 'event: content_block_delta\ndata: {"type":"content_block_del\n\n',
};

function read({ body, headers }: WireInput): WireCall | { readonly error: WireError } {
  const parsed = anthropicBody.safeParse(body);
  if (!parsed.success) return refuse(problemText(firstProblem(parsed.error)));
  const { thinking, max_tokens: maxOutputTokens } = parsed.data;
  if (thinking?.type === 'enabled' && thinking.budget_tokens >= maxOutputTokens) {
    return refuse('`max_tokens` must be greater than `thinking.budget_tokens`');
  }
  const messages = readAnthropicConversation(parsed.data);
  if (typeof messages === 'string') return refuse(messages);
  const { model, stream = false } = parsed.data;
  const head = { system: systemOf(parsed.data), tools: toolsOf(parsed.data) };
  const { next: bound, broken } = bindThoughts(parsed.data, head);
  const problem = bindingProblem(thinking, broken, headers);
  if (problem !== undefined) return refuse(problem);
  return { request: withThreadFacts({ model, ...head, messages, maxOutputTokens }), stream, asked: ALL_EXTRAS, bound };
}

/** Thoughts are checked as for accounts from September 2026 on; who asks for it has them left out instead. */
function bindingProblem(
  thinking: AnthropicBody['thinking'],
  broken: string | undefined,
  headers: WireInput['headers'],
): string | undefined {
  const isKnown = String(headers['anthropic-beta']).split(/,\s*/).includes(BINDING_BETA);
  const asked = thinking?.type === 'enabled' || thinking?.type === 'adaptive' ? thinking.block_binding : undefined;
  if (asked && !isKnown) return `thinking.${thinking?.type}.block_binding: Extra inputs are not permitted`;
  if (broken === undefined || asked?.prefix_mismatch_behavior === 'drop_block') return undefined;
  const how = 'Remove the block, or set `thinking.block_binding.prefix_mismatch_behavior` to "drop_block".';
  const header = `That setting requires the \`${BINDING_BETA}\` value in the \`anthropic-beta\` header.`;
  const what = `${broken}: Invalid \`signature\` in \`thinking\` block. The block is bound to a different conversation. ${how}`;
  return isKnown ? what : `${what} ${header}`;
}

function refuse(message: string): { readonly error: WireError } {
  return { error: { status: 400, message } };
}

function problemText({ path, kind, message }: ReturnType<typeof firstProblem>): string {
  const what = { unknown_field: 'Extra inputs are not permitted', missing: 'Field required', wrong: message }[kind];
  return path.length === 0 ? what : `${path.join('.')}: ${what}`;
}

function systemOf({ system = '' }: AnthropicBody): string {
  return typeof system === 'string' ? system : system.map(({ text }) => text).join('\n\n');
}

function toolsOf({ tools = [] }: AnthropicBody): WireCall['request']['tools'] {
  return tools
    .filter(isCustom)
    .map(({ name, description = '', input_schema: inputSchema }) => ({ name, description, inputSchema }));
}

/** The provider's own tools have no schema here. */
function isCustom(tool: object): tool is AnthropicTool {
  return 'input_schema' in tool;
}

const ERROR_WORDS = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  500: 'api_error',
  504: 'timeout_error',
  529: 'overloaded_error',
};

function errorOf(error: WireError): object {
  return { type: 'error', error: { type: errorWord(error, ERROR_WORDS), message: error.message }, request_id: null };
}

const STOP_REASONS: Readonly<Record<WireAnswer['finishReason'], StopReason>> = {
  stop: 'end_turn',
  tool_calls: 'tool_use',
  length: 'max_tokens',
};

function frames(answer: WireAnswer): WireFrames {
  return { head: head(answer), pieces: pieces(answer), tail: tail(answer) };
}

function head(answer: WireAnswer): string {
  const message: Message = { ...wholeMessage(answer), content: [], stop_reason: null };
  message.usage.output_tokens = 1;
  return event({ type: 'message_start', message }) + PING;
}

const PING = 'event: ping\ndata: {"type":"ping"}\n\n';

function pieces({ reasoning, text, toolCalls, chunks, bound }: WireAnswer): string[] {
  const found: string[] = [];
  let index = 0;
  const add = (start: ContentBlock, deltas: readonly string[], signed = ''): void => {
    const opening = event({ type: 'content_block_start', index, content_block: start });
    const closing = event({ type: 'content_block_stop', index });
    found.push(...streamPart(opening, deltas, signed + closing));
    index += 1;
  };
  if (reasoning !== '') {
    const deltas = splitText(reasoning, chunks).map((piece) => delta(index, '"thinking_delta","thinking":', piece));
    const signed = delta(index, '"signature_delta","signature":', signThought(reasoning, bound));
    add({ type: 'thinking', thinking: '', signature: '' }, deltas, signed);
  }
  if (text !== '') {
    const deltas = splitText(text, chunks).map((piece) => delta(index, '"text_delta","text":', piece));
    add({ type: 'text', text: '', citations: null }, deltas);
  }
  for (const { id, name, json } of toolCalls) {
    const deltas = splitText(json, Math.max(2, chunks)).map((piece) =>
      delta(index, '"input_json_delta","partial_json":', piece),
    );
    add({ type: 'tool_use', id, name, input: {}, caller: { type: 'direct' } }, deltas);
  }
  return found;
}

type ContentBlock = Message['content'][number];

/** By far the most frequent frame: only its text is encoded. */
function delta(index: number, field: string, text: string): string {
  return `event: content_block_delta\ndata: {"type":"content_block_delta","index":${index},"delta":{"type":${field}${JSON.stringify(text)}}}\n\n`;
}

function tail({ usage: tokens, finishReason }: WireAnswer): string {
  const usage = usageOf(tokens);
  const stop = { stop_reason: STOP_REASONS[finishReason], stop_sequence: null, stop_details: null, container: null };
  return event({ type: 'message_delta', delta: stop, usage }) + event({ type: 'message_stop' });
}

function event(data: RawMessageStreamEvent): string {
  return `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;
}

function wholeMessage({ id, model, text, reasoning, toolCalls, usage, finishReason, bound }: WireAnswer): Message {
  const content: ContentBlock[] = toolCalls.map(({ id, name, input }) => ({
    type: 'tool_use',
    id,
    name,
    input,
    caller: { type: 'direct' },
  }));
  if (text !== '') content.unshift({ type: 'text', text, citations: null });
  if (reasoning !== '') {
    content.unshift({ type: 'thinking', thinking: reasoning, signature: signThought(reasoning, bound) });
  }
  return {
    id: `msg_${id}`,
    type: 'message',
    role: 'assistant',
    model,
    content,
    stop_reason: STOP_REASONS[finishReason],
    stop_sequence: null,
    stop_details: null,
    container: null,
    diagnostics: null,
    usage: usageOf(usage),
  };
}

/** Input is what no cache read or wrote. */
function usageOf({ inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens }: WireAnswer['usage']): Usage {
  return {
    input_tokens: Math.max(0, inputTokens - cacheReadTokens - cacheWriteTokens),
    output_tokens: outputTokens,
    cache_read_input_tokens: cacheReadTokens,
    cache_creation_input_tokens: cacheWriteTokens,
    cache_creation: null,
    inference_geo: null,
    output_tokens_details: null,
    server_tool_use: null,
    service_tier: 'standard',
    speed: null,
  };
}

import type { ChatCompletion, ChatCompletionChunk, ChatCompletionMessage } from 'openai/resources/chat/completions';
import type { CompletionUsage } from 'openai/resources/completions';
import { splitText } from '../split-text.ts';
import { openaiChatBody, type OpenaiChatBody } from './openai-chat-body.ts';
import { readOpenaiChat } from './openai-chat-conversation.ts';
import { openaiError, openaiProblem, openaiRefusal } from './openai-error.ts';
import { streamPart } from './stream-part.ts';
import { thoughtTokens } from './thought-tokens.ts';
import { withThreadFacts } from './thread-facts.ts';
import type { Wire, WireAnswer, WireCall, WireError, WireFrames, WireInput } from './wire.ts';

/** Chat Completions. Reasoning goes where compatible servers have it: `reasoning_content`, which the SDK does not know. */
export const openaiChatWire: Wire = {
  match: (path) => (path === '/v1/chat/completions' ? { model: undefined, stream: undefined } : undefined),
  read,
  frames,
  whole: (answer) => JSON.stringify(wholeCompletion(answer)),
  errorBody: (error) => JSON.stringify(openaiError(error)),
  errorFrame: (error) => `data: ${JSON.stringify(openaiError(error))}\n\n`,
  garbage: 'data: {"id":"chatcmpl-\n\n',
};

/** What the API takes for a limit that is not given is up to the model. */
const MAX_OUTPUT_TOKENS = 16_384;

function read({ body }: WireInput): WireCall | { readonly error: WireError } {
  const parsed = openaiChatBody.safeParse(body);
  if (!parsed.success) return openaiProblem(parsed.error);
  const { model, stream, stream_options: options, max_completion_tokens: limit, max_tokens: oldLimit } = parsed.data;
  if (limit && oldLimit) {
    return openaiRefusal("Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported.");
  }
  if (options && !stream) {
    return openaiRefusal("The 'stream_options' parameter is only allowed when 'stream' is enabled.", 'stream_options');
  }
  const conversation = readOpenaiChat(parsed.data);
  if ('error' in conversation) return conversation;
  const maxOutputTokens = limit ?? oldLimit ?? MAX_OUTPUT_TOKENS;
  const request = withThreadFacts({ model, ...conversation, tools: toolsOf(parsed.data), maxOutputTokens });
  return { request, stream: stream ?? false, asked: { usage: options?.include_usage ?? false, sealedThoughts: false } };
}

function toolsOf({ tools = [] }: OpenaiChatBody): WireCall['request']['tools'] {
  return tools.flatMap((tool) => {
    if (tool.type !== 'function') return [];
    const { name, description = '', parameters: inputSchema = {} } = tool.function;
    return [{ name, description, inputSchema }];
  });
}

function frames(answer: WireAnswer): WireFrames {
  const { finishReason, asked } = answer;
  // Up to the delta, all frames of an answer are one text.
  const start = `data: ${JSON.stringify({ ...frameOf(answer), ...(asked.usage && { usage: null }) }).slice(0, -1)}`;
  const choice = (delta: string, finish: string): string =>
    `${start},"choices":[{"index":0,"delta":${delta},"logprobs":null,"finish_reason":${finish}}]}\n\n`;
  const counts = `data: ${JSON.stringify({ ...frameOf(answer), choices: [], usage: usageOf(answer) } satisfies ChatCompletionChunk)}\n\n`;
  return {
    head: choice('{"role":"assistant","content":"","refusal":null}', 'null'),
    pieces: pieces(answer, (delta) => choice(delta, 'null')),
    tail: `${choice('{}', `"${finishReason}"`)}${asked.usage ? counts : ''}data: [DONE]\n\n`,
  };
}

function frameOf({ id, model }: WireAnswer): Omit<ChatCompletionChunk, 'choices'> {
  return { id: `chatcmpl-${id}`, object: 'chat.completion.chunk', created: CREATED, model, service_tier: 'default' };
}

/** Always the same, so that a script's answers are, byte for byte. */
const CREATED = 1_700_000_000;

function pieces({ reasoning, text, toolCalls, chunks }: WireAnswer, frame: (delta: string) => string): string[] {
  const found: string[] = [];
  for (const piece of splitText(reasoning, chunks)) found.push(frame(`{"reasoning_content":${JSON.stringify(piece)}}`));
  for (const piece of splitText(text, chunks)) found.push(frame(`{"content":${JSON.stringify(piece)}}`));
  for (const [index, { id, name, json }] of toolCalls.entries()) {
    const call = { index, id, type: 'function' as const, function: { name, arguments: '' } };
    const opening = frame(JSON.stringify({ tool_calls: [call] } satisfies ChatCompletionChunk.Choice.Delta));
    const deltas = splitText(json, Math.max(2, chunks)).map((piece) =>
      frame(`{"tool_calls":[{"index":${index},"function":{"arguments":${JSON.stringify(piece)}}}]}`),
    );
    found.push(...streamPart(opening, deltas, ''));
  }
  return found;
}

function wholeCompletion(answer: WireAnswer): ChatCompletion {
  const { id, model, finishReason } = answer;
  return {
    id: `chatcmpl-${id}`,
    object: 'chat.completion',
    created: CREATED,
    model,
    service_tier: 'default',
    choices: [{ index: 0, message: messageOf(answer), logprobs: null, finish_reason: finishReason }],
    usage: usageOf(answer),
  };
}

function messageOf({ text, reasoning, toolCalls }: WireAnswer): ChatCompletionMessage {
  const calls = toolCalls.map(({ id, name, json }) => ({
    id,
    type: 'function' as const,
    function: { name, arguments: json },
  }));
  return {
    role: 'assistant',
    content: text === '' && calls.length > 0 ? null : text,
    refusal: null,
    ...(reasoning !== '' && { reasoning_content: reasoning }),
    ...(calls.length > 0 && { tool_calls: calls }),
  };
}

function usageOf(answer: WireAnswer): CompletionUsage {
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens } = answer.usage;
  return {
    prompt_tokens: inputTokens,
    completion_tokens: outputTokens,
    total_tokens: inputTokens + outputTokens,
    prompt_tokens_details: { cached_tokens: cacheReadTokens, cache_write_tokens: cacheWriteTokens },
    completion_tokens_details: { reasoning_tokens: thoughtTokens(answer) },
  };
}

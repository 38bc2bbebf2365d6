import Anthropic from '@anthropic-ai/sdk';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { anthropic, gemini, openaiChat, openaiResponses } from '../fixtures/sdk-clients.ts';
import type { Script } from '../scripted-schema.ts';
import { startLlmServer, type LlmServer } from './llm-server.ts';

const PROMPT = 'Do it.\n\n<directive name="read">\nRead a.txt.\n</directive>';

const SCRIPT: Script = {
  rules: [
    { match: 'limited', error: { status_code: 429, message: 'slow down', headers: { 'retry-after': '7' } } },
    { match: 'broken', text: 'Hel', error: { status_code: 503, message: 'gone' } },
    { match: 'long', text: 'cut', finish_reason: 'length' },
    {
      directive: 'demo/read',
      turn: 1,
      reasoning: 'Let me see.',
      text: 'I will, "quoted" \n ☃ 𝒳.',
      chunks: 5,
      tool_calls: [
        { name: 'read', input: { path: 'a.txt' } },
        { name: 'read', input: {} },
      ],
      usage: { input_tokens: 100, output_tokens: 9, cache_read_tokens: 30, cache_write_tokens: 20 },
    },
    { directive: 'demo/read', turn: 2, last_tool: 'read', text: '${last.results.0.size} and ${last.results.1}' },
  ],
};

let server: LlmServer;

beforeAll(async () => {
  server = await startLlmServer({ script: SCRIPT });
});
afterAll(() => server.close());

describe.each([
  {
    wire: 'Anthropic Messages',
    connect: anthropic,
    ends: { tools: 'tool_use', length: 'max_tokens' },
    usage: { input_tokens: 50, output_tokens: 9, cache_read_input_tokens: 30, cache_creation_input_tokens: 20 },
    limited: { status: 429, message: /rate_limit_error.*slow down/ },
  },
  {
    wire: 'OpenAI Chat Completions',
    connect: openaiChat,
    ends: { tools: 'tool_calls', length: 'length' },
    usage: {
      prompt_tokens: 100,
      completion_tokens: 9,
      total_tokens: 109,
      prompt_tokens_details: { cached_tokens: 30, cache_write_tokens: 20 },
    },
    limited: { status: 429, message: /slow down/, code: 'rate_limit_exceeded' },
  },
  {
    wire: 'OpenAI Responses',
    connect: openaiResponses,
    ends: { tools: 'completed', length: 'incomplete' },
    usage: {
      input_tokens: 100,
      output_tokens: 9,
      total_tokens: 109,
      input_tokens_details: { cached_tokens: 30, cache_write_tokens: 20 },
    },
    limited: { status: 429, message: /slow down/, code: 'rate_limit_exceeded' },
  },
  {
    wire: 'Gemini',
    connect: gemini,
    ends: { tools: 'STOP', length: 'MAX_TOKENS' },
    usage: {
      promptTokenCount: 100,
      candidatesTokenCount: 6,
      thoughtsTokenCount: 3,
      totalTokenCount: 109,
      cachedContentTokenCount: 30,
    },
    limited: { status: 429, message: /RESOURCE_EXHAUSTED/ },
  },
])('$wire, read by its own SDK', ({ connect, ends, usage, limited }) => {
  test.each([
    ['streamed', true],
    ['in one piece', false],
  ])('has text, reasoning, tool calls and counts, %s', async (_title, stream) => {
    const { textDeltas, ...heard } = await connect(server.origin).say(PROMPT, stream);
    expect(heard).toMatchObject({
      text: 'I will, "quoted" \n ☃ 𝒳.',
      reasoning: 'Let me see.',
      calls: [
        ['read', { path: 'a.txt' }],
        ['read', {}],
      ],
      end: ends.tools,
      usage,
    });
    expect(textDeltas).toBe(stream ? 5 : 1);
  });

  test('goes on from the results of tools, JSON or not', async () => {
    const client = connect(server.origin);
    await client.say(PROMPT, true);
    expect(await client.goOn(['{"size": 12}', 'no such file'])).toBe('12 and no such file');
  });

  test('says that a limit cut the answer', async () => {
    expect(await connect(server.origin).say('long', true)).toMatchObject({ text: 'cut', end: ends.length });
  });

  test.each([true, false])('answers with the HTTP error of a rule, stream: %s', async (stream) => {
    await expect(connect(server.origin).say('limited', stream)).rejects.toMatchObject({
      status: limited.status,
      message: expect.stringMatching(limited.message),
      ...(limited.code !== undefined && { code: limited.code }),
    });
  });

  test('breaks off a stream with an error after the text of its rule', async () => {
    await expect(connect(server.origin).say('broken', true)).rejects.toThrow('gone');
  });
});

test('names a retry-after in the headers, and keeps what it was sent', async () => {
  const client = new Anthropic({ apiKey: 'a-key', baseURL: server.origin, maxRetries: 0 });
  const messages = [{ role: 'user' as const, content: 'limited' }];
  const failure = await client.messages
    .create({ model: 'm', max_tokens: 9, messages })
    .catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(Anthropic.RateLimitError);
  expect(failure instanceof Anthropic.RateLimitError && failure.headers?.get('retry-after')).toBe('7');
  expect(server.requests().at(-1)).toMatchObject({
    path: '/v1/messages',
    headers: { authorization: 'Bearer a-key' },
    body: { model: 'm', max_tokens: 9, messages },
  });
});

import Anthropic from '@anthropic-ai/sdk';
import { GoogleGenAI } from '@google/genai';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
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

/** What an SDK made of an answer. Calls without their ids, which are the wire's own. */
type Heard = {
  readonly text: string;
  readonly reasoning: string;
  readonly calls: readonly (readonly [name: string, input: unknown])[];
  readonly end: string;
  /** Counts in the wire's own fields. */
  readonly usage: unknown;
  readonly textDeltas: number;
};

/** An SDK on the other side: one user's text, then the answer of the script, then the results of its tools. */
type Client = {
  say(text: string, stream: boolean): Promise<Heard>;
  /** The second turn, with everything of the first sent back as this SDK gives it. */
  goOn(results: readonly [string, string]): Promise<string>;
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
    usage: { promptTokenCount: 100, candidatesTokenCount: 9, totalTokenCount: 109, cachedContentTokenCount: 30 },
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

function anthropic(origin: string): Client {
  const client = new Anthropic({ apiKey: 'k', baseURL: origin, maxRetries: 0 });
  const messages: Anthropic.MessageParam[] = [];
  const ask = { model: 'm', max_tokens: 100, messages };
  return {
    async say(content, stream) {
      messages.push({ role: 'user', content });
      let textDeltas = stream ? 0 : 1;
      const message = stream
        ? await client.messages
            .stream(ask)
            .on('text', () => (textDeltas += 1))
            .finalMessage()
        : await client.messages.create(ask);
      messages.push({ role: 'assistant', content: message.content });
      const found = { text: '', reasoning: '', calls: [] as [string, unknown][] };
      for (const block of message.content) {
        if (block.type === 'text') found.text += block.text;
        if (block.type === 'thinking') found.reasoning += block.thinking;
        if (block.type === 'tool_use') found.calls.push([block.name, block.input]);
      }
      return { ...found, end: message.stop_reason ?? '', usage: message.usage, textDeltas };
    },
    async goOn(results) {
      const blocks = messages.at(-1)?.content;
      const calls = Array.isArray(blocks) ? blocks.filter((block) => block.type === 'tool_use') : [];
      const content = calls.map((call, at) => ({
        type: 'tool_result' as const,
        tool_use_id: 'id' in call ? call.id : '',
        content: results[at] ?? '',
      }));
      messages.push({ role: 'user', content });
      return client.messages.stream(ask).finalText();
    },
  };
}

function openaiChat(origin: string): Client {
  const client = new OpenAI({ apiKey: 'k', baseURL: `${origin}/v1`, maxRetries: 0 });
  const messages: OpenAI.ChatCompletionMessageParam[] = [];
  return {
    async say(content, stream) {
      messages.push({ role: 'user', content });
      const heard = stream ? await chatStream(client, messages) : await chatWhole(client, messages);
      messages.push({
        role: 'assistant',
        content: heard.text,
        tool_calls: heard.ids.map((id, at) => ({
          id,
          type: 'function',
          function: { name: heard.calls[at]?.[0] ?? '', arguments: JSON.stringify(heard.calls[at]?.[1]) },
        })),
      });
      return heard;
    },
    async goOn(results) {
      const last = messages.at(-1);
      const calls = last?.role === 'assistant' ? (last.tool_calls ?? []) : [];
      for (const [at, { id }] of calls.entries()) {
        messages.push({ role: 'tool', tool_call_id: id, content: results[at] ?? '' });
      }
      return (await chatWhole(client, messages)).text;
    },
  };
}

type Chat = { client: OpenAI; messages: OpenAI.ChatCompletionMessageParam[] };

async function chatStream(client: Chat['client'], messages: Chat['messages']): Promise<Heard & { ids: string[] }> {
  const found = { text: '', reasoning: '', end: '', textDeltas: 0, usage: undefined as unknown };
  const calls: { id: string; name: string; json: string }[] = [];
  const options = { include_usage: true };
  const chunks = await client.chat.completions.create({ model: 'm', messages, stream: true, stream_options: options });
  for await (const { choices, usage } of chunks) {
    found.usage = usage ?? found.usage;
    const [choice] = choices;
    found.end = choice?.finish_reason ?? found.end;
    const delta = choice?.delta;
    if (delta?.content) found.textDeltas += 1;
    found.text += delta?.content ?? '';
    found.reasoning += reasoningOf(delta);
    for (const { index, id = '', function: called } of delta?.tool_calls ?? []) {
      const call = (calls[index] ??= { id, name: called?.name ?? '', json: '' });
      call.json += called?.arguments ?? '';
    }
  }
  return {
    ...found,
    calls: calls.map(({ name, json }) => [name, JSON.parse(json)]),
    ids: calls.map(({ id }) => id),
  };
}

async function chatWhole(client: Chat['client'], messages: Chat['messages']): Promise<Heard & { ids: string[] }> {
  const { choices, usage } = await client.chat.completions.create({ model: 'm', messages });
  const message = choices[0]?.message;
  const calls = (message?.tool_calls ?? []).filter((call) => call.type === 'function');
  return {
    text: message?.content ?? '',
    reasoning: reasoningOf(message),
    end: choices[0]?.finish_reason ?? '',
    usage,
    textDeltas: 1,
    calls: calls.map((call) => [call.function.name, JSON.parse(call.function.arguments)]),
    ids: calls.map(({ id }) => id),
  };
}

/** A field of compatible servers that the SDK has no type for. */
function reasoningOf(said: object | undefined): string {
  return said && 'reasoning_content' in said && typeof said.reasoning_content === 'string'
    ? said.reasoning_content
    : '';
}

function openaiResponses(origin: string): Client {
  const client = new OpenAI({ apiKey: 'k', baseURL: `${origin}/v1`, maxRetries: 0 });
  const input: OpenAI.Responses.ResponseInputItem[] = [];
  const ask = { model: 'm', store: false, input, include: ['reasoning.encrypted_content' as const] };
  return {
    async say(content, stream) {
      input.push({ role: 'user', content });
      let textDeltas = 1;
      let response: OpenAI.Responses.Response | undefined;
      if (stream) {
        textDeltas = 0;
        let numbered = 0;
        for await (const event of await client.responses.create({ ...ask, stream: true })) {
          if (event.type === 'error') throw new Error(event.message);
          expect(event.sequence_number).toBe(numbered++);
          if (event.type === 'response.output_text.delta') textDeltas += 1;
          if (event.type === 'response.completed' || event.type === 'response.incomplete') response = event.response;
        }
      } else {
        response = await client.responses.create(ask);
      }
      const found = { text: '', reasoning: '', calls: [] as [string, unknown][] };
      for (const item of response?.output ?? []) {
        if (item.type === 'reasoning') found.reasoning += item.summary.map(({ text }) => text).join('');
        if (item.type === 'function_call') found.calls.push([item.name, JSON.parse(item.arguments)]);
        if (item.type !== 'message') continue;
        for (const part of item.content) if (part.type === 'output_text') found.text += part.text;
      }
      input.push(...(response?.output ?? []).map((item) => item as OpenAI.Responses.ResponseInputItem));
      return { ...found, end: response?.status ?? '', usage: response?.usage, textDeltas };
    },
    async goOn(results) {
      const calls = input.filter((item) => item.type === 'function_call');
      for (const [at, { call_id }] of calls.entries()) {
        input.push({ type: 'function_call_output', call_id, output: results[at] ?? '' });
      }
      return (await client.responses.create(ask)).output_text;
    },
  };
}

function gemini(origin: string): Client {
  const client = new GoogleGenAI({ apiKey: 'k', httpOptions: { baseUrl: origin, apiVersion: 'v1beta' } });
  type Contents = NonNullable<Awaited<ReturnType<typeof client.models.generateContent>>['candidates']>[0]['content'][];
  const contents: NonNullable<Contents[number]>[] = [];
  const ask = { model: 'm', contents };
  return {
    async say(text, stream) {
      contents.push({ role: 'user', parts: [{ text }] });
      const found = { text: '', reasoning: '', calls: [] as [string, unknown][] };
      const heard = { ...found, end: '', usage: undefined as unknown, textDeltas: 0 };
      const answers = stream
        ? await client.models.generateContentStream(ask)
        : [await client.models.generateContent(ask)];
      for await (const { candidates = [], usageMetadata } of answers) {
        heard.end = candidates[0]?.finishReason ?? heard.end;
        heard.usage = usageMetadata;
        const content = candidates[0]?.content;
        if (content) contents.push(content);
        for (const { text = '', thought, functionCall } of content?.parts ?? []) {
          if (thought) heard.reasoning += text;
          else heard.text += text;
          if (!thought && text !== '') heard.textDeltas += 1;
          if (functionCall) heard.calls.push([functionCall.name ?? '', functionCall.args]);
        }
      }
      return heard;
    },
    async goOn(results) {
      const calls = contents.flatMap(({ parts = [] }) => parts.flatMap(({ functionCall }) => functionCall ?? []));
      const parts = calls.map(({ id = '', name = '' }, at) => ({
        functionResponse: { id, name, response: { output: results[at] } },
      }));
      contents.push({ role: 'user', parts });
      return (await client.models.generateContent(ask)).text ?? '';
    },
  };
}

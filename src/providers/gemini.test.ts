import { GoogleGenAI } from '@google/genai/web';
import { expect, test } from 'vitest';
import { createHandClock } from '../../test/conformance/hand-clock.ts';
import { geminiWire } from '../../test/conformance/gemini-wire.ts';
import { startModelServer } from '../../test/conformance/model-server.ts';
import { createRecordingSink } from '../../test/conformance/recording-sink.ts';
import { REQUEST } from '../../test/conformance/sample-request.ts';
import type { Message } from '../core/conversation.ts';
import type { ModelRequest } from '../core/provider.ts';
import type { KeyedOptions } from './adapter-options.ts';
import { GeminiAnswer } from './gemini-answer.ts';
import { createGeminiProvider } from './gemini.ts';

async function call(options: Partial<KeyedOptions>, request: ModelRequest = REQUEST) {
  const sink = createRecordingSink();
  createGeminiProvider({ apiKey: 'key', clock: createHandClock(), ...options }).call(request, sink);
  return sink.ended;
}

const ANSWER = {
  kind: 'answer',
  texts: ['Hi.'],
  toolCalls: [],
  usage: { inputTokens: 10, outputTokens: 8, cacheReadTokens: 0, cacheWriteTokens: 0 },
  finish: 'stop',
} as const;

test('a request goes to v1beta, in the words of the API, signatures and schemas as they are', async () => {
  const signed = { functionCall: { id: 'g', name: 'read', args: { path: 'a' } }, thoughtSignature: 'c2ln' };
  await using server = await startModelServer(geminiWire, ANSWER);
  const messages: Message[] = [
    { role: 'user', text: 'Go.' },
    {
      role: 'assistant',
      text: '',
      toolCalls: [{ id: 'g', name: 'read', input: { path: 'a' } }],
      carry: { provider: 'gemini/gemini', parts: [signed] },
    },
    { role: 'tool', callId: 'g', text: 'alpha', isError: false },
  ];
  await call({ baseUrl: server.origin }, { ...REQUEST, messages });
  const seen = server.requests;
  expect(seen).toHaveLength(1);
  expect(seen[0]).toMatchObject({ path: geminiWire.path, headers: { 'x-goog-api-key': 'key' } });
  expect(seen[0]?.body).toEqual({
    systemInstruction: { parts: [{ text: 'You are careful.' }] },
    contents: [
      { role: 'user', parts: [{ text: 'Go.' }] },
      { role: 'model', parts: [signed] },
      { role: 'user', parts: [{ functionResponse: { id: 'g', name: 'read', response: { output: 'alpha' } } }] },
    ],
    tools: [
      {
        functionDeclarations: [
          { name: 'read', description: 'Reads a file.', parametersJsonSchema: REQUEST.tools[0]?.inputSchema },
        ],
      },
    ],
    generationConfig: { maxOutputTokens: 512 },
  });
});

/** Sends the texts and then nothing more, without ending. */
function openStream(texts: readonly string[]) {
  const left = texts.map((text) => new TextEncoder().encode(text));
  const cancelled = Promise.withResolvers<void>();
  const fetch = async (): Promise<Response> => {
    const pull = (stream: ReadableStreamDefaultController): void => {
      const next = left.shift();
      if (next) stream.enqueue(next);
    };
    return new Response(new ReadableStream({ pull, cancel: () => cancelled.resolve() }));
  };
  return { fetch, cancelled: cancelled.promise };
}

test('an error event closes a connection that the server keeps open', async () => {
  const stream = openStream(geminiWire.errorEvent('UNAVAILABLE', 'busy'));
  expect(await call(stream)).toMatchObject({ failed: { type: 'UNAVAILABLE', statusCode: 500, message: 'busy' } });
  await stream.cancelled;
});

const RETRY_INFO = { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '37s' };

// As Google sends them once an answer has begun: not as an event, but as JSON alone.
test.each<[string, string, object]>([
  [
    'on one line',
    JSON.stringify({ error: { code: 503, message: 'busy', status: 'UNAVAILABLE' } }),
    { statusCode: 503 },
  ],
  [
    'that is not to be tried again',
    JSON.stringify({ error: { code: 400, message: 'busy', status: 'INVALID_ARGUMENT' } }, null, 2),
    { type: 'INVALID_ARGUMENT', statusCode: 400 },
  ],
  [
    'with the wait that it asks for',
    JSON.stringify(
      { error: { code: 429, message: 'busy', status: 'RESOURCE_EXHAUSTED', details: [RETRY_INFO] } },
      null,
      2,
    ),
    { statusCode: 429, headers: { 'retry-after-ms': '37000' } },
  ],
])('an error between events, %s, is the failure, and closes the connection', async (_title, error, expected) => {
  const stream = openStream([...geminiWire.begunText(['Hel']), ...(error.match(/[^]{1,9}/g) ?? [])]);
  expect(await call(stream)).toMatchObject({ failed: { message: 'busy', ...expected } });
  await stream.cancelled;
});

test('an answer that could be continued is taken as it is, with one request', async () => {
  const event = {
    candidates: [{ content: { parts: [{ text: 'Hi' }] }, finishReason: 'CONTINUATION', continuationToken: 'dG9rZW4=' }],
  };
  let requests = 0;
  const fetch = async (): Promise<Response> => {
    requests += 1;
    return new Response(`data: ${JSON.stringify(event)}\n\n`);
  };
  expect(await call({ fetch })).toMatchObject({ done: { text: 'Hi', finishReason: 'length' } });
  expect(requests).toBe(1);
});

test('an answer that comes byte by byte is put together again', async () => {
  const bytes = new TextEncoder().encode(geminiWire.answer({ ...ANSWER, texts: ['wör', 'ld 🌍'] }).join(''));
  let next = 0;
  const pull = (stream: ReadableStreamDefaultController): void => {
    if (next === bytes.length) return stream.close();
    stream.enqueue(bytes.subarray(next, (next += 1)));
  };
  const fetch = async (): Promise<Response> => new Response(new ReadableStream({ pull }));
  expect(await call({ fetch })).toMatchObject({ done: { text: 'wörld 🌍', finishReason: 'stop' } });
});

test('the rest of a line at the end of a body is no answer', async () => {
  const cut = geminiWire.answer(ANSWER).join('').slice(0, -20);
  expect(await call({ fetch: async () => new Response(cut) })).toMatchObject({ failed: { type: 'ConnectionError' } });
});

const THOUGHT = {
  candidates: [
    {
      content: {
        parts: [
          { text: 'Hm.', thought: true },
          { text: '', thoughtSignature: 'c2ln' },
        ],
      },
    },
  ],
};

test.each([
  ['text', geminiWire.answer(ANSWER)],
  [
    'thoughts and calls',
    [
      `data: ${JSON.stringify(THOUGHT)}\r\n\r\n`,
      ...geminiWire.answer({ ...ANSWER, toolCalls: [{ id: 'g', name: 'read', input: { path: 'ä' } }] }),
    ],
  ],
  ['a refused prompt', ['data: {"promptFeedback":{"blockReason":"SAFETY"}}\n\n']],
])('%s is what the SDK reads from the same bytes', async (_title, frames) => {
  const fetch = async (): Promise<Response> => new Response(frames.join(''));
  const answer = new GeminiAnswer({ request: REQUEST, chunk: () => {}, carryName: 'gemini/gemini' });
  const sdk = new GoogleGenAI({ apiKey: 'key', httpOptions: { fetch } });
  for await (const event of await sdk.models.generateContentStream({ model: 'm', contents: 'Go.' })) answer.push(event);
  const ended = await call({ fetch });
  expect('done' in ended ? ended.done : ended.failed).toMatchObject(answer.finish());
});

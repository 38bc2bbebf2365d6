import { LLMock, type FixtureOpts, type FixtureResponse } from '@copilotkit/aimock';
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { ModelRequest, Provider } from '../../src/core/provider.ts';
import { createAnthropicProvider } from '../../src/providers/anthropic.ts';
import { createGeminiProvider } from '../../src/providers/gemini.ts';
import { createOpenaiProvider } from '../../src/providers/openai.ts';
import { createOpenaiResponsesProvider } from '../../src/providers/openai-responses.ts';
import { createHandClock, type HandClock } from './hand-clock.ts';
import { API_KEY, TIMEOUTS } from './provider-run.ts';
import { createRecordingSink } from './recording-sink.ts';
import { REQUEST } from './sample-request.ts';

/*
 * The adapters against a server that somebody else wrote, so that adapter and server can't share one misreading. Where a
 * clock matters it is ours; the server's own waits are longer than any test.
 */

type Make = (origin: string, clock: HandClock) => Provider;

/** Every adapter with a wire of its own. */
const ADAPTERS: Readonly<Record<string, Make>> = {
  anthropic: (baseUrl, clock) => createAnthropicProvider({ apiKey: API_KEY, baseUrl, clock, timeouts: TIMEOUTS }),
  'openai, chat': (origin, clock) =>
    createOpenaiProvider({ apiKey: API_KEY, baseUrl: `${origin}/v1`, clock, timeouts: TIMEOUTS }),
  'openai, responses': (origin, clock) =>
    createOpenaiResponsesProvider({ apiKey: API_KEY, baseUrl: `${origin}/v1`, clock, timeouts: TIMEOUTS }),
  gemini: (baseUrl, clock) => createGeminiProvider({ apiKey: API_KEY, baseUrl, clock, timeouts: TIMEOUTS }),
};

/** Rows of the suite that this server cannot serve, why, and the test that serves them on the loopback server. */
const NOT_SERVED: readonly (readonly [row: string, reason: string, loopbackTest: string])[] = [
  [
    'cache counts',
    'it has no fields for tokens read from and written to a cache',
    'usage has all input, what of it came from and went into the cache, and the output',
  ],
  [
    'a connection that is closed cleanly in mid-text',
    'it only destroys connections',
    'a stream that breaks in mid-text',
  ],
  [
    'a tool call of Gemini that is cut',
    'it writes those in one piece',
    'a tool input %s (rest of the answer sent: %s) is refused',
  ],
  ['an error event within a stream', 'its errors are HTTP answers', 'an error event within the stream'],
];

const FOREVER_MS = 25_000;
const WORDS = 'The quick brown fox jumps over the lazy dog.';
// Other ids than those of the sample conversation.
const READ = { id: 'call_3', name: 'read', arguments: '{"path": "a.txt"}' };
const LIST = { id: 'call_4', name: 'list', arguments: '{}' };

describe.each(Object.entries(ADAPTERS))('%s', (name, make) => {
  test('text, streamed in pieces, with usage', async () => {
    const usage = { prompt_tokens: 120, input_tokens: 120, completion_tokens: 30, output_tokens: 30 };
    await using run = await start(make, { content: WORDS, usage }, { chunkSize: 7 });
    expect(await run.sink.ended).toMatchObject({
      done: { text: WORDS, finishReason: 'stop', usage: { inputTokens: 120, outputTokens: 30 } },
    });
    expect(run.sink.text()).toBe(WORDS);
    expect(run.sink.chunks.length).toBeGreaterThan(5);
  });

  test('reasoning is a stream of its own', async () => {
    await using run = await start(make, { content: WORDS, reasoning: 'I think.' });
    expect(await run.sink.ended).toMatchObject({ done: { text: WORDS } });
    const thoughts = run.sink.chunks.flatMap((chunk) => (chunk.type === 'reasoning' ? [chunk.text] : []));
    expect(thoughts.join('')).toBe('I think.');
  });

  test('two tool calls at once', async () => {
    await using run = await start(make, { toolCalls: [READ, LIST] });
    expect(await run.sink.ended).toMatchObject({
      done: {
        finishReason: 'tool_calls',
        toolCalls: [
          { id: READ.id, name: 'read', input: { path: 'a.txt' } },
          { id: LIST.id, name: 'list', input: {} },
        ],
      },
    });
  });

  test('a tool loop: the call, and its result taken for one', async () => {
    await using server = await serve();
    server.mock.on({ hasToolResult: false }, { toolCalls: [READ] });
    // Gemini's calls have no ids here.
    const answered = name === 'gemini' ? {} : { toolCallId: READ.id };
    server.mock.on({ ...answered, toolResultContains: 'alpha' }, { content: 'It says alpha.' });
    const provider = make(server.mock.url, createHandClock());
    const question: ModelRequest = { ...REQUEST, messages: [{ role: 'user', text: 'What does a.txt say?' }] };
    const first = await call(provider, question).ended;
    if ('failed' in first) throw new Error(first.failed.message);
    const { text, toolCalls } = first.done;
    const messages: ModelRequest['messages'] = [
      ...question.messages,
      { role: 'assistant', text, toolCalls },
      { role: 'tool', callId: toolCalls[0]?.id ?? '', text: 'alpha', isError: false },
    ];
    expect(await call(provider, { ...question, messages }).ended).toMatchObject({ done: { text: 'It says alpha.' } });
  });

  test.each([
    [429, 'rate_limit_error', { 'retry-after': '7' }],
    [500, 'api_error', {}],
    [529, 'overloaded_error', {}],
  ])('HTTP %i, once', async (status, type, headers) => {
    await using run = await start(make, { error: { type, message: `no: ${type}` }, status, retryAfter: 7 });
    expect(await run.sink.ended).toMatchObject({ failed: { statusCode: status, type, headers } });
    expect(run.mock.getRequests()).toHaveLength(1);
  });

  test('a slow first byte', async () => {
    await using run = await start(make, { content: WORDS }, { latency: FOREVER_MS });
    await until(() => run.mock.getRequests().length > 0);
    run.clock.advance(TIMEOUTS.firstByteMs);
    expect(await run.sink.ended).toMatchObject({ failed: { code: 'first_byte_timeout' } });
  });

  test('a stall in mid-stream', async () => {
    await using run = await start(make, { content: WORDS }, stalling(6));
    await run.sink.begun;
    run.clock.advance(TIMEOUTS.idleMs);
    expect(await run.sink.ended).toMatchObject({ failed: { code: 'idle_timeout' } });
  });

  test('abort in mid-stream', async () => {
    await using run = await start(make, { content: WORDS }, stalling(6));
    await run.sink.begun;
    run.call.abort();
    await until(() => run.clock.pending() === 0);
    expect(run.sink.ends).toEqual([]);
  });

  test.each<[string, FixtureOpts]>([
    ['a reset in mid-text', { truncateAfterChunks: 6, chunkSize: 2 }],
    ['a reset before the answer', { chaos: { disconnectRate: 1 } }],
  ])('%s', async (_title, options) => {
    await using run = await start(make, { content: WORDS }, options);
    expect(await run.sink.ended).toMatchObject({ failed: { type: 'ConnectionError' } });
  });

  test('garbage', async () => {
    await using run = await start(make, { content: WORDS }, { chaos: { malformedRate: 1 } });
    expect(await run.sink.ended).toMatchObject({
      failed: { type: 'InvalidResponseError', code: 'not_an_event_stream' },
    });
  });

  test('a line of 20 MB', async () => {
    const content = 'x'.repeat(20 * 1024 * 1024);
    await using run = await start(make, { content }, { chunkSize: content.length });
    expect(await run.sink.ended).toMatchObject({ failed: { code: 'answer_too_large' } });
  });
});

const IN_PIECES = Object.entries(ADAPTERS).filter(([name]) => name !== 'gemini');

test.each(IN_PIECES)('%s: a tool call that is cut', async (_name, make) => {
  const toolCalls = [{ ...READ, arguments: JSON.stringify({ path: 'a'.repeat(200) }) }];
  await using run = await start(make, { toolCalls }, { truncateAfterChunks: 6, chunkSize: 4 });
  expect(await run.sink.ended).toMatchObject({ failed: { type: 'ConnectionError' } });
});

test.each(NOT_SERVED)('%s (%s) is shown on the loopback server', (_row, _reason, loopbackTest) => {
  const suite = readFileSync(new URL('./provider.ts', import.meta.url), 'utf8');
  expect(suite).toContain(`'${loopbackTest}`);
});

/** Some pieces at once, the next never. */
function stalling(pieces: number): FixtureOpts {
  const interChunkDelaysMs = Array.from({ length: 100 }, (_, at) => (at < pieces ? 0 : FOREVER_MS));
  return { chunkSize: 2, recordedTimings: { ttftMs: 0, interChunkDelaysMs, totalDurationMs: FOREVER_MS } };
}

async function serve() {
  const mock = new LLMock({ port: 0, host: '127.0.0.1' });
  await mock.start();
  return { mock, [Symbol.asyncDispose]: () => mock.stop() };
}

/** A server that always answers so, and a call of it. */
async function start(make: Make, response: FixtureResponse, options: FixtureOpts = {}) {
  const server = await serve();
  server.mock.addFixture({ match: {}, response, ...options });
  const clock = createHandClock();
  const sink = createRecordingSink();
  return { ...server, clock, sink, call: make(server.mock.url, clock).call(REQUEST, sink) };
}

function call(provider: Provider, request: ModelRequest) {
  const sink = createRecordingSink();
  provider.call(request, sink);
  return sink;
}

async function until(done: () => boolean): Promise<void> {
  while (!done()) await new Promise((resolve) => setImmediate(resolve));
}

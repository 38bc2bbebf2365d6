import { expect, test } from 'vitest';
import { createHandClock } from '../../test/conformance/hand-clock.ts';
import { createRecordingSink } from '../../test/conformance/recording-sink.ts';
import { REQUEST } from '../../test/conformance/sample-request.ts';
import { AnthropicAnswer } from './anthropic-answer.ts';
import { createCloser } from './close-in-slices.ts';
import { OpenaiAnswer } from './openai-answer.ts';
import { OpenaiResponsesAnswer } from './openai-responses-answer.ts';
import { startStreamedCall } from './streamed-call.ts';
import { DEFAULT_TIMEOUTS } from './watchdog.ts';

const ANSWER = 'data: {"choices":[{"index":0,"delta":{"content":"Hi"},"finish_reason":"stop"}]}\n\n';

type AnyAssembler = Parameters<typeof startStreamedCall>[0]['assembler'];
const openai: AnyAssembler = (chunk) => new OpenaiAnswer({ request: REQUEST, chunk });

const responses: AnyAssembler = (chunk) => new OpenaiResponsesAnswer({ request: REQUEST, chunk, carryName: 'x' });

const messages: AnyAssembler = (chunk) => new AnthropicAnswer({ request: REQUEST, chunk, carryName: 'x' });

const frames = (...events: readonly object[]): string =>
  events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');
const CLAUDE = frames(
  { type: 'message_start', message: { usage: { input_tokens: 1, output_tokens: 1 } } },
  { type: 'content_block_start', index: 0, content_block: { type: 'text', text: 'Hi' } },
  { type: 'content_block_stop', index: 0 },
  { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 2 } },
  { type: 'message_stop' },
);
const RESPONSES = frames(
  { type: 'response.output_text.delta', output_index: 0, delta: 'Hi' },
  { type: 'response.completed', response: { status: 'completed' } },
);

/** A call that is opened as it is told. */
function open(how: (signal: AbortSignal) => Promise<Response>) {
  const clock = createHandClock();
  const sink = createRecordingSink();
  const scope = { sink, clock, timeouts: DEFAULT_TIMEOUTS, closeSoon: createCloser() };
  return { clock, sink, call: startStreamedCall({ open: how, assembler: openai, secret: undefined }, scope) };
}

const SENT = { inputTokens: REQUEST.inputTokens, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };
const failing = (fields: object) => async (): Promise<Response> => {
  throw Object.assign(new Error('fetch failed'), fields);
};
const answering = (body: string, type: string) => async (): Promise<Response> =>
  new Response(body, { headers: { 'content-type': type } });

test.each<[string, () => Promise<Response>]>([
  ['whose connection broke', failing({ cause: { code: 'ECONNRESET' } })],
  ['whose connection was closed', failing({ code: 'UND_ERR_SOCKET' })],
  ['whose stream has nothing in it', answering('', 'text/event-stream')],
  ['that was answered in one piece', answering('{"choices":[]}', 'application/json')],
  ['whose answer was too large', failing({ name: 'InvalidResponseError', code: 'answer_too_large' })],
])('a call %s before an event of its answer has used what was sent', async (_title, how) => {
  expect(await open(how).sink.ended).toMatchObject({ failed: { usage: SENT } });
});

test('so has one that waited in vain, or was aborted', async () => {
  const never = (): Promise<Response> => new Promise(() => undefined);
  const { clock, sink } = open(never);
  clock.advance(DEFAULT_TIMEOUTS.firstByteMs);
  expect(await sink.ended).toMatchObject({ failed: { code: 'first_byte_timeout', usage: SENT } });
  expect(open(never).call.abort()).toEqual(SENT);
});

test.each<[string, () => Promise<Response>]>([
  ['was refused', failing({ status: 429, error: { type: 'rate_limit_error', message: 'no' } })],
  ['was refused in a stream', answering('data: {"error":{"type":"overloaded_error"}}\n\n', 'text/event-stream')],
  ['was answered by somebody else', answering('<html>', 'text/html; charset=utf-8')],
  ['nobody took', failing({ cause: { code: 'ECONNREFUSED' } })],
  ['found no server', failing({ cause: { code: 'ENOTFOUND' } })],
  ['could not be made', failing({ name: 'TypeError', message: 'x is not a function' })],
])('a call that %s has used nothing', async (_title, how) => {
  const end = await open(how).sink.ended;
  expect('failed' in end && end.failed.usage).toBeUndefined();
});

/** A call whose answer is written by hand. */
function begin(assembler: AnyAssembler = openai, idleMs = 60_000) {
  const clock = createHandClock();
  const sink = createRecordingSink();
  const body = new TransformStream<Uint8Array, Uint8Array>();
  const writer = body.writable.getWriter();
  const timeouts = { firstByteMs: 60_000, idleMs, totalMs: 600_000 };
  startStreamedCall(
    {
      open: async (signal) => {
        signal.addEventListener('abort', () => void writer.abort(signal.reason));
        return new Response(body.readable, { headers: { 'content-type': 'text/event-stream' } });
      },
      assembler,
      secret: undefined,
    },
    { sink, clock, timeouts, closeSoon: createCloser() },
  );
  return { clock, sink, writer, write: (text: string) => writer.write(new TextEncoder().encode(text)) };
}

test('an answer is there when its body ends', async () => {
  const { clock, sink, write, writer } = begin();
  await write(ANSWER);
  await sink.begun;
  expect(sink.ends).toEqual([]);
  await writer.close();
  expect(await sink.ended).toMatchObject({ done: { text: 'Hi' } });
  expect(clock.pending()).toBe(0);
});

test.each<[string, AnyAssembler, string]>([
  ['Chat Completions', openai, `${ANSWER}data: [DONE]\n\n`],
  ['Responses', responses, RESPONSES],
  ['Messages', messages, CLAUDE],
])(
  "a connection that stays open after %s' last word is waited for a second, not for the idle limit",
  async (...given) => {
    const [, assembler, answer] = given;
    const { clock, sink, write } = begin(assembler);
    await write(answer);
    await sink.begun;
    clock.advance(999);
    expect(sink.ends).toEqual([]);
    clock.advance(1);
    expect(await sink.ended).toMatchObject({ done: { text: 'Hi' } });
    expect(sink.ends).toHaveLength(1);
  },
);

test("a provider's last word that comes again and again keeps nobody waiting", async () => {
  const { clock, sink, write } = begin();
  await write(`${ANSWER}data: [DONE]\n\n`);
  await sink.begun;
  clock.advance(600);
  await write('data: [DONE]\n\n');
  // It is taken when the one before it has been read.
  await write('data: [DONE]\n\n');
  expect(sink.ends).toEqual([]);
  clock.advance(400);
  expect(await sink.ended).toMatchObject({ done: { text: 'Hi' } });
  expect(clock.pending()).toBe(0);
});

test("a connection that breaks after the provider's last word breaks nothing", async () => {
  const { clock, sink, write, writer } = begin();
  await write(`${ANSWER}data: [DONE]\n\n`);
  await sink.begun;
  await writer.abort(new TypeError('terminated'));
  expect(await sink.ended).toMatchObject({ done: { text: 'Hi' } });
  expect(clock.pending()).toBe(0);
});

test('over Responses a model may think in silence until it speaks, and no longer', async () => {
  const { clock, sink, write } = begin(responses, 20_000);
  await write(frames({ type: 'response.created' }));
  // It is taken when the one before it has been read.
  await write(frames({ type: 'response.output_item.added', output_index: 0, item: { type: 'reasoning' } }));
  clock.advance(59_999);
  expect(sink.ends).toEqual([]);
  await write(frames({ type: 'response.output_text.delta', output_index: 0, delta: 'Hi' }));
  await sink.begun;
  clock.advance(19_999);
  expect(sink.ends).toEqual([]);
  clock.advance(1);
  expect(await sink.ended).toMatchObject({ failed: { code: 'idle_timeout' } });
});

test('the last word alone makes no answer', async () => {
  const { sink, write, writer } = begin();
  await write('data: [DONE]\n\n');
  await writer.close();
  expect(await sink.ended).toMatchObject({ failed: { code: 'stream_incomplete' } });
});

test.each<[string, AnyAssembler, object]>([
  ['{id, choices}', openai, { id: 'x', choices: [{ delta: { tool_calls: {} } }] }],
  ['{choices}', openai, { choices: [{ delta: { tool_calls: [{ function: { arguments: {} } }] } }] }],
  ['response.completed', responses, { type: 'response.completed' }],
  ['response.output_text.delta', responses, { type: 'response.output_text.delta', output_index: 0 }],
  ['content_block_start', messages, { type: 'content_block_start', index: 0 }],
])('JSON that is no event is garbage: %s', async (name, assembler, event) => {
  const { sink, write } = begin(assembler);
  await write(frames(event));
  const end = await sink.ended;
  expect(end).toMatchObject({ failed: { type: 'ConnectionError', code: 'stream_incomplete' } });
  expect('failed' in end && end.failed.message).toContain(`the event ${name} is of a form that nobody knows (`);
});

test('what the hearer of a call throws is none of its stream', async () => {
  const sink = createRecordingSink();
  const deaf = {
    ...sink,
    chunk: () => {
      throw new TypeError('x is not a function');
    },
  };
  const scope = { sink: deaf, clock: createHandClock(), timeouts: DEFAULT_TIMEOUTS, closeSoon: createCloser() };
  startStreamedCall({ open: answering(ANSWER, 'text/event-stream'), assembler: openai, secret: undefined }, scope);
  expect(await sink.ended).toMatchObject({ failed: { type: 'InternalError', message: 'x is not a function' } });
});

test('an event that nobody knows breaks nothing behind the last word', async () => {
  const { sink, write, writer } = begin();
  await write(`${ANSWER}data: [DONE]\n\n`);
  await write(frames({ choices: [{ delta: { tool_calls: {} } }] }));
  await sink.begun;
  await writer.close().catch(() => undefined);
  expect(await sink.ended).toMatchObject({ done: { text: 'Hi' } });
});

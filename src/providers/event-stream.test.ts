import { describe, expect, test } from 'vitest';
import { describeThrown } from './call-failure.ts';
import { readEventStream } from './event-stream.ts';

const EVENTS = { 'content-type': 'text/event-stream' };

async function read(body: string | ReadableStream, headers: Readonly<Record<string, string>> = EVENTS) {
  const events: unknown[] = [];
  const seen = { pieces: 0, ending: 0 };
  const fault = await readEventStream(new Response(body, { headers }), {
    alive: () => (seen.pieces += 1),
    push: (event) => void events.push(event),
    ending: () => (seen.ending += 1),
    describe: describeThrown,
  });
  return { events, fault, ...seen };
}

test('events are parsed, characters that are cut in two included', async () => {
  const bytes = new TextEncoder().encode('data: {"text":"wörld 🌍"}\n\ndata: [DONE]\n\n');
  const body = ReadableStream.from([...bytes].map((byte) => new Uint8Array([byte])));
  expect(await read(body)).toEqual({
    events: [{ text: 'wörld 🌍' }],
    fault: undefined,
    pieces: bytes.length,
    ending: 1,
  });
});

test('an event keeps the digits of its numbers: an id in a call may have more than a number can hold', async () => {
  const { events } = await read('data: {"args":{"id":1234567890123456789,"n":1.50}}\n\n');
  expect(events).toEqual([{ args: { id: '1234567890123456789', n: 1.5 } }]);
});

test.each<[string, string, object]>([
  ['by its name', 'event: error\ndata: {"type":"overloaded_error","message":"no"}\n\n', { statusCode: 529 }],
  [
    'in a field',
    'data: {"error":{"type":"server_error","message":"no"}}\n\n',
    { type: 'server_error', statusCode: 500 },
  ],
  [
    'in its type',
    'data: {"type":"error","code":null,"message":"no","param":null}\n\n',
    { type: 'server_error', statusCode: 500 },
  ],
  [
    'both',
    'event: error\ndata: {"type":"error","error":{"type":"rate_limit_error","message":"no"}}\n\n',
    { type: 'rate_limit_error', statusCode: 429 },
  ],
])('an event is an error %s', async (_title, body, expected) => {
  const { events, fault } = await read(`data: {"a":1}\n\n${body}data: {"b":2}\n\n`);
  expect(fault).toMatchObject({ message: 'no', ...expected });
  expect(events).toEqual([{ a: 1 }]);
});

test.each<[string, string, object]>([
  ['at the end', '{"error":{"type":"server_error","message":"no"}}', { type: 'server_error', statusCode: 500 }],
  [
    'over several lines',
    '{\n "error": {\n  "code": "429",\n  "message": "no"\n }\n}\n\ndata: {"b":2}\n\n',
    { statusCode: 429 },
  ],
  ['in its type', '{"type":"error","code":null,"message":"no"}\n', { type: 'server_error', statusCode: 500 }],
])('an error between events is the failure: %s', async (_title, body, expected) => {
  const { events, fault } = await read(`data: {"a":1}\n\n${body}`);
  expect(fault).toMatchObject({ message: 'no', ...expected });
  expect(events).toEqual([{ a: 1 }]);
});

test.each(['{"a":1}\ndata: {"b":2}\n\n', '{"error":null}\ndata: {"b":2}\n\n', '{a}: 1\ndata: {"b":2}\n\n'])(
  'what else stands between events is passed over: %j',
  async (body) => {
    expect(await read(body)).toMatchObject({ events: [{ b: 2 }], fault: undefined });
  },
);

test.each<[string, string, object]>([
  ['an event that is nothing', 'data: null\n\n', { type: 'ConnectionError', code: 'stream_incomplete' }],
  ['an error that is a text', 'data: {"error":"overloaded"}\n\n', { type: 'ConnectionError', message: 'overloaded' }],
])('%s breaks the stream, and may be tried again', async (_title, body, expected) => {
  expect((await read(body)).fault).toMatchObject(expected);
});

test('an error that is null is none', async () => {
  expect(await read('data: {"error":null}\n\n')).toMatchObject({ events: [{ error: null }], fault: undefined });
});

describe('the type of an answer', () => {
  test.each([
    ['text/event-stream; charset=utf-8'],
    ['TEXT/EVENT-STREAM'],
    ['text/plain'],
    ['application/octet-stream'],
  ])('%s is read', async (type) => {
    expect(await read('data: 1\n\n', { 'content-type': type })).toMatchObject({ events: [1], fault: undefined });
  });

  test.each([['text/html'], ['application/json'], ['application/problem+json; charset=utf-8'], ['image/png']])(
    '%s is refused unread',
    async (type) => {
      const { fault, pieces } = await read('data: 1\n\n', { 'content-type': type });
      expect(fault).toMatchObject({ type: 'InvalidResponseError', code: 'not_an_event_stream' });
      expect(fault?.message).toContain(type.split(';')[0]);
      expect(pieces).toBe(0);
    },
  );
});

import { expect, test } from 'vitest';
import { createHandClock } from '../../test/conformance/hand-clock.ts';
import { createRecordingSink } from '../../test/conformance/recording-sink.ts';
import { REQUEST } from '../../test/conformance/sample-request.ts';
import { createCloser } from './close-in-slices.ts';
import { OpenaiAnswer } from './openai-answer.ts';
import { startStreamedCall } from './streamed-call.ts';

const ANSWER = 'data: {"choices":[{"index":0,"delta":{"content":"Hi"},"finish_reason":"stop"}]}\n\n';

/** A call whose answer is written by hand. */
function begin() {
  const clock = createHandClock();
  const sink = createRecordingSink();
  const body = new TransformStream<Uint8Array, Uint8Array>();
  const writer = body.writable.getWriter();
  const timeouts = { firstByteMs: 60_000, idleMs: 60_000, totalMs: 600_000 };
  startStreamedCall(
    {
      open: async (signal) => {
        signal.addEventListener('abort', () => void writer.abort(signal.reason));
        return new Response(body.readable, { headers: { 'content-type': 'text/event-stream' } });
      },
      assembler: (chunk) => new OpenaiAnswer(REQUEST, chunk),
      secret: undefined,
    },
    { sink, clock, timeouts, closeSoon: createCloser(clock) },
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

test("a connection that stays open after the provider's last word is waited for a second, not for the idle limit", async () => {
  const { clock, sink, write } = begin();
  await write(`${ANSWER}data: [DONE]\n\n`);
  await sink.begun;
  clock.advance(999);
  expect(sink.ends).toEqual([]);
  clock.advance(1);
  expect(await sink.ended).toMatchObject({ done: { text: 'Hi' } });
  expect(sink.ends).toHaveLength(1);
});

test("a connection that breaks after the provider's last word breaks nothing", async () => {
  const { clock, sink, write, writer } = begin();
  await write(`${ANSWER}data: [DONE]\n\n`);
  await sink.begun;
  await writer.abort(new TypeError('terminated'));
  expect(await sink.ended).toMatchObject({ done: { text: 'Hi' } });
  expect(clock.pending()).toBe(0);
});

test('the last word alone makes no answer', async () => {
  const { sink, write, writer } = begin();
  await write('data: [DONE]\n\n');
  await writer.close();
  expect(await sink.ended).toMatchObject({ failed: { code: 'stream_incomplete' } });
});

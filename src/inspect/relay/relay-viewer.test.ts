import { describe, expect, test } from 'vitest';
import { createHandClock } from '../../../test/conformance/hand-clock.ts';
import { MAX_MESSAGE_BYTES, MAX_NEWS_BYTES, type InspectionMessage } from '../../core/inspection.ts';
import { createRelayViewer, MAX_WAITING_BYTES, type RelayViewer } from './relay-viewer.ts';
import { createRelayViewers } from './relay-viewers.ts';

/** A connection whose other end takes what it is told to. */
function handSocket() {
  const texts: string[] = [];
  const waiting: { readonly bytes: number; readonly done: (error?: Error) => void }[] = [];
  return {
    texts,
    get bufferedAmount() {
      return waiting.reduce((sum, { bytes }) => sum + bytes, 0);
    },
    send(text: string, done: (error?: Error) => void) {
      texts.push(text);
      waiting.push({ bytes: Buffer.byteLength(text), done });
    },
    take() {
      for (let next = waiting.shift(); next; next = waiting.shift()) next.done();
    },
    parsed: () => texts.map((text) => JSON.parse(text) as Record<string, unknown>),
  };
}

function message(bytes: number, n = 0): InspectionMessage {
  return { text: JSON.stringify({ n, fill: 'x'.repeat(bytes) }) };
}

function viewer(): {
  readonly socket: ReturnType<typeof handSocket>;
  readonly viewer: RelayViewer;
  readonly caughtUp: number[];
} {
  const socket = handSocket();
  const caughtUp: number[] = [];
  const made = createRelayViewer({ socket, clock: createHandClock(), caughtUp: () => caughtUp.push(1) });
  return { socket, viewer: made, caughtUp };
}

describe('A viewer of the relay', () => {
  test('gets what it is sent, in order, with definitions where they belong', () => {
    const { socket, viewer: it } = viewer();
    it.send({ text: '{"a":1}', definition: JSON.stringify('{"id":"m"}') });
    it.send({ text: '{"b":2}' });
    socket.take();
    expect(socket.parsed().slice(1)).toEqual([{ a: 1, definition: '{"id":"m"}' }, { b: 2 }]);
    expect([it.counts, it.isServed()]).toEqual([{ sent: 3, dropped: 0 }, true]);
  });

  test('that never reads has a mebibyte waiting at most, and the rest is dropped and counted', () => {
    const { socket, viewer: it, caughtUp } = viewer();
    for (let n = 0; n < 2_000; n++) it.send({ ...message(1_000, n), definition: `"${'d'.repeat(8_000)}"` });
    expect(socket.bufferedAmount).toBeLessThan(80_000);
    expect(it.counts.dropped).toBeGreaterThan(1_000);
    const kept = socket.bufferedAmount + (2_000 - it.counts.dropped - it.counts.sent) * 1_020;
    expect(kept).toBeLessThanOrEqual(MAX_WAITING_BYTES);
    expect(caughtUp).toEqual([]);
  });

  test('that reads again gets what waited, then how much it has missed, and is told all anew', () => {
    const { socket, viewer: it, caughtUp } = viewer();
    for (let n = 0; n < 1_000; n++) it.send(message(2_000, n));
    const { dropped } = it.counts;
    while (!it.isServed()) socket.take();
    const last = socket.parsed().at(-1);
    expect(last).toMatchObject({
      type: '@xstate.snapshot',
      sessionId: 'relay',
      event: { type: 'DROPPED', messages: dropped },
      snapshot: { context: { dropped } },
    });
    const numbers = socket.parsed().flatMap(({ n }) => (typeof n === 'number' ? [n] : []));
    expect(numbers).toEqual(Array.from({ length: 1_000 - dropped }, (_, n) => n));
    expect(caughtUp).toHaveLength(1);
    it.send(message(10, 7));
    expect(socket.parsed().at(-1)).toMatchObject({ n: 7 });
  });

  test('misses nothing of news that are as long as they may be, with their definition', () => {
    const { viewer: it } = viewer();
    it.send({ ...message(MAX_NEWS_BYTES), definition: `"${'d'.repeat(MAX_MESSAGE_BYTES - MAX_NEWS_BYTES)}"` });
    expect(it.counts).toEqual({ sent: 2, dropped: 0 });
  });
});

test('All is told again to a viewer that has missed something, but once in two seconds at most', () => {
  const clock = createHandClock();
  let told = 0;
  let left = 0;
  const viewers = createRelayViewers({ clock, tellAll: () => told++, left: () => left++ });
  const socket = handSocket();
  const leave = viewers.add(socket);
  expect(told).toBe(1);
  for (let round = 0; round < 3; round++) {
    for (let n = 0; n < 1_000; n++) viewers.send(message(2_000, n));
    for (let n = 0; n < 100; n++) socket.take();
  }
  clock.advance(1_999);
  expect(told).toBe(1);
  clock.advance(1);
  expect([told, clock.pending()]).toEqual([2, 0]);
  const { sent, dropped } = viewers.counts();
  leave();
  leave();
  expect([left, viewers.counts()]).toEqual([1, { viewers: 0, sent, dropped }]);
});

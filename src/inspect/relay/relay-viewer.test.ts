import { describe, expect, test } from 'vitest';
import { createHandClock } from '../../../test/conformance/hand-clock.ts';
import { MAX_MESSAGE_BYTES, MAX_NEWS_BYTES, type ActorEnd, type InspectionMessage } from '../../core/inspection.ts';
import { createRelayViewer, MAX_WAITING_BYTES, type RelayViewer } from './relay-viewer.ts';
import { createRelayViewers, type RelayViewers } from './relay-viewers.ts';

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
  return { sessionId: 'worker-0:x:1', text: JSON.stringify({ n, fill: 'x'.repeat(bytes) }) };
}

const END: ActorEnd = { event: 'MISSED', status: 'done', value: 'completed' };

/** That an actor is there, with a definition of this length. */
function announcing(sessionId: string, { fill = 0, definition = 10 } = {}): InspectionMessage {
  return {
    sessionId,
    text: JSON.stringify({ is: 'there', sessionId, fill: 'x'.repeat(fill) }),
    announces: {
      rootId: `${sessionId.split(':')[0]}:x:0`,
      definition: JSON.stringify('d'.repeat(definition)),
      again: JSON.stringify({ is: 'still there', sessionId }),
    },
  };
}

/** More than may wait for one. */
function flood(to: Pick<RelayViewers, 'send'>): void {
  for (let n = 0; n < 1_000; n++) to.send(message(2_000, n));
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
    it.send(announcing('a', { definition: 2 }));
    it.send({ sessionId: 'a', text: '{"b":2}' });
    socket.take();
    expect(socket.parsed().slice(1)).toEqual([{ is: 'there', sessionId: 'a', fill: '', definition: 'dd' }, { b: 2 }]);
    expect([it.counts, it.isServed()]).toEqual([{ sent: 3, dropped: 0 }, true]);
  });

  test('that never reads has a mebibyte waiting at most, and the rest is dropped and counted', () => {
    const { socket, viewer: it, caughtUp } = viewer();
    for (let n = 0; n < 2_000; n++) it.send(announcing(`${n}`, { fill: 960, definition: 8_000 }));
    expect(socket.bufferedAmount).toBeLessThan(80_000);
    expect(it.counts.dropped).toBeGreaterThan(1_000);
    const kept = socket.bufferedAmount + (2_000 - it.counts.dropped - it.counts.sent) * 1_020;
    expect(kept).toBeLessThanOrEqual(MAX_WAITING_BYTES);
    expect(caughtUp).toEqual([]);
  });

  test('that reads again gets what waited, then how much it has missed, and is told all anew', () => {
    const { socket, viewer: it, caughtUp } = viewer();
    flood(it);
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
    it.send(announcing('a', { fill: MAX_NEWS_BYTES, definition: MAX_MESSAGE_BYTES - MAX_NEWS_BYTES }));
    expect(it.counts).toEqual({ sent: 2, dropped: 0 });
  });
});

describe('Of an actor that a viewer of the relay knows, it is told', () => {
  test('how it stands, and not again what it is', () => {
    const { socket, viewer: it } = viewer();
    it.send(announcing('a'));
    it.send(announcing('a'));
    socket.take();
    expect(socket.parsed().slice(2)).toEqual([{ is: 'still there', sessionId: 'a' }]);
  });

  test('that it has ended, though that was dropped', () => {
    const { socket, viewer: it } = viewer();
    for (const id of ['host:a', 'host:b', 'host:c']) it.send(announcing(id));
    it.send({ sessionId: 'host:a', text: '{"end":"a"}', end: END });
    flood(it);
    it.send({ sessionId: 'host:b', text: '{"end":"b"}', end: END });
    it.send(announcing('host:d'));
    it.send({ sessionId: 'host:d', text: '{"end":"d"}', end: END });
    while (!it.isServed()) socket.take();
    const missed = socket.parsed().filter(({ event }) => (event as { type?: string } | undefined)?.type === 'MISSED');
    expect(missed).toEqual([
      expect.objectContaining({
        type: '@xstate.snapshot',
        sessionId: 'host:b',
        rootId: 'host:x:0',
        snapshot: { status: 'done', value: 'completed' },
      }),
    ]);
    expect(socket.parsed()).toContainEqual({ end: 'a' });
  });

  test('that its worker is gone, and with it all that were there and have not ended', () => {
    const { socket, viewer: it } = viewer();
    for (const id of ['worker-1:a', 'worker-1:b', 'worker-10:a']) it.send(announcing(id));
    it.send({ sessionId: 'worker-1:b', text: '{"end":"b"}', end: END });
    it.lost('worker-1');
    socket.take();
    expect(socket.parsed().slice(5)).toMatchObject([
      { sessionId: 'worker-1:a', event: { type: 'WORKER_LOST' }, snapshot: { status: 'stopped' } },
    ]);
    it.lost('worker-1');
    expect(it.isServed()).toBe(true);
  });

  test('of ten thousand endings that it has missed, a few at a time', () => {
    const { socket, viewer: it, caughtUp } = viewer();
    const ids = Array.from({ length: 10_000 }, (_, n) => `host:${n}`);
    for (const id of ids) {
      it.send(announcing(id));
      socket.take();
    }
    flood(it);
    for (const sessionId of ids) it.send({ sessionId, text: '{}', end: END });
    let most = 0;
    while (!it.isServed()) {
      socket.take();
      most = Math.max(most, socket.bufferedAmount);
    }
    const told = socket.texts.filter((text) => text.includes('"MISSED"')).length;
    expect([told, most < 80_000, caughtUp.length]).toEqual([10_000, true, 1]);
  });
});

describe('All is told again', () => {
  /** Viewers on a hand-driven clock; `told`: when everything was told. */
  function open() {
    const clock = createHandClock();
    const told: number[] = [];
    let left = 0;
    const viewers = createRelayViewers({ clock, tellAll: () => told.push(clock.now()), left: () => left++ });
    return { clock, told, viewers, left: () => left };
  }

  /** It misses something, and takes what waited for it. */
  function fallBehind(viewers: RelayViewers, socket: ReturnType<typeof handSocket>): void {
    flood(viewers);
    for (let n = 0; n < 100; n++) socket.take();
  }

  test('to a viewer that has missed something, two seconds after it has taken what waited for it', () => {
    const { clock, told, viewers, left } = open();
    const socket = handSocket();
    const leave = viewers.add(socket);
    flood(viewers);
    clock.advance(10_000);
    expect([told, clock.pending()]).toEqual([[0], 0]);
    for (let n = 0; n < 100; n++) socket.take();
    clock.advance(1_999);
    expect(told).toEqual([0]);
    clock.advance(1);
    expect([told, clock.pending()]).toEqual([[0, 12_000], 0]);
    const { sent, dropped } = viewers.counts();
    leave();
    leave();
    expect([left(), viewers.counts()]).toEqual([1, { viewers: 0, sent, dropped }]);
  });

  test('ever more seldom to one that goes on missing something, and soon again after a calm time', () => {
    const { clock, told, viewers } = open();
    const socket = handSocket();
    viewers.add(socket);
    const waits = Array.from({ length: 8 }, () => {
      fallBehind(viewers, socket);
      const from = clock.now();
      while (clock.pending() > 0) clock.advance(1_000);
      return clock.now() - from;
    });
    expect(waits).toEqual([2_000, 4_000, 8_000, 16_000, 32_000, 64_000, 64_000, 64_000]);
    expect(told).toHaveLength(9);
    clock.advance(64_001);
    fallBehind(viewers, socket);
    clock.advance(2_000);
    expect(told).toHaveLength(10);
  });

  test('once for all that have missed something by then', () => {
    const { clock, told, viewers } = open();
    const sockets = [handSocket(), handSocket()];
    for (const socket of sockets) viewers.add(socket);
    flood(viewers);
    for (const socket of sockets) {
      for (let n = 0; n < 100; n++) socket.take();
      clock.advance(1_000);
    }
    expect([told, clock.pending()]).toEqual([[0, 0, 2_000], 0]);
  });

  test('to nobody who has left', () => {
    const { clock, told, viewers } = open();
    const socket = handSocket();
    viewers.add(handSocket());
    const leave = viewers.add(socket);
    fallBehind(viewers, socket);
    leave();
    expect([told, clock.pending()]).toEqual([[0, 0], 0]);
  });
});

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createHandPort, createHandTicks } from '../../test/fixtures/hand-port.ts';
import { createBatchedPort } from './batched-port.ts';

describe('A batched port that sends', () => {
  test('posts nothing before the end of the tick, and then one message with everything in order', () => {
    const { port, ticks, channel } = open();
    for (const text of ['a', 'b', 'c']) channel.send(text);
    expect(port.posted).toEqual([]);
    ticks.end();
    expect(port.posted).toEqual([['a', 'b', 'c']]);
  });

  test('posts once a tick', () => {
    const { port, ticks, channel } = open();
    channel.send('a');
    channel.send('b');
    expect(ticks.waiting()).toBe(1);
    ticks.end();
    channel.send('c');
    ticks.endAll();
    expect(port.posted).toEqual([['a', 'b'], ['c']]);
  });

  test('posts nothing in a tick in which nothing was said', () => {
    const { port, ticks, channel } = open();
    channel.flush();
    ticks.endAll();
    expect(port.posted).toEqual([]);
  });

  test('posts at once when flushed, and nothing twice', () => {
    const { port, ticks, channel } = open();
    channel.send('a');
    channel.flush();
    expect(port.posted).toEqual([['a']]);
    ticks.endAll();
    expect(port.posted).toEqual([['a']]);
  });

  test('still posts what is said between a flush and the end of the tick', () => {
    const { port, ticks, channel } = open();
    channel.send('a');
    channel.flush();
    channel.send('b');
    ticks.endAll();
    expect(port.posted).toEqual([['a'], ['b']]);
  });

  test('says its last before it closes', () => {
    const { port, channel } = open();
    channel.send('last');
    channel.close();
    expect(port.posted).toEqual([['last']]);
    expect(port.isClosed).toBe(true);
  });

  test('keeps the order of everything that is said, whenever it is flushed', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('send', 'flush', 'tick')), (steps) => {
        const { port, ticks, channel } = open();
        let sent = 0;
        for (const step of steps) {
          if (step === 'send') channel.send(String(sent++));
          else if (step === 'flush') channel.flush();
          else ticks.end();
        }
        ticks.endAll();
        expect(port.posted.flat()).toEqual(Array.from({ length: sent }, (_, index) => String(index)));
        expect(port.posted).not.toContainEqual([]);
      }),
    );
  });
});

describe('A batched port that receives', () => {
  test('hands over every message of a batch in order, in the same tick', () => {
    const { port, heard } = open();
    port.deliver(['a', 'b']);
    port.deliver([]);
    port.deliver(['c']);
    expect(heard).toEqual(['a', 'b', 'c']);
  });

  test('with slices, handles a batch that fits into one at once', () => {
    const { port, heard, ticks } = open({ sliceMs: 5, costMs: 0.1 });
    port.deliver(batch(0, 20));
    expect(heard).toHaveLength(20);
    expect(ticks.waiting()).toBe(0);
  });

  test('with slices, leaves the rest of a long batch to the next turn', () => {
    const { port, heard, ticks } = open({ sliceMs: 5, costMs: 1 });
    port.deliver(batch(0, 100));
    expect(heard.length).toBeGreaterThan(0);
    expect(heard.length).toBeLessThanOrEqual(32);
    const first = heard.length;
    ticks.end();
    expect(heard.length).toBeGreaterThan(first);
    expect(heard.length).toBeLessThanOrEqual(2 * first);
    ticks.endAll();
    expect(heard).toEqual(batch(0, 100));
  });

  test('with slices, does not let a later batch overtake an earlier one', () => {
    const { port, heard, ticks } = open({ sliceMs: 5, costMs: 1 });
    port.deliver(batch(0, 50));
    port.deliver(batch(50, 60));
    expect(heard.length).toBeLessThan(50);
    ticks.endAll();
    expect(heard).toEqual(batch(0, 60));
  });

  test('with slices, goes on at once with what comes after everything was handled', () => {
    const { port, heard, ticks } = open({ sliceMs: 5, costMs: 1 });
    port.deliver(batch(0, 40));
    ticks.endAll();
    port.deliver(batch(40, 41));
    expect(heard).toEqual(batch(0, 41));
  });

  test('with slices, keeps order and loses nothing whatever arrives when', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.nat({ max: 60 }), fc.constant('tick' as const))), (steps) => {
        const { port, heard, ticks } = open({ sliceMs: 3, costMs: 0.5 });
        let sent = 0;
        for (const step of steps) {
          if (step === 'tick') ticks.end();
          else port.deliver(batch(sent, (sent += step)));
        }
        ticks.endAll();
        expect(heard).toEqual(batch(0, sent));
      }),
    );
  });

  test('with slices, goes on with the rest when handling one message throws', () => {
    const port = createHandPort();
    const ticks = createHandTicks();
    const heard: string[] = [];
    createBatchedPort<string, string>({
      port,
      schedule: ticks.schedule,
      sliceMs: 5,
      now: () => 0,
      receive(message) {
        if (message === '1') throw new Error('bad message');
        heard.push(message);
      },
    });
    expect(() => port.deliver(batch(0, 4))).toThrow('bad message');
    ticks.endAll();
    port.deliver(batch(4, 5));
    ticks.endAll();
    expect(heard).toEqual(['0', '2', '3', '4']);
  });
});

type Settings = { readonly sliceMs?: number; /** What handling one message costs. */ readonly costMs?: number };

function open({ sliceMs, costMs = 0 }: Settings = {}) {
  const port = createHandPort();
  const ticks = createHandTicks();
  const heard: string[] = [];
  let now = 0;
  const channel = createBatchedPort<string, string>({
    port,
    schedule: ticks.schedule,
    receive(message) {
      heard.push(message);
      now += costMs;
    },
    ...(sliceMs !== undefined && { sliceMs, now: () => now }),
  });
  return { port, ticks, heard, channel };
}

function batch(from: number, to: number): string[] {
  return Array.from({ length: to - from }, (_, index) => String(from + index));
}

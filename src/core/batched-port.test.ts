import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createHandPort, createHandTicks } from '../../test/fixtures/hand-port.ts';
import { createBatchedPort } from './batched-port.ts';
import { createSlices } from './slices.ts';

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

  test('leaves to the next turn what its line does not handle in this one', () => {
    const { port, heard, ticks } = open({ sliceMs: 5, costMs: 1 });
    port.deliver(batch(0, 100));
    expect(heard.length).toBeLessThan(100);
    ticks.endAll();
    expect(heard).toEqual(batch(0, 100));
  });

  test('goes on with the rest when handling one message throws', () => {
    const { port, heard, ticks } = open({ bad: '1' });
    expect(() => port.deliver(batch(0, 4))).toThrow('bad message');
    ticks.endAll();
    port.deliver(batch(4, 5));
    expect(heard).toEqual(['0', '2', '3', '4']);
  });
});

type Settings = {
  readonly sliceMs?: number;
  /** What handling one message costs. */
  readonly costMs?: number;
  /** One that can't be handled. */
  readonly bad?: string;
};

function open({ sliceMs, costMs = 0, bad }: Settings = {}) {
  const port = createHandPort();
  const ticks = createHandTicks();
  const heard: string[] = [];
  let now = 0;
  const channel = createBatchedPort<string, string>({
    port,
    schedule: ticks.schedule,
    receive(message) {
      if (message === bad) throw new Error('bad message');
      heard.push(message);
      now += costMs;
    },
    ...(sliceMs !== undefined && { line: createSlices({ sliceMs, now: () => now, schedule: ticks.schedule }).line() }),
  });
  return { port, ticks, heard, channel };
}

function batch(from: number, to: number): string[] {
  return Array.from({ length: to - from }, (_, index) => String(from + index));
}

import { describe, expect, test } from 'vitest';
import { createHostBench } from '../../../test/fixtures/host-bench.ts';
import { refusal } from '../../../test/fixtures/scene.ts';
import { SkeinError } from '../../core/errors.ts';
import { encodeEvent } from '../../core/events.ts';
import type { ThreadNo } from '../../core/ids.ts';
import type { StoreReader } from '../../core/store.ts';
import type { ThreadEntry } from '../rest/thread-table.ts';
import { createClosing } from './event-feed.ts';
import { streamChain } from './event-stream.ts';

test('A stream whose thread ends with a log that cannot be read tells its reader', async () => {
  const bench = createHostBench();
  const entry = bench.spawn();
  let lines: string[] = [];
  const host = { ...bench.host, reader: { ...bench.host.reader, ...readerOf(() => lines) } };
  const stream = streamChain(entry, { host, isStopped: () => false });
  const first = stream.next();
  lines = ['{"sequence":1,"event'];
  bench.end(entry);
  await expect(first).rejects.toThrow('JSON');
  expect(bench.problems).toEqual([]);
});

test('A stream reads 150,000 events that were stored at once, each as fast as the first', async () => {
  const bench = createHostBench();
  const entry = bench.spawn();
  let lines: string[] = [];
  const host = { ...bench.host, reader: { ...bench.host.reader, ...readerOf(() => lines) } };
  const stream = streamChain(entry, { host, isStopped: () => false });
  const first = stream.next();
  lines = Array.from({ length: 150_000 }, (_, index) => line(index + 1));
  bench.end(entry);
  expect(await first).toMatchObject({ done: false, value: { sequence: 1 } });
  let last = 1;
  for await (const { sequence } of stream) last = sequence ?? last;
  expect(last).toBe(150_000);
  expect(bench.problems).toEqual([]);
});

test('A stream of a long log lets others have their turn, and reads no more of it than it tells', async () => {
  const bench = createHostBench();
  const entry = bench.spawn();
  const lines = Array.from({ length: 1_000 }, (_, index) => line(index + 1));
  let pages = 0;
  const { logPage, events } = readerOf(() => lines);
  const counting: typeof logPage = (thread, place) => {
    if ('from' in place) pages++;
    return logPage(thread, place);
  };
  const host = { ...bench.host, reader: { ...bench.host.reader, events, logPage: counting } };
  const stream = streamChain(entry, { host, isStopped: () => false });
  let turns = 0;
  const count = setInterval(() => turns++, 0);
  for (let at = 0; at < PAGE; at++) await stream.next();
  expect([pages, turns]).toEqual([1, 0]);
  for (let at = 0; at < 3 * PAGE; at++) await stream.next();
  clearInterval(count);
  expect(pages).toBe(4);
  await stream.return?.();
});

describe('A stream whose reader is behind', () => {
  /** A stream that has told its first event, of `count` that are stored; what is stored or delivered from then on waits. */
  async function behind(count: number) {
    const bench = createHostBench();
    const entry = bench.spawn();
    const lines = Array.from({ length: count }, (_, index) => line(index + 1));
    const host = {
      ...bench.host,
      reader: { ...bench.host.reader, ...readerOf((_, from = 1) => lines.slice(from - 1)) },
    };
    const stream = streamChain(entry, { host, isStopped: () => false });
    await stream.next();
    return {
      store: (...sequences: readonly number[]) => void lines.push(...sequences.map(line)),
      hear: (sequence: number) => bench.host.feed.deliver(entry, line(sequence)),
      live: () => bench.host.feed.deliver(entry, LIVE),
      end: () => bench.end(entry),
      close: () => bench.host.feed.close(),
      /** What comes after the first event. */
      rest: async () => {
        const told: (number | 'live')[] = [];
        for await (const { sequence = 'live' } of stream) told.push(sequence);
        return told;
      },
    };
  }

  test('gives pieces of an answer before the answer, also where it has pages to read first', async () => {
    const { store, hear, live, end, rest } = await behind(2 * PAGE + 1);
    live();
    live();
    store(202);
    hear(202);
    store(203);
    end();
    expect((await rest()).slice(2 * PAGE - 1)).toEqual([201, 'live', 'live', 202, 203]);
  });

  test('gives what it has missed before the event that shows it, and later ones in their turn', async () => {
    const { store, hear, live, end, rest } = await behind(1);
    live();
    store(2, 3, 4);
    hear(3);
    live();
    hear(4);
    end();
    expect(await rest()).toEqual(['live', 2, 3, 'live', 4]);
  });

  test.each([
    ['its thread ends', 'end'],
    ['the runtime stops', 'close'],
  ] as const)(
    'by more than 1,000 events gives all that is stored, and only the last pieces of answers: %s',
    async (_, over) => {
      const stream = await behind(1);
      const stored = Array.from({ length: 1_000 }, (_, index) => index + 2);
      for (const sequence of stored) {
        stream.live();
        stream.store(sequence);
        stream.hear(sequence);
      }
      stream.live();
      stream.store(1_002);
      stream.hear(1_002);
      stream[over]();
      const rest = await stream.rest();
      expect(rest.filter((told) => told !== 'live')).toEqual([...stored, 1_002]);
      expect(rest.slice(0, 999)).not.toContain('live');
    },
  );

  test('gives nothing before what it has missed when the runtime stops', async () => {
    const { store, hear, live, close, rest } = await behind(1);
    live();
    store(2, 3);
    hear(3);
    live();
    close();
    expect(await rest()).toEqual(['live', 2, 3]);
  });
});

describe('A stream that is left', () => {
  test('while it waits for the next event ends at once, and listens no more', async () => {
    const { stream, hears, last } = chain();
    for (let count = 0; count < 6; count++) await stream.next();
    const next = stream.next();
    await new Promise(setImmediate);
    expect(hears(last)).toBe(true);
    expect(await stream.return?.()).toEqual({ done: true, value: undefined });
    expect(await next).toEqual({ done: true, value: undefined });
    expect(hears(last)).toBe(false);
  });

  test('before it has begun reads nothing', async () => {
    const { stream } = chain();
    await stream.return?.();
    expect(await stream.next()).toEqual({ done: true, value: undefined });
  });
});

test('A stream of a thread that has ended listens to nothing', async () => {
  const { stream, hears, first } = chain();
  await stream.next();
  expect(hears(first)).toBe(false);
});

test('Those who hear of the close are called if somebody holds them still', () => {
  const references: { held: boolean }[] = [];
  const closing = createClosing((listener) => {
    const reference = { held: true, deref: () => (reference.held ? listener : undefined) };
    references.push(reference);
    return reference;
  });
  const heard: string[] = [];
  const listen = (name: string) => closing.listen(() => heard.push(name));
  listen('held');
  listen('stopped')();
  listen('dropped');
  for (const dropped of references.slice(2)) dropped.held = false;
  closing.tell();
  closing.tell();
  expect(heard).toEqual(['held']);
});

describe('A stream of a thread that has handed over twice, whose reader is behind', () => {
  test('tells all that is stored of those that took over when the runtime stops, and ends', async () => {
    const { stream, stop, ids } = chain();
    expect((await stream.next()).value).toMatchObject({ sequence: 1 });
    stop();
    const rest: unknown[] = [];
    for await (const { thread_id: id, sequence } of stream) rest.push([id, sequence]);
    const [first, second, third] = ids;
    expect(rest).toEqual([[first, 2], ...[1, 2].map((at) => [second, at]), ...[1, 2].map((at) => [third, at])]);
  });

  test('says so if that can not be read then', async () => {
    const { stream, stop, damage } = chain();
    await stream.next();
    damage();
    stop();
    await expect(untilEnd(stream)).rejects.toMatchObject({
      code: 'store_corrupt',
      message: expect.stringContaining('JSON'),
    });
  });

  test('goes on to the next while the runtime runs', async () => {
    const { stream, ids } = chain();
    for (let count = 0; count < 2; count++) await stream.next();
    expect((await stream.next()).value).toMatchObject({ thread_id: ids[1], sequence: 1 });
  });

  test('begins no more once the runtime has stopped', async () => {
    const { stream, stop } = chain();
    stop();
    expect(await refusal(() => stream.next())).toMatchObject({ code: 'runtime_closed' });
  });
});

/** Three threads with two events each; the last of them runs. The database is closed with the runtime. */
function chain() {
  const bench = createHostBench();
  const entry = bench.spawn();
  let isStopped = false;
  let damaged = '';
  const events = (thread: ThreadNo, from = 1): string[] => {
    if (isStopped) throw new SkeinError('store_failed', 'The database connection is not open');
    return [...[1, 2].filter((sequence) => sequence >= from).map(line), ...(thread > 1 && damaged ? [damaged] : [])];
  };
  const host = { ...bench.host, reader: { ...bench.host.reader, ...readerOf(events) } };
  const second = bench.handOver(entry);
  const third = bench.handOver(second);
  const ids = [entry, second, third].map(({ lineage }) => lineage.threadId);
  const stream = streamChain(entry, { host, isStopped: () => isStopped });
  return {
    stream,
    ids,
    first: entry,
    last: third,
    hears: ({ lineage }: ThreadEntry) => bench.host.feed.hears(lineage.thread),
    damage: () => void (damaged = '{"sequence":3,"event'),
    stop: () => {
      bench.host.feed.close();
      isStopped = true;
    },
  };
}

async function untilEnd(stream: AsyncIterable<unknown>): Promise<void> {
  for await (const _event of stream);
}

/** Lines of logs with one event each, as a store reads them. */
function readerOf(
  lines: (thread: ThreadNo, from?: number) => readonly string[],
): Pick<StoreReader, 'events' | 'logPage'> {
  return {
    events: lines,
    logPage(thread, place) {
      const all = lines(thread);
      if ('before' in place) return all.map((text, index) => ({ first: index + 1, lines: text })).toReversed();
      const from = 'from' in place ? place.from : 1;
      const page = all.slice(from - 1, from - 1 + PAGE);
      return page.map((text, index) => ({ first: from + index, lines: text }));
    },
  };
}

const PAGE = 100;

/** A piece of an answer. */
const LIVE = encodeEvent({
  sequence: 0,
  event_type: 'cognition_out_delta',
  time: 0,
  payload: { text: 'a', chunk_index: 0 },
});

function line(sequence: number): string {
  return encodeEvent({ sequence, event_type: 'checkpoint_saved', time: 0, payload: { turn: sequence } });
}

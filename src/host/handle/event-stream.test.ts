import { expect, test } from 'vitest';
import { createHostBench } from '../../../test/fixtures/host-bench.ts';
import { encodeEvent } from '../../core/events.ts';
import { streamEvents } from './event-stream.ts';

test('A stream whose thread ends with a log that cannot be read tells its reader', async () => {
  const bench = createHostBench();
  const entry = bench.spawn();
  let lines: string[] = [];
  const stream = streamEvents(entry, { ...bench.host, reader: { ...bench.host.reader, events: () => lines } });
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
  const stream = streamEvents(entry, { ...bench.host, reader: { ...bench.host.reader, events: () => lines } });
  const first = stream.next();
  const line = (sequence: number): string =>
    encodeEvent({ sequence, event_type: 'checkpoint_saved', time: 0, payload: { turn: sequence } });
  lines = Array.from({ length: 150_000 }, (_, index) => line(index + 1));
  bench.end(entry);
  expect(await first).toMatchObject({ done: false, value: { sequence: 1 } });
  let last = 1;
  for await (const { sequence } of stream) last = sequence ?? last;
  expect(last).toBe(150_000);
  expect(bench.problems).toEqual([]);
});

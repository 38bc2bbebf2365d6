import { expect, test } from 'vitest';
import { createHostBench, endingOf } from '../../../test/fixtures/host-bench.ts';
import { followSignal } from './follow-signal.ts';

/** A handle of a thread that does not end. */
const handle = { result: new Promise<never>(() => undefined) };

test('a signal cancels who goes on with its thread, however long ago that handed over', async () => {
  const bench = createHostBench();
  const entry = bench.spawn();
  const controller = new AbortController();
  await followSignal(handle, { entry, signal: controller.signal }, bench.host);
  const next = bench.handOver(bench.handOver(entry));
  bench.clock.advance(3_600_000);
  expect(bench.host.table.get(entry.lineage.thread)).toBeUndefined();
  controller.abort();
  expect(bench.cancelled()).toEqual([next.lineage.thread]);
});

test('a signal whose thread can not be looked up does not end the process', async () => {
  const bench = createHostBench();
  const entry = bench.spawn();
  const reader = {
    ...bench.host.reader,
    threadByNo: (): never => {
      throw new Error('disk full');
    },
  };
  const controller = new AbortController();
  await followSignal(handle, { entry, signal: controller.signal }, { ...bench.host, reader });
  // Whoever went on with it is known to the store alone.
  Object.assign(entry, { phase: 'ended', ending: endingOf('continued') });
  controller.abort();
  expect(bench.problems).toMatchObject([{ message: 'disk full' }]);
});

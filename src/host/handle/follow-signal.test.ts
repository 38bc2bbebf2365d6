import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import { createHostBench, endingOf } from '../../../test/fixtures/host-bench.ts';
import { createSignalFollowing } from './follow-signal.ts';

/** A handle of a thread that does not end. */
const handle = { result: new Promise<never>(() => undefined) };

test('a signal cancels who goes on with its thread, however long ago that handed over', async () => {
  const bench = createHostBench();
  const entry = bench.spawn();
  const controller = new AbortController();
  await createSignalFollowing(bench.host)(handle, { entry, signal: controller.signal });
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
  await createSignalFollowing({ ...bench.host, reader })(handle, { entry, signal: controller.signal });
  // Whoever went on with it is known to the store alone.
  Object.assign(entry, { phase: 'ended', ending: endingOf('continued') });
  controller.abort();
  expect(bench.problems).toMatchObject([{ message: 'disk full' }]);
});

test('the threads of a signal share a listener, and those that have not ended are cancelled together', async () => {
  const bench = createHostBench();
  const follow = createSignalFollowing(bench.host);
  const controller = new AbortController();
  const { signal } = controller;
  const [first, second, third] = [bench.spawn(), bench.spawn(), bench.spawn()];
  const ended = Promise.withResolvers<never>();
  await follow({ result: ended.promise }, { entry: first, signal });
  await follow(handle, { entry: second, signal });
  await follow(handle, { entry: third, signal });
  expect(getEventListeners(signal, 'abort')).toHaveLength(1);
  ended.reject(new Error('its ending can not be read'));
  await expect(ended.promise).rejects.toThrow('can not be read');
  controller.abort();
  expect(bench.cancelled()).toEqual([second.lineage.thread, third.lineage.thread]);
});

test('a signal is let go of with the last thread that follows it, and may be followed again', async () => {
  const bench = createHostBench();
  const follow = createSignalFollowing(bench.host);
  const controller = new AbortController();
  const { signal } = controller;
  const ended = Promise.withResolvers<never>();
  await follow({ result: ended.promise }, { entry: bench.spawn(), signal });
  ended.reject(new Error('its ending can not be read'));
  await expect(ended.promise).rejects.toThrow('can not be read');
  expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  const next = bench.spawn();
  await follow(handle, { entry: next, signal });
  controller.abort();
  expect(bench.cancelled()).toEqual([next.lineage.thread]);
});

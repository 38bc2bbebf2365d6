import { expect, test } from 'vitest';
import { createHostBench, type HostBench } from '../../../test/fixtures/host-bench.ts';
import { suspendByUser } from '../handle/create-handle.ts';
import type { ThreadEntry } from '../rest/thread-table.ts';
import { countInLine } from './line.ts';

const cancel = ({ host }: HostBench, { lineage }: ThreadEntry): void =>
  host.tell({ type: 'CANCEL', thread: lineage.thread, reason: 'no' });

test.each<[string, (bench: HostBench, entry: ThreadEntry) => void]>([
  ['cancelled', cancel],
  ['suspended', ({ host }, entry) => suspendByUser(host, entry)],
])('One that is %s in line is not counted there any more', (_how, stop) => {
  const bench = createHostBench({ concurrency: { max_total_threads: 1 } });
  const [first, stopped, last] = [bench.spawn(), bench.spawn(), bench.spawn()];
  expect(countInLine(bench.host)).toBe(2);
  stop(bench, stopped);
  bench.commit();
  expect([countInLine(bench.host), bench.host.slots.queued()]).toEqual([1, 2]);
  bench.end(first);
  expect([last.phase, countInLine(bench.host)]).toEqual(['running', 0]);
});

test('One that is resumed before its turn has come is counted again', () => {
  const bench = createHostBench({ concurrency: { max_total_threads: 1 } });
  const [, entry] = [bench.spawn(), bench.spawn()];
  suspendByUser(bench.host, entry);
  bench.commit();
  const order = { entry, message: undefined, limits: undefined, done: () => undefined };
  bench.host.tell({ type: 'RESUME', order });
  bench.commit();
  expect([entry.phase, countInLine(bench.host)]).toEqual(['queued', 1]);
});

test('One whose end is held back for its children is not counted', () => {
  const bench = createHostBench({
    concurrency: { max_total_threads: 2 },
    child_policy: { on_parent_cancel: 'wait' },
  });
  const parent = bench.spawn();
  bench.spawn({ parent });
  bench.host.tell({ type: 'SUSPENDED', thread: parent.lineage.thread, reason: 'user', cost: undefined });
  bench.spawn();
  const order = { entry: parent, message: undefined, limits: undefined, done: () => undefined };
  bench.host.tell({ type: 'RESUME', order });
  bench.commit();
  expect(countInLine(bench.host)).toBe(1);
  cancel(bench, parent);
  bench.commit();
  expect([parent.heldEnd?.status, countInLine(bench.host)]).toEqual(['cancelled', 0]);
});

test('In a runtime that closes nobody is in line', () => {
  const bench = createHostBench({ concurrency: { max_total_threads: 1 } });
  for (let count = 0; count < 3; count++) bench.spawn();
  bench.host.tell({ type: 'DRAIN', graceMs: 100 });
  expect(countInLine(bench.host)).toBe(0);
});

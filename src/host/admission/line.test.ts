import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createHostBench, type HostBench } from '../../../test/fixtures/host-bench.ts';
import { suspendByUser } from '../handle/create-handle.ts';
import type { StoreResult } from '../../core/store.ts';
import type { ThreadEntry } from '../rest/thread-table.ts';

const cancel = ({ host }: HostBench, { lineage }: ThreadEntry): void =>
  host.tell({ type: 'CANCEL', thread: lineage.thread, reason: 'no' });

test.each<[string, (bench: HostBench, entry: ThreadEntry) => void]>([
  ['cancelled', cancel],
  ['suspended', ({ host }, entry) => suspendByUser(host, entry)],
])('One that is %s in line is not counted there any more', (_how, stop) => {
  const bench = createHostBench({ concurrency: { max_total_threads: 1 } });
  const [first, stopped, last] = [bench.spawn(), bench.spawn(), bench.spawn()];
  expect(bench.host.slots.waitingInLine()).toBe(2);
  stop(bench, stopped);
  bench.commit();
  expect([bench.host.slots.waitingInLine(), bench.host.slots.queued()]).toEqual([1, 2]);
  bench.end(first);
  expect([last.phase, bench.host.slots.waitingInLine()]).toEqual(['running', 0]);
});

test('One that is resumed before its turn has come is counted again', () => {
  const bench = createHostBench({ concurrency: { max_total_threads: 1 } });
  const [, entry] = [bench.spawn(), bench.spawn()];
  suspendByUser(bench.host, entry);
  bench.commit();
  const order = { entry, message: undefined, limits: undefined, done: () => undefined };
  bench.host.tell({ type: 'RESUME', order });
  bench.commit();
  expect([entry.phase, bench.host.slots.waitingInLine()]).toEqual(['queued', 1]);
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
  expect(bench.host.slots.waitingInLine()).toBe(1);
  cancel(bench, parent);
  bench.commit();
  expect([parent.heldEnd?.status, bench.host.slots.waitingInLine()]).toEqual(['cancelled', 0]);
});

test('In a runtime that closes nobody is in line', () => {
  const bench = createHostBench({ concurrency: { max_total_threads: 1 } });
  for (let count = 0; count < 3; count++) bench.spawn();
  bench.host.tell({ type: 'DRAIN', graceMs: 100 });
  expect(bench.host.slots.waitingInLine()).toBe(0);
});

test('Whatever threads in line do, those who wait for their turn are counted', () => {
  const step = fc.tuple(fc.constantFrom<Action>('spawn', 'child', 'suspend', 'resume', 'cancel', 'end'), fc.nat());
  const steps = fc.array(fc.tuple(step, fc.constantFrom('later', 'commit', 'fail')), { maxLength: 60 });
  fc.assert(
    fc.property(steps, fc.constantFrom('wait', 'cascade_cancel'), fc.boolean(), (all, policy, closes) => {
      const bench = createHostBench({
        concurrency: { max_total_threads: 2, max_concurrent_children: 1 },
        child_policy: { on_parent_cancel: policy },
        coordination: { completion_event_ttl_seconds: 1 },
      });
      const spawned: ThreadEntry[] = [];
      const count = (): void => expect(bench.host.slots.waitingInLine()).toBe(waiting(spawned));
      for (const [[action, choice], write] of all) {
        act(bench, spawned, [action, choice]);
        count();
        if (write === 'commit') bench.commit();
        if (write === 'fail') bench.commit(({ type }) => (type === 'step' ? DISK_FULL : undefined));
        // Who has ended is forgotten, and has its place still.
        bench.clock.advance(10_000);
        count();
      }
      if (closes) bench.host.tell({ type: 'DRAIN', graceMs: 100 });
      for (const entry of spawned) if (entry.phase !== 'ended') cancel(bench, entry);
      bench.commit();
      for (const entry of spawned.toReversed()) if (entry.worker >= 0) bench.end(entry, 'cancelled');
      bench.commit();
      count();
      expect(bench.host.slots.waitingInLine()).toBe(0);
    }),
    { numRuns: 60 },
  );
});

type Action = 'spawn' | 'child' | 'suspend' | 'resume' | 'cancel' | 'end';

const DISK_FULL: StoreResult = { type: 'failed', failure: { code: 'store_failed', message: 'disk full' } };

/** Has one of those that can do so do something. */
function act(bench: HostBench, spawned: ThreadEntry[], [action, choice]: readonly [Action, number]): void {
  const { host } = bench;
  const pick = (can: (entry: ThreadEntry) => boolean): ThreadEntry | undefined => {
    const list = spawned.filter(can);
    return list[choice % Math.max(1, list.length)];
  };
  const running = pick(({ worker }) => worker >= 0);
  const queued = pick(({ phase }) => phase === 'queued');
  const suspended = pick(({ phase }) => phase === 'suspended');
  const open = pick(({ phase }) => phase !== 'ended');
  if (action === 'spawn' || action === 'child') {
    const answer = bench.trySpawn(action === 'child' && running ? { parent: running } : {});
    if (answer.ok) spawned.push(answer.value);
  } else if (action === 'suspend' && queued) suspendByUser(host, queued);
  else if (action === 'suspend' && running)
    host.tell({ type: 'SUSPENDED', thread: running.lineage.thread, reason: 'user', cost: undefined });
  else if (action === 'resume' && suspended) {
    const order = { entry: suspended, message: undefined, limits: undefined, done: () => undefined };
    host.tell({ type: 'RESUME', order });
  } else if (action === 'cancel' && open) cancel(bench, open);
  else if (action === 'end' && running) bench.end(running);
}

/** Counted one by one. */
function waiting(spawned: readonly ThreadEntry[]): number {
  return spawned.filter(({ phase, order, inLine }) => inLine && order && phase === 'queued').length;
}

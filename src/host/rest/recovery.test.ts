import { describe, expect, test } from 'vitest';
import { createHostBench, suspendedRow, type HostBench } from '../../../test/fixtures/host-bench.ts';
import type { Config } from '../../config/config.ts';
import type { StoreResult } from '../../core/store.ts';
import { suspendByUser } from '../handle/create-handle.ts';
import { createWaitFollowing } from '../operations/wait-following.ts';
import { createRecall } from './recall.ts';
import { createRecovery, type Recovery } from './recovery.ts';
import type { ThreadEntry } from './thread-table.ts';

/** A host with threads that were interrupted, as many as fit one turn of the event loop and some more. */
function interruptedHost(count: number, costMs = 0) {
  const bench = createHostBench({ concurrency: { max_total_threads: 1_000 } });
  const entries = Array.from({ length: count }, () => suspended(bench, bench.spawn()));
  const scheduled: (() => void)[] = [];
  let reads = 0;
  const reader = {
    ...bench.host.reader,
    interrupted: (after: number, limit: number) => (
      reads++,
      entries.flatMap(({ lineage }) => (lineage.thread > after ? [lineage] : [])).slice(0, limit)
    ),
  };
  const line = { queued: 0 };
  const slots = { ...bench.host.slots, queued: () => line.queued };
  let now = 0;
  const clock = { ...bench.clock, stopwatch: () => (now += costMs) };
  const schedule = (work: () => void): void => void scheduled.push(work);
  const recovery = createRecovery({ ...bench.host, reader, clock, slots }, { schedule });
  const startedBefore = bench.started().length;
  return {
    bench,
    recovery,
    scheduled,
    line,
    reads: () => reads,
    turn: () => scheduled.shift()?.(),
    resumed: () => bench.started().slice(startedBefore),
  };
}

function suspended({ host }: HostBench, entry: ThreadEntry): ThreadEntry {
  host.tell({ type: 'SUSPENDED', thread: entry.lineage.thread, reason: 'shutdown', cost: undefined });
  return entry;
}

test('takes up fewer in a turn when looking them up takes long', () => {
  const { recovery, turn, resumed, scheduled } = interruptedHost(10, 1);
  recovery.start();
  turn();
  expect(resumed()).toEqual([1, 2]);
  while (scheduled.length > 0) turn();
  expect(resumed()).toEqual(Array.from({ length: 10 }, (_, index) => index + 1));
});

test('ends with a problem where the database can not be read', () => {
  const bench = createHostBench();
  const interrupted = (): never => {
    throw new Error('disk full');
  };
  const scheduled: (() => void)[] = [];
  const host = { ...bench.host, reader: { ...bench.host.reader, interrupted } };
  createRecovery(host, { schedule: (work) => void scheduled.push(work) }).start();
  scheduled.shift()?.();
  expect(bench.problems).toMatchObject([{ message: 'disk full' }]);
  expect(scheduled).toEqual([]);
});

test('takes up one thread a turn at least, however long that takes', () => {
  const { recovery, turn, resumed } = interruptedHost(3, 1_000);
  recovery.start();
  for (const expected of [[1], [1, 2], [1, 2, 3]]) {
    turn();
    expect(resumed()).toEqual(expected);
  }
});

test('takes up 25 threads a turn of the event loop, in the order they were admitted', () => {
  const { recovery, turn, resumed, scheduled } = interruptedHost(60);
  recovery.start();
  expect(resumed()).toEqual([]);
  turn();
  expect(resumed()).toEqual(Array.from({ length: 25 }, (_, index) => index + 1));
  turn();
  turn();
  expect(resumed()).toHaveLength(60);
  expect(scheduled).toEqual([]);
});

test.each<[string, OnRestart, string]>([
  ['waits for how it ends', 'resume', 'completed'],
  ['hears that it is suspended if it does not go on', 'suspend', 'suspended'],
])('whoever waits for a thread that is yet to be taken up %s', (_name, on_restart, expected) => {
  const bench = createHostBench({ coordination: { on_restart } });
  const entry = suspended(bench, bench.spawn());
  const statuses: string[] = [];
  const scheduled: (() => void)[] = [];
  const reader = { ...bench.host.reader, interrupted: (after: number) => (after === 0 ? [entry.lineage] : []) };
  const recovery = createRecovery({ ...bench.host, reader }, { schedule: (work) => void scheduled.push(work) });
  bench.host.recovery = recovery;
  recovery.start();
  waitFor(bench, entry, statuses);
  expect(statuses).toEqual(on_restart === 'suspend' ? ['suspended'] : []);
  for (let work = scheduled.shift(); work; work = scheduled.shift()) work();
  bench.end(entry);
  expect(statuses).toEqual([expected]);
});

test.each<[string, (host: HostBench['host']) => Partial<HostBench['host']['reader']>]>([
  ['it can not be looked for', () => ({ interrupted: fails })],
  ['it can not be read', ({ table }) => ({ interrupted: () => [...table.live()].map(({ lineage }) => lineage) })],
])('whoever waits for a thread hears that it is suspended if %s', (why, damage) => {
  const bench = createHostBench();
  const entry = suspended(bench, bench.spawn());
  const statuses: string[] = [];
  const scheduled: (() => void)[] = [];
  const { host } = bench;
  const table = why.endsWith('read') ? { ...host.table, byId: fails } : host.table;
  const damaged = { ...host, table, reader: { ...host.reader, ...damage(host) } };
  const recovery = createRecovery(damaged, { schedule: (work) => void scheduled.push(work) });
  bench.host.recovery = recovery;
  recovery.start();
  waitFor(bench, entry, statuses);
  expect(statuses).toEqual([]);
  scheduled.shift()?.();
  expect(statuses).toEqual(['suspended']);
});

test.each<[string, OnRestart]>([
  ['reads nothing back', 'resume'],
  ['cancels nobody', 'cancel'],
])(
  'once its runtime begins to close it %s, and whoever waits hears that the thread is suspended',
  (_name, on_restart) => {
    const bench = createHostBench({ coordination: { on_restart } });
    const entry = suspended(bench, bench.spawn());
    // It runs on: the runtime waits for it.
    bench.spawn();
    const statuses: string[] = [];
    const scheduled: (() => void)[] = [];
    let reads = 0;
    const interrupted = (after: number) => (reads++, after === 0 ? [entry.lineage] : []);
    const reader = { ...bench.host.reader, interrupted };
    const recovery = createRecovery({ ...bench.host, reader }, { schedule: (work) => void scheduled.push(work) });
    bench.host.recovery = recovery;
    recovery.start();
    waitFor(bench, entry, statuses);
    bench.host.tell({ type: 'DRAIN', graceMs: 2_000 });
    expect(statuses).toEqual(['suspended']);
    for (let work = scheduled.shift(); work; work = scheduled.shift()) work();
    expect([reads, bench.pending, entry.phase]).toEqual([0, [], 'suspended']);
  },
);

type OnRestart = 'resume' | 'suspend' | 'cancel';

function fails(): never {
  throw new Error('disk full');
}

function waitFor({ host }: HostBench, { lineage }: ThreadEntry, statuses: string[]): void {
  createWaitFollowing({ host, recall: createRecall(host.reader), isStopped: () => false })({
    threadIds: [lineage.threadId],
    timeoutMs: undefined,
    until: 'all',
    isVisible: () => true,
    done: (waited) => waited.ok && statuses.push(...waited.value.map(({ status }) => status)),
  });
}

test('waits while a tool is registered, also for one registration after the other', async () => {
  const { recovery, turn, resumed } = interruptedHost(1);
  const register = (): { readonly done: Promise<unknown>; readonly resolve: (value: unknown) => void } => {
    const { promise, resolve } = Promise.withResolvers<unknown>();
    return { done: recovery.after(promise), resolve };
  };
  recovery.start();
  const [first, second] = [register(), register()];
  turn();
  first.resolve('first');
  expect(await first.done).toBe('first');
  turn();
  expect(resumed()).toEqual([]);
  second.resolve('second');
  await second.done;
  turn();
  expect(resumed()).toEqual([1]);
});

test.each<[string, (recovery: Recovery, host: HostBench) => void]>([
  ['once it was stopped', (recovery) => recovery.stop()],
  ['that a person has cancelled meanwhile', (_, { host }) => host.tell({ type: 'CANCEL', thread: 1, reason: 'no' })],
  [
    'that a person has suspended meanwhile',
    (_, { host }) => [...host.table.live()].forEach((one) => suspendByUser(host, one)),
  ],
])('takes up nothing %s', (_name, happens) => {
  const { recovery, turn, resumed, bench } = interruptedHost(1);
  recovery.start();
  happens(recovery, bench);
  turn();
  expect(resumed()).toEqual([]);
});

test('puts a parent and its children in line before one of them runs, and leaves what waits for a person', () => {
  const { bench, recovery, turn, resumed } = interruptedHost(0);
  const parent = bench.spawn();
  const [child, asking] = [bench.spawn({ parent }), bench.spawn({ parent })];
  suspended(bench, child);
  bench.host.tell({ type: 'SUSPENDED', thread: asking.lineage.thread, reason: 'approval', cost: undefined });
  suspended(bench, parent);
  const before = resumed().length;
  const reader = { ...bench.host.reader, interrupted: (after: number) => (after === 0 ? [child.lineage] : []) };
  createRecovery({ ...bench.host, reader }, { schedule: (work) => work() }).start();
  recovery.start();
  turn();
  expect(resumed().slice(before)).toEqual([parent.lineage.thread, child.lineage.thread]);
  expect(asking.phase).toBe('suspended');
});

test.each<[OnRestart, number[], number[], number]>([
  ['resume', [2, 3], [], 1],
  ['cancel', [], [1, 2, 3], 0],
])(
  'of what came with a foreign database nothing goes on, also above what began here (%s)',
  (on_restart, goingOn, ended, problems) => {
    const bench = createHostBench({ coordination: { on_restart } });
    const parent = bench.spawn();
    const [resumedHere, begunHere] = [bench.spawn({ parent }), bench.spawn({ parent })];
    for (const entry of [resumedHere, begunHere, parent]) suspended(bench, entry);
    const before = bench.started().length;
    const rows = [parent, resumedHere, begunHere].map(({ lineage }, index) => ({
      ...suspendedRow(lineage),
      updatedAt: 100 + index,
    }));
    const reader = {
      ...bench.host.reader,
      interrupted: (after: number) => rows.filter(({ thread }) => thread > after),
      threadByNo: (no: number) => rows.find(({ thread }) => thread === no),
    };
    const foreign = { last: resumedHere.lineage.thread, until: 100 };
    createRecovery({ ...bench.host, reader }, { schedule: (work) => work(), foreign }).start();
    bench.commit();
    expect(bench.started().slice(before)).toEqual(goingOn);
    expect(rows.flatMap(({ thread }) => (bench.host.table.get(thread)?.phase === 'ended' ? [thread] : []))).toEqual(
      ended,
    );
    expect(bench.problems.map(({ message }) => message)).toEqual(
      Array.from({ length: problems }, () => expect.stringContaining(parent.lineage.threadId)),
    );
  },
);

describe('A thread whose resumption is being written when it is looked at', () => {
  const TOO_DEAR: StoreResult = { type: 'failed', failure: { code: 'budget_refused', message: 'too much' } };

  test.each<[string, OnRestart, StoreResult | undefined, (recovery: Recovery) => void, string]>([
    ['goes on all the same if that is refused', 'resume', TOO_DEAR, () => undefined, 'running'],
    ['ends all the same if that is refused', 'cancel', TOO_DEAR, () => undefined, 'ended'],
    ['stays if that is refused, and everything does', 'suspend', TOO_DEAR, () => undefined, 'suspended'],
    [
      'is the next runtime’s if that is refused in one that closes',
      'resume',
      TOO_DEAR,
      (one) => one.stop(),
      'suspended',
    ],
    [
      'goes on as it was told if that is written, whatever happens to others',
      'cancel',
      undefined,
      () => undefined,
      'running',
    ],
  ])('%s (%s)', (_how, on_restart, answer, happens, phase) => {
    const { bench, recovery, entry, turns } = resuming(on_restart);
    recovery.start();
    turns();
    expect(entry.phase).toBe('suspended');
    happens(recovery);
    bench.commit(({ type }) => (type === 'step' ? answer : undefined));
    turns();
    bench.commit();
    expect([entry.phase, bench.problems]).toEqual([phase, []]);
  });

  test('is waited for until it ends if that is refused', () => {
    const { bench, recovery, entry, turns } = resuming('resume');
    const statuses: string[] = [];
    recovery.start();
    turns();
    waitFor(bench, entry, statuses);
    bench.commit(({ type }) => (type === 'step' ? TOO_DEAR : undefined));
    turns();
    bench.end(entry);
    expect(statuses).toEqual(['completed']);
  });

  test('is looked at once more only, if it can not go on without a word either', () => {
    const { bench, recovery, entry, turns } = resuming('resume', { releaseSuspended: true });
    recovery.start();
    turns();
    for (let round = 0; round < 3; round++) {
      bench.commit(({ type }) => (type === 'step' ? TOO_DEAR : undefined));
      turns();
    }
    expect([entry.phase, entry.resuming, bench.problems.length]).toEqual(['suspended', false, 1]);
  });

  test('has nobody else looked at again, nor anything read', () => {
    const { bench, recovery, turn, resumed, scheduled, reads } = interruptedHost(3);
    const [missed, other] = [...bench.host.table.live()];
    for (const entry of [missed, other]) if (entry) entry.resuming = true;
    recovery.start();
    while (scheduled.length > 0) turn();
    for (const entry of [missed, other]) if (entry) entry.resuming = false;
    const before = reads();
    if (missed) recovery.missed(missed);
    expect([missed, other].map((entry) => entry && recovery.isAhead(entry))).toEqual([true, false]);
    while (scheduled.length > 0) turn();
    expect([resumed(), reads() - before, missed && recovery.isAhead(missed)]).toEqual([[3, 1], 0, false]);
  });

  test('is looked at once there is room in line, by one timer for all that were missed, which ends with recovery', () => {
    const { bench, recovery, turn, resumed, scheduled, line } = interruptedHost(3);
    const entries = [...bench.host.table.live()];
    const before = bench.clock.pending();
    line.queued = 1_000;
    recovery.start();
    for (const entry of entries) {
      recovery.missed(entry);
      while (scheduled.length > 0) turn();
    }
    expect([resumed(), bench.clock.pending() - before]).toEqual([[], 1]);
    bench.clock.advance(20);
    turn();
    expect(bench.clock.pending() - before).toBe(1);
    line.queued = 0;
    bench.clock.advance(20);
    turn();
    expect([resumed(), bench.clock.pending() - before]).toEqual([[1, 2, 3], 0]);
  });

  /** One that somebody has go on with other limits; `turns` does what is scheduled. */
  function resuming(on_restart: OnRestart, budget?: Config['budget']) {
    const config = { ...createHostBench({ coordination: { on_restart } }).host.config, ...(budget && { budget }) };
    const bench = createHostBench({}, { config });
    const entry = suspended(bench, bench.spawn());
    const scheduled: (() => void)[] = [];
    const interrupted = (after: number) => (after < entry.lineage.thread ? [entry.lineage] : []);
    const reader = { ...bench.host.reader, interrupted };
    const recovery = createRecovery({ ...bench.host, reader }, { schedule: (work) => void scheduled.push(work) });
    bench.host.recovery = recovery;
    const order = { entry, message: undefined, limits: { turns: 3 }, done: () => undefined };
    bench.host.tell({ type: 'RESUME', order });
    const turns = (): void => {
      for (let work = scheduled.shift(); work; work = scheduled.shift()) work();
    };
    return { bench, recovery, entry, turns };
  }
});

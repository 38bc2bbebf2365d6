import { describe, expect, test } from 'vitest';
import {
  comingBack,
  createHostBench,
  endingOf,
  suspendedRow,
  type HostBench,
  type Resilience,
} from '../../../test/fixtures/host-bench.ts';
import { NO_COST } from '../../core/limits.ts';
import type { StepOp, ThreadRow } from '../../core/store.ts';
import type { WorkerLoss } from './crew.ts';
import { suspendByUser } from '../handle/create-handle.ts';
import { latestOf } from '../latest.ts';
import { suspendUnread } from '../rest/failed-resumption.ts';
import { endParked } from '../rest/parked-ending.ts';
import type { ThreadEntry } from '../rest/thread-table.ts';
import { createWorkerLosses } from './worker-loss.ts';

const LOSS: WorkerLoss = {
  worker: 0,
  failure: { code: 'worker_lost', message: 'gone' },
  wasUp: true,
  wasApart: false,
  wasHurried: false,
  suspect: 0,
};

test('what a lost worker could not tell any more is told from the rows', () => {
  const { bench, lose, rows } = open();
  const [ended, suspended, resumed, running] = Array.from({ length: 4 }, () => bench.spawn());
  if (!ended || !suspended || !resumed || !running) throw new Error('they were spawned');
  const woken: string[] = [];
  for (const [name, entry] of Object.entries({ ended, suspended, resumed, running }))
    (entry.waiters ??= new Set()).add(() => void woken.push(name));
  bench.host.tell({ type: 'SUSPENDED', thread: resumed.lineage.thread, reason: 'user', cost: undefined });
  const order = { entry: resumed, message: undefined, limits: undefined, done: () => undefined };
  bench.host.tell({ type: 'RESUME', order });
  bench.commit();
  rows.set(ended, { status: 'completed', ending: JSON.stringify(endingOf('completed')) });
  rows.set(suspended, { status: 'suspended', suspendReason: 'limit' });
  rows.set(resumed, { status: 'suspended', suspendReason: 'shutdown' });
  rows.set(running, { status: 'running' });
  const before = bench.sent.length;
  lose(LOSS);

  expect([ended.phase, suspended.phase, suspended.suspendReason]).toEqual(['ended', 'suspended', 'limit']);
  expect(woken).toEqual(['resumed', 'ended', 'suspended']);
  const again = bench.sent.slice(before).flatMap((one) => (one.type === 'resume' ? [one.lineage.thread] : []));
  expect(again).toEqual([resumed.lineage.thread, running.lineage.thread]);
  expect([bench.host.load, bench.host.slots.taken()]).toEqual([[2], 2]);
});

test('a cancellation that its worker did not hear of ends a thread, and a suspension suspends it', () => {
  const { bench, lose, rows } = open();
  const [cancelled, suspended] = [bench.spawn(), bench.spawn()];
  bench.host.tell({ type: 'CANCEL', thread: cancelled.lineage.thread, reason: 'no' });
  suspended.suspendAsked = 'user';
  for (const entry of [cancelled, suspended]) rows.set(entry, { status: 'running' });
  lose(LOSS);
  expect(cancelled).toMatchObject({ phase: 'ended', ending: { status: 'cancelled' } });
  expect(suspended).toMatchObject({ phase: 'suspended', suspendReason: 'user' });
  expect([bench.host.load, bench.host.slots.taken()]).toEqual([[0], 0]);
});

test.each([
  ['had not come so far as to say that it goes on', { status: 'suspended', suspendReason: 'shutdown' }],
  ['had not begun it', { status: 'created' }],
] as const)('a suspension that a worker did not hear of is carried out where it %s', (_how, row) => {
  const { bench, lose, rows, written } = open();
  const entry = bench.spawn();
  entry.suspendAsked = 'user';
  rows.set(entry, row);
  lose(LOSS);
  expect(entry).toMatchObject({ phase: 'suspended', suspendReason: 'user' });
  expect(written).toEqual([{ to: 'suspended', reason: 'user' }]);
  expect(bench.started()).toEqual([entry.lineage.thread]);
});

test('a suspension that is asked for while a lost thread is seen to is carried out', () => {
  const { bench, lose, rows, written } = open();
  const entry = bench.spawn();
  rows.set(entry, { status: 'running' });
  lose(LOSS, () => suspendByUser(bench.host, entry));
  expect(entry).toMatchObject({ phase: 'suspended', suspendReason: 'user', suspendAsked: undefined });
  expect(written).toEqual([
    { to: 'suspended', reason: 'shutdown' },
    { to: 'suspended', reason: 'user' },
  ]);
  expect(bench.started()).toEqual([entry.lineage.thread]);
});

test('a suspension that a worker did not hear of is its successor’s, where the thread had handed over', () => {
  const { bench, lose, rows, written } = open();
  const entry = bench.spawn();
  entry.suspendAsked = 'user';
  const next = { thread: bench.host.nextThread(), threadId: bench.host.newThreadId() };
  rows.set(entry, { status: 'continued', ending: JSON.stringify(endingOf('continued')), successor: next.thread });
  lose(LOSS, undefined, { ...runningRow(entry), ...next });
  expect(latestOf(entry)).toMatchObject({ lineage: next, phase: 'suspended', suspendReason: 'user' });
  expect(written).toEqual([{ to: 'suspended', reason: 'user' }]);
  expect(bench.started()).toEqual([entry.lineage.thread]);
});

test('a suspension that is kept for a thread on its way out of a lost worker is carried out', () => {
  const { bench, lose, rows } = open();
  const entry = bench.spawn();
  entry.absence = { kind: 'leaving', kept: [] };
  suspendByUser(bench.host, entry);
  rows.set(entry, { status: 'running' });
  lose(LOSS);
  expect(entry).toMatchObject({ phase: 'suspended', suspendReason: 'user' });
});

test('workers that are lost with threads which could not start there have not been lost without a cause', () => {
  const { bench, lose } = open();
  for (let loss = 0; loss < 10; loss++) {
    endParked(bench.host, bench.spawn(), { status: 'error', failure: LOSS.failure });
    lose(LOSS);
  }
  expect(bench.trySpawn().ok).toBe(true);
});

test('a thread that could not start in its worker ends, also if that is lost before its end is written', () => {
  const { bench, lose, rows, written } = open();
  const entry = bench.spawn();
  rows.set(entry, { status: 'created' });
  const failure = { code: 'item_not_found', message: 'the directive is gone' } as const;
  endParked(bench.host, entry, { status: 'error', failure });
  lose(LOSS);
  expect(entry).toMatchObject({ phase: 'ended', ending: { status: 'error', error: failure } });
  expect(written).toEqual([expect.objectContaining({ to: 'error' })]);
  expect([bench.started(), bench.host.slots.taken()]).toEqual([[entry.lineage.thread], 0]);
});

test('a thread that the end of its runtime has suspended is not taken for one that was resumed', () => {
  const { bench, lose, rows, written } = open();
  const entry = bench.spawn();
  entry.lostAlone = 2;
  bench.host.tell({ type: 'DRAIN', graceMs: 0 });
  bench.clock.advance(0);
  rows.set(entry, { status: 'suspended', suspendReason: 'shutdown' });
  lose(LOSS);
  expect(entry).toMatchObject({ phase: 'suspended', suspendReason: 'shutdown', ending: undefined });
  expect(written).toEqual([]);
});

test('what a lost thread has used is known from its row, if it is then suspended without another word', () => {
  const { bench, lose, rows } = open();
  const entry = bench.spawn();
  entry.lastCost = NO_COST;
  const cost = { ...NO_COST, turns: 3 };
  rows.set(entry, { status: 'running', cost });
  lose(LOSS);
  suspendUnread(bench.host, entry, LOSS.failure);
  bench.commit();
  expect(entry).toMatchObject({ phase: 'suspended', suspendReason: 'error', lastCost: cost });
});

test.each<[string, (bench: HostBench, lost: ThreadEntry) => void]>([
  ['its runtime closes', ({ host }) => host.tell({ type: 'DRAIN', graceMs: 60_000 })],
  [
    'it is to end with its last child',
    (bench, lost) => {
      bench.spawn({ parent: lost });
      bench.host.tell({ type: 'CANCEL', thread: lost.lineage.thread, reason: 'enough' });
    },
  ],
])('the slot of a lost thread that stands in no line again is another one’s: %s', (_why, happens) => {
  const { bench, lose, rows } = open({
    concurrency: { max_total_threads: 1 },
    child_policy: { on_parent_cancel: 'wait' },
  });
  const [waiting, lost] = [bench.spawn(), bench.spawn()];
  const answers = comingBack(bench, waiting);
  // It is in another worker.
  waiting.worker = 1;
  happens(bench, lost);
  rows.set(lost, { status: 'created' });
  lose(LOSS);
  expect([answers, waiting.phase, bench.host.slots.taken()]).toEqual([['answered'], 'running', 1]);
});

describe('The culprit', () => {
  test('is first looked for where the worker turned to last, then by halves', () => {
    const { bench, lose, rows } = open();
    const entries = Array.from({ length: 5 }, () => bench.spawn());
    for (const entry of entries) rows.set(entry, { status: 'running' });
    lose({ ...LOSS, suspect: entries[3]?.lineage.thread ?? 0 });
    expect(partsOf(entries)).toEqual([0, 0, 0, 1, 0]);
    lose({ ...LOSS, wasApart: true, suspect: entries[3]?.lineage.thread ?? 0 });
    expect(partsOf(entries)).toEqual([0, 0, 0, 1, 1]);
  });

  test('fails once it has lost so many workers alone', () => {
    const { bench, lose, rows } = open();
    const entry = bench.spawn();
    rows.set(entry, { status: 'running' });
    lose(LOSS);
    lose(LOSS);
    expect(entry.phase).toBe('running');
    lose(LOSS);
    expect(entry).toMatchObject({ phase: 'ended', ending: { status: 'error', error: { code: 'worker_lost' } } });
  });

  test('is found also if it hands over between two losses', () => {
    const { bench, lose, rows } = open();
    let entry = bench.spawn();
    for (let loss = 0; loss < 3; loss++) {
      if (loss > 0) entry = bench.handOver(entry);
      rows.set(entry, { status: 'running' });
      lose(LOSS);
      expect([entry.lostAlone, entry.apart]).toEqual([loss + 1, { worker: undefined }]);
    }
    expect(entry).toMatchObject({ phase: 'ended', ending: { status: 'error', error: { code: 'worker_lost' } } });
  });

  test('is nobody in a worker that was not up', async () => {
    const { bench, lose, rows } = open();
    const entry = bench.spawn();
    rows.set(entry, { status: 'created' });
    for (let loss = 0; loss < 3; loss++) lose({ ...LOSS, wasUp: false });
    expect(entry).toMatchObject({ phase: 'running', apart: undefined, lostAlone: 0 });
    lose({ ...LOSS, wasUp: false });
    expect(await bench.supervisor.stopped).toMatchObject({ code: 'worker_lost' });
  });

  test('is nobody in a worker that had to hurry since its runtime closes: its threads are the next one’s', () => {
    const { bench, lose, rows, written } = open();
    const entry = bench.spawn();
    rows.set(entry, { status: 'running' });
    entry.lostAlone = 2;
    bench.host.tell({ type: 'DRAIN', graceMs: 0 });
    for (let loss = 0; loss < 5; loss++) lose({ ...LOSS, wasHurried: true });
    expect(entry).toMatchObject({ phase: 'queued', ending: undefined, apart: undefined, lostAlone: 2 });
    expect(written).toEqual([{ to: 'suspended', reason: 'shutdown' }]);
  });

  test.each([
    ['', 0],
    [', also if the clock is moved back again and again', -3_600_000],
  ])('is not missed where losses are far between: the runtime goes on%s', (_, moved) => {
    const { bench, lose } = open();
    for (let loss = 0; loss < 10; loss++) {
      lose(LOSS);
      bench.clock.set(moved);
      bench.clock.advance(300_000);
    }
    expect(bench.trySpawn().ok).toBe(true);
  });
});

type Opened = {
  readonly bench: HostBench;
  readonly rows: Map<ThreadEntry, Partial<ThreadRow>>;
  /** Loses the worker, and lets the store answer; `meanwhile` happens before its first step, `more` is in the store as well. */
  readonly lose: (loss: WorkerLoss, meanwhile?: () => void, more?: ThreadRow) => void;
  /** What the store was told about the status of threads. */
  readonly written: StepOp['status'][];
};

function open(resilience: Resilience = {}): Opened {
  const bench = createHostBench(resilience);
  const rows: Opened['rows'] = new Map();
  const written: Opened['written'] = [];
  let more: ThreadRow | undefined;
  const threadByNo = (thread: number): ThreadRow | undefined => {
    if (thread === more?.thread) return more;
    const entry = bench.host.table.get(thread);
    const row = entry && rows.get(entry);
    return row && { ...runningRow(entry), ...row };
  };
  const host = { ...bench.host, reader: { ...bench.host.reader, threadByNo } };
  const lost = createWorkerLosses(host, {
    ask: unasked,
    abandon: unasked,
    lost: () => undefined,
    close: () => undefined,
  });
  const lose: Opened['lose'] = (loss, meanwhile, stored) => {
    more = stored;
    lost(loss);
    bench.commit((op) => {
      if (op.type !== 'step') return undefined;
      if (written.length === 0) meanwhile?.();
      written.push(op.status);
      return undefined;
    });
  };
  return { bench, rows, lose, written };
}

function runningRow({ lineage }: ThreadEntry): ThreadRow {
  return { ...suspendedRow(lineage), status: 'running', suspendReason: undefined };
}

/** Numbers of the parts that threads are in, in the order in which they are met. */
function partsOf(entries: readonly ThreadEntry[]): number[] {
  const parts = [...new Set(entries.map(({ apart }) => apart))];
  return entries.map(({ apart }) => parts.indexOf(apart));
}

function unasked(): never {
  throw new Error('nothing is asked here');
}

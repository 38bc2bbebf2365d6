import { describe, expect, test } from 'vitest';
import { createHostBench, endingOf, SECRET, specWith, type HostBench } from '../../../test/fixtures/host-bench.ts';
import type { ThreadStatus } from '../../core/ending.ts';
import { decodeEvents, encodeEvent, type EventType, type StoredEvent } from '../../core/events.ts';
import type { ThreadId } from '../../core/ids.ts';
import { NO_COST } from '../../core/limits.ts';
import type { LoadOp, StoredChild, StoredThread, StoreOp, StoreResult, ThreadRow } from '../../core/store.ts';
import { endParked, suspendParked } from './parked-ending.ts';
import type { ThreadEntry } from './thread-table.ts';

test('What the host writes is told without secrets', () => {
  const { bench, entry } = inLine();
  const told: unknown[] = [];
  bench.host.feed.listenAll(({ event_type, payload }) => told.push([event_type, payload]));
  bench.host.tell({ type: 'CANCEL', thread: entry.lineage.thread, reason: `${SECRET} was used` });
  bench.commit();
  expect(told).toEqual([
    ['thread_cancelled', expect.objectContaining({ reason: expect.stringContaining('[redacted] was used') })],
  ]);
});

describe('A thread in line', () => {
  test('that is suspended twice is suspended once', () => {
    const { bench, entry } = inLine();
    suspendParked(bench.host, entry, 'user');
    suspendParked(bench.host, entry, 'user');
    expect(written(bench)).toEqual(['suspended']);
    expect([entry.phase, bench.problems]).toEqual(['suspended', []]);
  });

  test('is suspended and resumed without its log, which may be long; its end looks into it', () => {
    const { bench, entry } = inLine();
    const [{ thread }, loads] = [entry.lineage, [] as StoreOp[]];
    const commit = (): void =>
      bench.commit((op) => {
        if (op.type === 'load') loads.push(op);
        return undefined;
      });
    suspendParked(bench.host, entry, 'user');
    commit();
    const order = { entry, message: undefined, limits: undefined, done: () => undefined };
    bench.host.tell({ type: 'RESUME', order });
    commit();
    bench.host.tell({ type: 'CANCEL', thread, reason: 'no' });
    commit();
    const expected: readonly LoadOp[] = [
      { type: 'load', thread, withChildren: false, onlyRaises: true },
      { type: 'load', thread, withChildren: false, onlyRaises: true },
      { type: 'load', thread, withChildren: false, onlyRaises: false },
    ];
    expect(loads).toEqual(expected);
  });

  test('that is cancelled while it is being suspended ends after that', () => {
    const { bench, entry } = inLine();
    suspendParked(bench.host, entry, 'user');
    bench.host.tell({ type: 'CANCEL', thread: entry.lineage.thread, reason: 'no' });
    expect(written(bench)).toEqual(['suspended', 'cancelled']);
    expect([entry.phase, bench.problems]).toEqual(['ended', []]);
  });

  test('that is suspended while its cancellation is being written ends', () => {
    const { bench, entry } = inLine();
    bench.host.tell({ type: 'CANCEL', thread: entry.lineage.thread, reason: 'no' });
    suspendParked(bench.host, entry, 'user');
    expect(written(bench)).toEqual(['cancelled']);
    expect(entry.phase).toBe('ended');
  });
});

describe('The ending of a thread that is in no worker', () => {
  test('is written after the ends of children that its log lacks, each once', () => {
    const bench = createHostBench();
    const entry = bench.spawn();
    bench.host.tell({ type: 'SUSPENDED', thread: entry.lineage.thread, reason: 'user', cost: undefined });
    bench.host.tell({ type: 'CANCEL', thread: entry.lineage.thread, reason: 'no' });
    const events: StoredEvent[] = [];
    bench.commit((op) => {
      if (op.type === 'load') return loaded(entry, [child(7, 'completed'), child(8, 'running'), child(9, 'error')]);
      if (op.type === 'step') events.push(...decodeEvents(op.lines));
      return undefined;
    });
    expect(events.map(({ sequence, event_type }) => [sequence, event_type])).toEqual([
      [4, 'child_thread_ended'],
      [5, 'thread_cancelled'],
    ]);
    expect(events[0]?.payload).toMatchObject({ child_thread_id: idOf(9), status: 'error' });
    expect(entry.phase).toBe('ended');
  });
});

describe('The end of a thread that is in no worker has the tokens of caches', () => {
  const calls = [2, 3].map((sequence) => {
    const tokens = { input_tokens: 9, output_tokens: 1, cache_read_tokens: 10 ** sequence, cache_write_tokens: 0 };
    return encodeEvent({
      sequence,
      event_type: 'usage',
      time: 0,
      payload: { ...tokens, spend: 0, interrupted: false },
    });
  });
  const after = (state: object): StoredThread['checkpoint'] => ({ sequence: 2, turn: 1, state: JSON.stringify(state) });

  test.each<[string, StoredThread['checkpoint'], { readonly read: number; readonly write: number | undefined }]>([
    ['that its log has', undefined, { read: 1_100, write: undefined }],
    [
      'that its checkpoint has, and of the calls since',
      after({ cacheReadTokens: 7, cacheWriteTokens: 5 }),
      { read: 1_007, write: 5 },
    ],
    ['of the calls since, where its checkpoint has none', after({}), { read: 1_000, write: undefined }],
    [
      'of the calls since, where its checkpoint is damaged',
      { sequence: 2, turn: 1, state: '{' },
      { read: 1_000, write: undefined },
    ],
  ])('%s', (_name, checkpoint, { read, write }) => {
    const bench = createHostBench();
    const entry = bench.spawn();
    bench.host.tell({ type: 'SUSPENDED', thread: entry.lineage.thread, reason: 'user', cost: undefined });
    cancel(bench, entry);
    const events: StoredEvent[] = [];
    bench.commit((op) => {
      if (op.type === 'load') return loaded(entry, [], { lines: calls.join(''), checkpoint });
      if (op.type === 'step') events.push(...decodeEvents(op.lines));
      return undefined;
    });
    expect(entry.ending?.cost).toEqual({ ...NO_COST, cacheReadTokens: read, cacheWriteTokens: write });
    const told = { cache_read_tokens: read, ...(write && { cache_write_tokens: write }) };
    expect(events).toMatchObject([{ event_type: 'thread_cancelled', payload: { cost: told } }]);
  });
});

describe('The ending of a thread that took over from another one, and is in no worker', () => {
  test.each<[string, ThreadStatus | undefined, readonly number[]]>([
    ['comes after the ends of children that it has inherited, also of one that ends then', 'continued', [8, 9]],
    ['tells nothing of the children of one that it was resumed from', 'cancelled', []],
    ['is written also if that one can not be read, which is told', undefined, []],
  ])('%s', (_name, status, told) => {
    const bench = createHostBench();
    const first = bench.spawn();
    bench.end(bench.spawn({ parent: first }));
    const next = bench.handOver(first);
    const { thread } = next.lineage;
    bench.host.tell({ type: 'SUSPENDED', thread, reason: 'user', cost: undefined });
    cancel(bench, next);
    const events: StoredEvent[] = [];
    bench.commit((op) => {
      if (op.type === 'step') events.push(...decodeEvents(op.lines));
      if (op.type !== 'load') return undefined;
      if (op.thread === thread) return loaded(next, [], { predecessor: first.lineage.thread, lines: '' });
      bench.host.parking.get(next)?.set(idOf(9), endingOf('error'));
      const children = [child(7, 'completed'), child(8, 'error'), child(9, 'running')];
      return status ? loaded(first, children, { status }) : DISK_FULL;
    });
    const ends = told.map((no) => ({
      event_type: 'child_thread_ended',
      payload: { child_thread_id: idOf(no), status: 'error' },
    }));
    expect(events).toMatchObject([...ends, { event_type: 'thread_cancelled' }]);
    expect(next.phase).toBe('ended');
    expect(bench.problems).toMatchObject(status ? [] : [{ code: 'store_failed', message: 'disk full' }]);
  });
});

describe('A child that ends while its suspended parent is being ended', () => {
  test('is in the log of the parent, although its row was read as running', () => {
    const bench = createHostBench({ child_policy: { on_parent_cancel: 'allow' } });
    const parent = bench.spawn();
    const one = bench.spawn({ parent });
    bench.host.tell({ type: 'SUSPENDED', thread: parent.lineage.thread, reason: 'user', cost: undefined });
    cancel(bench, parent);
    bench.end(one, 'error');
    const { threadId } = one.lineage;
    const events: StoredEvent[] = [];
    bench.commit((op) => {
      if (op.type === 'load') return loaded(parent, [{ ...child(8, 'running'), threadId }]);
      if (op.type === 'step') events.push(...decodeEvents(op.lines));
      return undefined;
    });
    expect(events).toMatchObject([
      { event_type: 'child_thread_started', payload: { child_thread_id: threadId } },
      { event_type: 'child_thread_ended', payload: { child_thread_id: threadId, status: 'error' } },
      { event_type: 'thread_cancelled' },
    ]);
  });
});

describe('What is read of a thread that is to be ended', () => {
  test.each([
    [false, 'without children'],
    [true, 'with a child'],
  ])('withChildren is %s of one %s', (withChildren, _name) => {
    const bench = createHostBench();
    const entry = bench.spawn();
    if (withChildren) bench.end(bench.spawn({ parent: entry }));
    bench.host.tell({ type: 'SUSPENDED', thread: entry.lineage.thread, reason: 'user', cost: undefined });
    cancel(bench, entry);
    const load: LoadOp = { type: 'load', thread: entry.lineage.thread, withChildren, onlyRaises: false };
    expect(bench.pending).toEqual([load]);
  });
});

describe('A thread in line whose suspension cannot be written', () => {
  test('is in line again as it was, and starts when its turn comes', () => {
    const { bench, entry, first } = inLine();
    suspendParked(bench.host, entry, 'user');
    bench.commit(() => DISK_FULL);
    expect([entry.phase, bench.host.parking.size, bench.problems.length]).toEqual(['queued', 0, 1]);
    bench.end(first);
    expect(bench.sent.at(-1)).toMatchObject({ type: 'start', lineage: entry.lineage });
  });

  test('starts also when its turn came while the store was asked', () => {
    const { bench, entry, first } = inLine();
    suspendParked(bench.host, entry, 'user');
    bench.end(first);
    expect(bench.started()).toEqual([first.lineage.thread]);
    bench.commit(() => DISK_FULL);
    expect([entry.phase, bench.host.slots.taken()]).toEqual(['running', 1]);
  });

  test('stays where it is when the runtime closes meanwhile', async () => {
    const { bench, entry, first } = inLine();
    suspendParked(bench.host, entry, 'user');
    bench.end(first);
    bench.host.tell({ type: 'DRAIN', graceMs: 10 });
    bench.commit(() => DISK_FULL);
    expect(bench.started()).toEqual([first.lineage.thread]);
    expect(await bench.supervisor.stopped).toBeUndefined();
  });

  test('is ended if it has been cancelled meanwhile', () => {
    const { bench, entry, first } = inLine();
    suspendParked(bench.host, entry, 'user');
    cancel(bench, entry);
    bench.commit((op) => (op.type === 'step' && op.status?.to === 'suspended' ? DISK_FULL : undefined));
    expect([entry.phase, entry.ending?.status]).toEqual(['ended', 'cancelled']);
    bench.end(first);
    expect(bench.started()).toEqual([first.lineage.thread]);
  });

  test('tells those who wait for it why', () => {
    const { bench, entry } = inLine();
    const heard: unknown[] = [];
    suspendParked(bench.host, entry, 'user');
    entry.waiters = new Set([(failure) => void heard.push(failure?.code)]);
    bench.commit(() => DISK_FULL);
    expect(heard).toEqual(['store_failed']);
  });
});

describe('A thread whose cancellation cannot be written', () => {
  test('in line is in line again, and can be cancelled later', () => {
    const { bench, entry } = inLine();
    cancel(bench, entry);
    bench.commit(() => DISK_FULL);
    expect([entry.phase, entry.cancelReason, entry.order?.kind]).toEqual(['queued', undefined, 'start']);
    cancel(bench, entry);
    expect(written(bench)).toEqual(['cancelled']);
    expect(entry.phase).toBe('ended');
  });

  test.each<[string, (bench: HostBench, parent: ThreadEntry) => void]>([
    ['is cancelled', cancel],
    ['has ended with an error', (bench, parent) => bench.end(parent, 'error')],
  ])('because its parent %s does not start after all, and can be cancelled later', (_name, stop) => {
    const bench = createHostBench({ concurrency: { max_total_threads: 1, max_concurrent_children: 5 } });
    const parent = bench.spawn();
    const entry = bench.spawn({ parent });
    stop(bench, parent);
    bench.commit(() => DISK_FULL);
    bench.end(parent, 'cancelled');
    expect([entry.phase, entry.suspendReason, bench.started()]).toEqual(['suspended', 'error', [1]]);
    cancel(bench, entry);
    expect(written(bench)).toEqual(['cancelled']);
  });

  test('stays in line if the policy lets it outlive its parent', () => {
    const bench = createHostBench({
      child_policy: { on_parent_error: 'allow' },
      concurrency: { max_total_threads: 1, max_concurrent_children: 5 },
    });
    const parent = bench.spawn();
    const next = bench.spawn();
    const entry = bench.spawn({ parent });
    bench.end(parent, 'error');
    cancel(bench, entry);
    bench.commit(() => DISK_FULL);
    bench.end(next);
    expect(entry.phase).toBe('running');
  });

  test('before its row was there is put in line', () => {
    const bench = createHostBench();
    bench.host.tell({ type: 'PREPARED', order: { spec: specWith(1), parent: undefined, done: () => undefined } });
    bench.host.tell({ type: 'CANCEL', thread: 1, reason: 'no' });
    bench.commit((op) => (op.type === 'load' ? DISK_FULL : undefined));
    expect(bench.started()).toEqual([1]);
  });

  test('when suspended stays suspended, and can be resumed', () => {
    const bench = createHostBench();
    const entry = bench.spawn();
    bench.host.tell({ type: 'SUSPENDED', thread: entry.lineage.thread, reason: 'user', cost: undefined });
    cancel(bench, entry);
    bench.commit(() => DISK_FULL);
    const answers: unknown[] = [];
    const order = { entry, message: undefined, limits: undefined, done: (given: unknown) => void answers.push(given) };
    bench.host.tell({ type: 'RESUME', order });
    bench.commit();
    expect(answers).toMatchObject([{ ok: true }]);
    expect(entry.phase).toBe('running');
  });
});

test('a thread with a damaged log stands as it stood when it is cancelled, and whoever cancels it hears why', () => {
  const bench = createHostBench();
  const entry = bench.spawn();
  bench.host.tell({ type: 'SUSPENDED', thread: entry.lineage.thread, reason: 'user', cost: undefined });
  cancel(bench, entry);
  const damaged = '{"sequence":4,"event_type":"child_thread_started","time":0,"pay\n';
  bench.commit((op) => (op.type === 'load' ? loaded(entry, [child(7, 'running')], { more: damaged }) : undefined));
  expect([entry.phase, entry.cancelReason, bench.host.parking.size]).toEqual(['suspended', undefined, 0]);
  expect(bench.problems).toMatchObject([{ code: 'store_failed', message: expect.stringContaining('JSON') }]);
});

test('a thread that could not be set up, and whose ending cannot be written, gives its slot back', () => {
  const { bench, entry, first } = inLine();
  endParked(bench.host, first, { status: 'error', failure: { code: 'item_not_found', message: 'gone' } });
  bench.commit(() => DISK_FULL);
  expect(first).toMatchObject({ phase: 'suspended', suspendReason: 'error', worker: -1 });
  expect(entry.phase).toBe('running');
});

const DISK_FULL: StoreResult = { type: 'failed', failure: { code: 'store_failed', message: 'disk full' } };

function cancel({ host }: HostBench, { lineage }: ThreadEntry): void {
  host.tell({ type: 'CANCEL', thread: lineage.thread, reason: 'no' });
}

function idOf(thread: number): ThreadId {
  return `thread-${thread}`;
}

function child(thread: number, status: ThreadStatus): StoredChild {
  return { threadId: idOf(thread), directive: 'demo/child', status, cost: NO_COST };
}

type Loaded = Partial<Pick<ThreadRow, 'predecessor' | 'status'>> & {
  readonly more?: string;
  readonly lines?: string;
  readonly checkpoint?: StoredThread['checkpoint'];
};

/** A suspended parent whose log has three events: it knows its three children, and the end of the first. */
function loaded(
  { lineage }: ThreadEntry,
  children: readonly StoredChild[],
  { more = '', lines, checkpoint, ...row }: Loaded = {},
): StoreResult {
  const event = (sequence: number, event_type: EventType, number: number): string =>
    encodeEvent({ sequence, event_type, time: 0, payload: { child_thread_id: idOf(number) } });
  const starts = [7, 8, 9].map((number) => event(1, 'child_thread_started', number)).join('');
  const status = { status: 'suspended', suspendReason: 'user', ending: undefined, createdAt: 0, updatedAt: 0 } as const;
  return {
    type: 'loaded',
    thread: {
      row: { ...lineage, directive: 'demo/task', model: 'scripted:main', cost: NO_COST, ...status, ...row },
      spec: '{}',
      checkpoint,
      lines: lines ?? starts + event(3, 'child_thread_ended', 7) + more,
      lastSequence: 3,
      children,
    },
  };
}

/** A thread that waits for the one slot, which another one has. */
function inLine(): { readonly bench: HostBench; readonly entry: ThreadEntry; readonly first: ThreadEntry } {
  const bench = createHostBench({ concurrency: { max_total_threads: 1 } });
  const first = bench.spawn();
  return { bench, entry: bench.spawn(), first };
}

/** Lets the store answer; returns the statuses it was given. */
function written(bench: HostBench): string[] {
  const statuses: string[] = [];
  bench.commit((op: StoreOp) => {
    if (op.type === 'step' && op.status) statuses.push(op.status.to);
    return undefined;
  });
  return statuses;
}

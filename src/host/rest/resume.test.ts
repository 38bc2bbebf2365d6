import { describe, expect, test } from 'vitest';
import { createHostBench, wholeSpecWith, suspendedRow, type HostBench } from '../../../test/fixtures/host-bench.ts';
import { SkeinError } from '../../core/errors.ts';
import { encodeEvent } from '../../core/events.ts';
import type { LimitOverrides } from '../../core/limits.ts';
import type { Result } from '../../core/result.ts';
import type { StoreOp, StoreResult, ThreadRow } from '../../core/store.ts';
import { NOTHING_STORED } from '../../store/untouched.ts';
import { suspendByUser, untilRested } from '../handle/create-handle.ts';
import { createWaitFollowing } from '../operations/wait-following.ts';
import { isInterrupted } from './interrupted.ts';
import { endParked, suspendParked } from './parked-ending.ts';
import { createRecall } from './recall.ts';
import { orderToGoOn } from './resume.ts';
import type { ThreadEntry } from './thread-table.ts';

const DISK_FULL: StoreResult = { type: 'failed', failure: { code: 'store_failed', message: 'disk full' } };

describe('Resuming with a higher spend', () => {
  test('asks the store for it, in the step that says that it goes on, before the thread stands in line', () => {
    const { bench, entry } = suspended();
    const answer = resume(bench, entry, { spend: 2 });
    expect([entry.phase, answer()]).toEqual(['suspended', undefined]);
    const ops: StoreOp[] = [];
    bench.commit((op) => void ops.push(op));
    const { thread } = entry.lineage;
    expect(ops).toMatchObject([
      { type: 'load', thread },
      { type: 'step', thread, status: { to: 'suspended', reason: 'shutdown' }, ceiling: 2_000_000_000 },
    ]);
    expect([entry.phase, answer()?.ok]).toEqual(['running', true]);
  });

  test('is refused when the parent cannot give it, and can be tried again', () => {
    const { bench, entry } = suspended();
    const answer = resume(bench, entry, { spend: 2 });
    const failure = { code: 'budget_refused', message: 'too much', detail: { remaining: 5 } } as const;
    bench.commit((op) => (op.type === 'step' ? { type: 'failed', failure } : undefined));
    expect(answer()).toMatchObject({ ok: false, failure: { code: 'budget_refused', detail: { remaining: 5 } } });
    expect(answer()).toMatchObject({ failure: { message: expect.stringContaining('cannot be given 2 USD') } });
    expect([entry.phase, bench.problems]).toEqual(['suspended', []]);
    const again = resume(bench, entry);
    bench.commit();
    expect(again()?.ok).toBe(true);
  });

  test.each([
    ['user', 'It stands where it stood.* resume it again'],
    ['shutdown', 'it may go on, or end, without what was said: look at its status'],
  ])('says what failed and what can be done when the store fails (suspended by %s)', (reason, advice) => {
    const { bench, entry } = suspended(1, reason);
    const answer = resume(bench, entry, { spend: 2 });
    bench.commit(() => ({ type: 'failed', failure: { code: 'store_failed', message: 'disk full' } }));
    const { threadId } = entry.lineage;
    const message = expect.stringMatching(`^Thread ${threadId} could not be resumed: disk full. .*${advice}`);
    expect(answer()).toMatchObject({ ok: false, failure: { code: 'store_failed', message } });
    expect(bench.problems).toMatchObject([{ message }]);
  });

  test('is not done twice at the same time', () => {
    const { bench, entry } = suspended();
    const first = resume(bench, entry, { spend: 2 });
    expect(resume(bench, entry)()).toMatchObject({ ok: false, failure: { code: 'invalid_argument' } });
    bench.commit();
    expect(first()?.ok).toBe(true);
    expect(bench.started()).toEqual([1, 1]);
  });

  test('gives way to a cancellation that comes meanwhile', () => {
    const { bench, entry } = suspended();
    const answer = resume(bench, entry, { spend: 2 });
    bench.host.tell({ type: 'CANCEL', thread: entry.lineage.thread, reason: 'no' });
    bench.commit();
    expect(answer()?.ok).toBe(false);
    expect(entry).toMatchObject({ phase: 'ended', ending: { status: 'cancelled' } });
    expect(bench.started()).toEqual([1]);
  });

  test('counts for the next runtime when this one drains meanwhile', () => {
    const { bench, entry } = suspended();
    const answer = resume(bench, entry, { spend: 2 });
    bench.host.tell({ type: 'DRAIN', graceMs: 10 });
    bench.commit();
    expect([answer()?.ok, entry.phase, entry.resuming]).toEqual([true, 'suspended', false]);
    expect(bench.started()).toEqual([1]);
  });
});

describe('A thread that is to end with its last child', () => {
  test('is not resumed meanwhile', () => {
    const { bench, parent, child } = toEnd('suspended');
    const answer = resume(bench, parent);
    expect(answer()).toMatchObject({ ok: false, failure: { message: expect.stringContaining('is to end') } });
    expect(bench.pending).toEqual([]);
    bench.end(child);
    bench.commit();
    expect(parent.ending?.status).toBe('error');
  });

  test('ends also if that child ends while a suspension is written', () => {
    const { bench, parent, child } = toEnd('queued');
    suspendParked(bench.host, parent, 'user');
    bench.end(child);
    bench.commit();
    expect([parent.phase, parent.ending?.status]).toEqual(['ended', 'error']);
  });

  test('ends also if that suspension fails', () => {
    const { bench, parent, child } = toEnd('queued');
    suspendParked(bench.host, parent, 'user');
    bench.end(child);
    bench.commit((op) => (op.type === 'step' && op.status?.to === 'suspended' ? DISK_FULL : undefined));
    expect([parent.phase, parent.ending?.status]).toEqual(['ended', 'error']);
  });

  function toEnd(phase: 'suspended' | 'queued') {
    const bench = createHostBench({ child_policy: { on_parent_error: 'wait' } });
    const parent = bench.spawn();
    const child = bench.spawn({ parent });
    bench.host.tell({ type: 'SUSPENDED', thread: parent.lineage.thread, reason: 'limit', cost: undefined });
    parent.phase = phase;
    endParked(bench.host, parent, { status: 'error', failure: { code: 'turns_exceeded', message: 'no' } });
    return { bench, parent, child };
  }
});

describe('A suspension that is asked for while a resumption is written', () => {
  test('is carried out once that is on disk, and is told then', async () => {
    const { bench, entry } = suspended();
    const answer = resume(bench, entry, { turns: 3 });
    const rested = askToSuspend(bench, entry);
    const reasons = written(bench);
    expect([answer()?.ok, entry.phase, entry.suspendReason]).toEqual([true, 'suspended', 'user']);
    expect([reasons, bench.started()]).toEqual([['shutdown', 'user'], [1]]);
    expect(await rested).toBeUndefined();
    resume(bench, entry);
    bench.commit();
    expect(bench.started()).toEqual([1, 1]);
    expect(entry.suspendAsked).toBeUndefined();
  });

  test('waits for that: a thread that goes on is not suspended', async () => {
    const { bench, entry } = suspended();
    resume(bench, entry);
    let isRested = false;
    const rested = askToSuspend(bench, entry).then(() => (isRested = true));
    await new Promise(setImmediate);
    expect(isRested).toBe(false);
    bench.commit();
    await rested;
  });

  test('is done with when that fails: the thread is suspended as it was', async () => {
    const { bench, entry } = suspended();
    const answer = resume(bench, entry);
    const rested = askToSuspend(bench, entry);
    bench.commit((op) => (op.type === 'step' ? DISK_FULL : undefined));
    expect([answer()?.ok, entry.phase, entry.suspendAsked]).toEqual([false, 'suspended', undefined]);
    expect(await rested).toBeUndefined();
    expect(bench.started()).toEqual([1]);
  });

  test('is carried out, too, in a runtime that drains', async () => {
    const { bench, entry } = suspended();
    const answer = resume(bench, entry);
    const rested = askToSuspend(bench, entry);
    bench.host.tell({ type: 'DRAIN', graceMs: 10 });
    expect(written(bench)).toEqual(['shutdown', 'user']);
    expect([answer()?.ok, entry.phase, entry.suspendReason]).toEqual([true, 'suspended', 'user']);
    expect(await rested).toBeUndefined();
    expect(await bench.supervisor.stopped).toBeUndefined();
  });

  test('is carried out, too, if that fails for one that a runtime had interrupted', async () => {
    const { bench, entry } = suspended(1, 'shutdown');
    resume(bench, entry, { turns: 3 });
    const rested = askToSuspend(bench, entry);
    const reasons = written(bench, (reason) => (reason === 'shutdown' ? DISK_FULL : undefined));
    expect([reasons, entry.phase, entry.suspendReason]).toEqual([['shutdown', 'user'], 'suspended', 'user']);
    expect(await rested).toBeUndefined();
  });

  test('gives way to a cancellation', async () => {
    const { bench, entry } = suspended();
    resume(bench, entry);
    const rested = askToSuspend(bench, entry);
    bench.host.tell({ type: 'CANCEL', thread: entry.lineage.thread, reason: 'no' });
    expect(written(bench)).toEqual(['shutdown']);
    expect(entry.ending?.status).toBe('cancelled');
    expect(await rested).toBeUndefined();
  });
});

describe('A suspension of what the end of a runtime has interrupted', () => {
  test('is written with its own reason, and is told then: nobody takes the thread up', async () => {
    const { bench, entry } = suspended(1, 'shutdown');
    let isRested = false;
    const rested = askToSuspend(bench, entry).then(() => (isRested = true));
    await new Promise(setImmediate);
    expect([isRested, isInterrupted(entry)]).toEqual([false, false]);
    expect(written(bench)).toEqual(['user']);
    await rested;
    expect([entry.phase, entry.suspendReason, entry.suspendAsked]).toEqual(['suspended', 'user', undefined]);
    resume(bench, entry);
    bench.commit();
    expect(entry.phase).toBe('running');
  });

  test('that can not be written is told, and leaves the thread interrupted', async () => {
    const { bench, entry } = suspended(1, 'shutdown');
    const rested = askToSuspend(bench, entry);
    bench.commit(() => DISK_FULL);
    expect(await rested).toMatchObject({ code: 'store_failed' });
    expect(isInterrupted(entry)).toBe(true);
  });

  test('gives way to a cancellation', async () => {
    const { bench, entry } = suspended(1, 'shutdown');
    const rested = askToSuspend(bench, entry);
    bench.host.tell({ type: 'CANCEL', thread: entry.lineage.thread, reason: 'no' });
    bench.commit();
    await rested;
    expect(entry.ending?.status).toBe('cancelled');
  });

  test('is carried out, too, in a runtime that drains', async () => {
    const { bench, entry } = suspended(1, 'shutdown');
    const rested = askToSuspend(bench, entry);
    bench.host.tell({ type: 'DRAIN', graceMs: 10 });
    expect(written(bench)).toEqual(['user']);
    expect(await rested).toBeUndefined();
    expect(await bench.supervisor.stopped).toBeUndefined();
  });
});

function askToSuspend({ host }: HostBench, entry: ThreadEntry): Promise<unknown> {
  suspendByUser(host, entry);
  return untilRested(entry, host, () => false);
}

/** The reasons of the suspensions that are written. */
function written(bench: HostBench, refuse: (reason: string) => StoreResult | undefined = () => undefined): string[] {
  const reasons: string[] = [];
  bench.commit((op) => {
    if (op.type !== 'step' || op.status?.to !== 'suspended') return undefined;
    reasons.push(op.status.reason);
    return refuse(op.status.reason);
  });
  return reasons;
}

test('standing in line again and again takes one place in it', () => {
  const bench = createHostBench({ concurrency: { max_total_threads: 1 } });
  const entry = bench.spawn();
  const suspend = (): void =>
    bench.host.tell({ type: 'SUSPENDED', thread: entry.lineage.thread, reason: 'user', cost: undefined });
  suspend();
  const first = bench.spawn();
  for (let round = 0; round < 5; round++) {
    resume(bench, entry);
    bench.commit();
    suspendParked(bench.host, entry, 'user');
    bench.commit();
  }
  resume(bench, entry);
  bench.commit();
  expect(bench.host.slots.queued()).toBe(1);
  bench.end(first);
  expect([entry.phase, bench.host.slots.queued(), bench.host.slots.taken()]).toEqual(['running', 0, 1]);
});

test('resuming with more spawns lets the thread have them', () => {
  const { bench, entry } = suspended(0);
  expect(bench.trySpawn({ parent: entry })).toMatchObject({ ok: false, failure: { code: 'spawns_exceeded' } });
  resume(bench, entry, { spawns: 1 });
  bench.commit();
  expect(bench.trySpawn({ parent: entry }).ok).toBe(true);
});

describe('What a child may go on with', () => {
  test.each(['thread_resumed', 'approval_resolved'] as const)(
    'is what its parent has since %s, though no worker has written that down yet',
    (event_type) => {
      const line = encodeEvent({ sequence: 2, event_type, time: 0, payload: { limits: { turns: 50 } } });
      const spec = JSON.stringify(wholeSpecWith(1));
      const bench = createHostBench({}, { reader: { ...NOTHING_STORED, spec: () => spec, raises: () => [line] } });
      const entry = bench.spawn({ parent: bench.spawn() });
      bench.host.tell({ type: 'SUSPENDED', thread: entry.lineage.thread, reason: 'user', cost: undefined });
      const tooMuch = resume(bench, entry, { turns: 51 });
      expect(tooMuch()).toMatchObject({ ok: false, failure: { code: 'invalid_argument' } });
      const asMuch = resume(bench, entry, { turns: 50 });
      bench.commit();
      expect(asMuch()?.ok).toBe(true);
    },
  );
});

test('what was interrupted below a thread goes on with it, and nothing else does', () => {
  const asked: number[][] = [];
  const isInterrupted = (root: number, after: number): boolean => asked.push([root, after]) > 0;
  const bench = createHostBench({}, { reader: { ...NOTHING_STORED, isInterrupted } });
  const suspend = (entry: ThreadEntry, reason: 'user' | 'shutdown'): ThreadEntry => {
    bench.host.tell({ type: 'SUSPENDED', thread: entry.lineage.thread, reason, cost: undefined });
    return entry;
  };
  const parent = bench.spawn({ spawns: 9 });
  const children = [bench.spawn({ parent, spawns: 9 }), bench.spawn({ parent })];
  const below = bench.spawn({ parent: children[0] });
  const other = bench.spawn();
  suspend(parent, 'user');
  for (const entry of [children[0], below, other]) if (entry) suspend(entry, 'shutdown');
  if (children[1]) suspend(children[1], 'user');
  resume(bench, parent);
  bench.commit();
  expect([parent, children[0], below].map((entry) => entry?.phase)).toEqual(['running', 'running', 'running']);
  expect([children[1], other].map((entry) => entry?.phase)).toEqual(['suspended', 'suspended']);
  // Once for all of them.
  expect(asked).toEqual([[parent.lineage.root, parent.lineage.thread]]);
  expect(bench.problems).toEqual([]);
});

test.each<[string, StoreResult | undefined, readonly string[]]>([
  ['waits for its next rest', undefined, []],
  ['hears that it is suspended if that fails', DISK_FULL, ['suspended']],
])('whoever waits for a thread whose resumption is being written %s', (_name, answer, heard) => {
  const { bench, entry } = suspended();
  resume(bench, entry);
  const statuses: string[] = [];
  createWaitFollowing({ host: bench.host, recall: createRecall(bench.host.reader), isStopped: () => false })({
    threadIds: [entry.lineage.threadId],
    timeoutMs: undefined,
    until: 'all',
    isVisible: () => true,
    done: (waited) => waited.ok && statuses.push(...waited.value.map(({ status }) => status)),
  });
  expect(statuses).toEqual([]);
  bench.commit((op) => (op.type === 'step' ? answer : undefined));
  expect(statuses).toEqual(heard);
  bench.end(entry);
  expect(statuses).toEqual(heard.length > 0 ? heard : ['completed']);
});

test('a resumption is told once its row says that the thread goes on, with what it was resumed with', () => {
  const { bench, entry } = suspended();
  let told = false;
  const limits = { turns: 3 };
  bench.host.tell({ type: 'RESUME', order: { entry, message: 'hi', limits, done: () => (told = true) } });
  const lines: string[] = [];
  bench.commit((op) => {
    expect(told).toBe(false);
    if (op.type === 'step') lines.push(op.lines);
    return undefined;
  });
  expect([told, entry.phase]).toEqual([true, 'running']);
  expect(lines.map((line): unknown => JSON.parse(line))).toMatchObject([
    { event_type: 'thread_resumed', payload: { message: 'hi', limits } },
  ]);
});

test.each([
  ['waits for its turn', false],
  ['was acknowledged while its runtime closes', true],
])('what an ended thread is resumed with is in the row of the one that goes on, which %s', (_name, isClosing) => {
  const spec = JSON.stringify({ ...wholeSpecWith(1), message: 'before' });
  const reader = { ...NOTHING_STORED, threadByNo: () => row, spec: () => spec };
  const bench = createHostBench({}, { reader });
  const entry = bench.spawn();
  const { lineage } = entry;
  const row: ThreadRow = { ...suspendedRow(lineage), status: 'completed', ending: '{}' };
  bench.end(entry);
  const limits = { turns: 3, spend: 2 };
  const told: unknown[] = [];
  const done = (answer: unknown): void => void told.push(answer);
  bench.host.tell({ type: 'RESUME', order: { entry, message: 'hi', limits, done } });
  if (isClosing) bench.host.tell({ type: 'DRAIN', graceMs: 10 });
  const ops: StoreOp[] = [];
  bench.commit((op) => void ops.push(op));
  expect(told).toMatchObject([{ ok: true }]);
  expect(ops).toMatchObject([{ type: 'admit', predecessor: lineage.thread, ceiling: 2_000_000_000 }]);
  const stored: unknown = ops[0]?.type === 'admit' && JSON.parse(ops[0].spec);
  expect(stored).toMatchObject({ message: 'hi', limits: { turns: 3, spend: 2_000_000_000 } });
});

test('what the end of a runtime has interrupted goes on without a word to the store', () => {
  const { bench, entry } = suspended(1, 'shutdown');
  expect([resume(bench, entry)()?.ok, entry.phase, bench.pending]).toEqual([true, 'running', []]);
});

test('what its parent could not take along, since its own resumption was being written, goes on if that is refused', () => {
  const reader = { ...NOTHING_STORED, isInterrupted: () => true, spec: () => JSON.stringify(wholeSpecWith(10)) };
  const bench = createHostBench({}, { reader });
  const parent = bench.spawn();
  const child = bench.spawn({ parent });
  for (const { lineage } of [child, parent])
    bench.host.tell({ type: 'SUSPENDED', thread: lineage.thread, reason: 'shutdown', cost: undefined });
  const answer = resume(bench, child, { spend: 50 });
  resume(bench, parent);
  expect([parent.phase, child.phase]).toEqual(['running', 'suspended']);
  const failure = { code: 'budget_refused', message: 'too much' } as const;
  bench.commit((op) => (op.type === 'step' ? { type: 'failed', failure } : undefined));
  expect([answer()?.ok, child.phase]).toEqual([false, 'running']);
});

test('That a thread which is to go on is cancelled meanwhile is no problem', () => {
  const { config } = createHostBench().host;
  const bench = createHostBench({}, { config: { ...config, budget: { releaseSuspended: true } } });
  const entry = bench.spawn();
  bench.host.tell({ type: 'SUSPENDED', thread: entry.lineage.thread, reason: 'shutdown', cost: undefined });
  bench.host.tell({ type: 'RESUME', order: orderToGoOn(bench.host, entry) });
  bench.host.tell({ type: 'CANCEL', thread: entry.lineage.thread, reason: 'enough' });
  bench.commit();
  expect([entry.ending?.status, bench.problems]).toEqual(['cancelled', []]);
});

test('Resuming is answered also when what is asked of a person can not be read', () => {
  const approvals = (): never => {
    throw new SkeinError('store_failed', 'disk full');
  };
  const bench = createHostBench({}, { reader: { ...NOTHING_STORED, approvals } });
  const entry = bench.spawn();
  bench.host.tell({ type: 'SUSPENDED', thread: entry.lineage.thread, reason: 'limit', cost: undefined });
  expect(resume(bench, entry)()).toMatchObject({ ok: false, failure: { code: 'store_failed', message: 'disk full' } });
  expect([entry.phase, bench.problems]).toEqual(['suspended', []]);
});

function suspended(spawns = 1, reason = 'user'): { readonly bench: HostBench; readonly entry: ThreadEntry } {
  const bench = createHostBench();
  const entry = bench.spawn({ spawns });
  bench.host.tell({ type: 'SUSPENDED', thread: entry.lineage.thread, reason, cost: undefined });
  return { bench, entry };
}

function resume(
  { host }: HostBench,
  entry: ThreadEntry,
  limits?: LimitOverrides,
): () => Result<ThreadEntry> | undefined {
  let answer: Result<ThreadEntry> | undefined;
  const done = (given: Result<ThreadEntry>): void => void (answer = given);
  host.tell({ type: 'RESUME', order: { entry, message: undefined, limits, done } });
  return () => answer;
}

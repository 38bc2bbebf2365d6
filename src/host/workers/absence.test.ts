import { describe, expect, test } from 'vitest';
import { createHostBench, type HostBench, type Resilience } from '../../../test/fixtures/host-bench.ts';
import { NO_COST } from '../../core/limits.ts';
import type { LeftThread, WorkerCommand } from '../../core/protocol.ts';
import { hasLeft, hasStayed } from './absence.ts';
import { createHandle } from '../handle/create-handle.ts';
import { createSymbolQuestions } from './symbol-questions.ts';
import { createHostFunctions } from './host-functions.ts';
import { takeOut } from './lost-thread.ts';
import { createOperations } from '../operations/dispatcher.ts';
import { liveThreads } from '../operations/live-threads.ts';
import { createRecall } from '../rest/recall.ts';
import { createQuestionHandler } from './questions.ts';
import type { ThreadEntry } from '../rest/thread-table.ts';

const LONG_MS = 60_000;
const LEFT: LeftThread = { sequence: 7, cost: NO_COST, startedAt: 0, deadline: 600_000 };

describe('A thread that waits for others', () => {
  test('leaves its worker when it has waited for long, and no sooner', () => {
    const it = waiting();
    it.bench.clock.advance(LONG_MS - 1);
    expect(it.told('leave')).toEqual([]);
    it.bench.clock.advance(1);
    expect(it.told('leave')).toEqual([{ type: 'leave', thread: it.parent.lineage.thread }]);
    it.left();
    expect([it.parent.phase, it.parent.worker, it.bench.host.load]).toEqual(['waiting', -1, [3]]);
  });

  test('leaves it then, also if the clock is moved back by hours', () => {
    const it = waiting();
    it.bench.clock.set(-5 * 3_600_000);
    it.bench.clock.advance(LONG_MS);
    expect(it.told('leave')).toHaveLength(1);
  });

  test.each([null, 0])('stays for ever if that is what %s says', (passivate_waiting_seconds) => {
    const it = waiting({ coordination: { passivate_waiting_seconds } });
    it.bench.clock.advance(10 * LONG_MS);
    expect(it.told('leave')).toEqual([]);
  });

  test('counts from its last wait', () => {
    const it = waiting();
    it.bench.clock.advance(LONG_MS / 2);
    it.end(it.child);
    it.wait(2, 'second', [it.sibling]);
    it.bench.clock.advance(LONG_MS - 1);
    expect(it.told('leave')).toEqual([]);
    it.bench.clock.advance(1);
    expect(it.told('leave')).toHaveLength(1);
  });

  test('is asked again when it had something to do', () => {
    const it = waiting();
    it.bench.clock.advance(LONG_MS);
    hasStayed(it.bench.host, it.parent);
    it.bench.clock.advance(LONG_MS);
    expect(it.told('leave')).toHaveLength(2);
  });

  test.each<[string, (it: Waiting) => void]>([
    ['whose hook waits', (it) => it.wait(2, undefined)],
    ['two of whose calls have one id', (it) => it.wait(2, 'first')],
    ['that is to suspend', (it) => (it.parent.suspendAsked = 'user')],
    ['that is being cancelled', (it) => it.cancel(it.parent)],
    ['that is to hand over', (it) => (it.parent.handOverAsked = true)],
    ['that runs apart from all others', (it) => (it.parent.apart = { worker: 0 })],
  ])('stays: one %s', (_name, change) => {
    const it = waiting();
    change(it);
    it.bench.clock.advance(2 * LONG_MS);
    expect(it.told('leave')).toEqual([]);
  });
});

describe('A thread that has left its worker', () => {
  test('comes back with the end of its child, and gets the answer to the wait that it began', () => {
    const it = away();
    it.end(it.child);
    const { lineage } = it.parent;
    const calls = [{ id: 'first', directive: 'demo/task', since: 0 }];
    expect(it.sent().map(({ type }) => type)).toEqual(['resume', 'childEnded']);
    expect(it.sent()[0]).toEqual({
      type: 'resume',
      lineage,
      hasChildren: true,
      message: undefined,
      limits: undefined,
      waiting: { startedAt: 0, deadline: 600_000, calls },
    });
    it.again(9, 'first');
    expect(it.told('answer')).toMatchObject([{ ref: 9, value: [{ status: 'completed' }] }]);
    expect([it.parent.phase, it.parent.openWaits?.size, it.bench.clock.pending()]).toEqual(['running', 0, 1]);
  });

  test('goes on with a slot, for which it stands in line like any other', () => {
    const it = away({ concurrency: { max_total_threads: 1 } });
    const other = it.bench.spawn();
    it.bench.host.tell({ type: 'SUSPENDED', thread: it.child.lineage.thread, reason: 'limit', cost: undefined });
    expect([it.parent.worker, it.parent.phase, other.phase]).toEqual([0, 'running', 'queued']);
    expect([it.bench.host.slots.taken(), it.told('resume').length]).toEqual([1, 1]);
    it.again(9, 'first');
    expect(it.told('answer')).toMatchObject([{ value: [{ status: 'suspended' }] }]);
  });

  test('has the deadline that its wait had, and no other', () => {
    const it = away({}, 100_000);
    it.bench.clock.advance(100_000 - LONG_MS - 1);
    expect(it.sent()).toEqual([]);
    it.bench.clock.advance(1);
    it.again(9, 'first');
    expect(it.told('answer')).toMatchObject([{ value: [{ status: 'timeout' }] }]);
  });

  test('waits on for what is left when it comes back for one of two answers', () => {
    const it = away({}, undefined, (begun) => begun.wait(2, 'second', [begun.sibling]));
    it.end(it.child);
    it.again(9, 'first');
    it.again(10, 'second');
    expect(it.told('answer')).toMatchObject([{ ref: 9 }]);
    it.bench.host.tell({ type: 'WAITING', thread: it.parent.lineage.thread });
    it.end(it.sibling);
    expect(it.told('answer')).toMatchObject([{ ref: 9 }, { ref: 10 }]);
    expect(it.parent.openWaits?.size).toBe(0);
  });

  test('is back at once when its duration was over before it had left', () => {
    const it = waiting();
    it.bench.clock.advance(LONG_MS);
    it.left({ ...LEFT, deadline: LONG_MS - 1 });
    expect(it.told('resume')).toEqual([]);
    it.bench.clock.advance(0);
    expect(it.told('resume')).toMatchObject([{ waiting: { deadline: LONG_MS - 1 } }]);
  });

  test('is back when its duration is over, without an answer and without a slot', () => {
    const it = away({ concurrency: { max_total_threads: 1 } });
    it.bench.clock.advance(600_000 - LONG_MS);
    expect(it.sent()).toMatchObject([{ type: 'resume', waiting: { deadline: 600_000 } }]);
    expect([it.parent.phase, it.parent.worker, it.bench.host.slots.taken()]).toEqual(['waiting', 0, 1]);
  });

  test('leaves again if it goes on waiting', () => {
    const it = away();
    void it.handle.send('hello');
    it.again(9, 'first');
    it.bench.host.tell({ type: 'WAITING', thread: it.parent.lineage.thread });
    it.bench.clock.advance(LONG_MS);
    expect(it.told('leave')).toHaveLength(1);
  });

  test.each<[string, (it: Waiting) => void, object]>([
    ['a message', (it) => void it.handle.send('hello'), { type: 'send', text: 'hello' }],
    ['a suspension', (it) => void it.handle.suspend(), { type: 'suspend', reason: 'user', now: true }],
    ['a cancellation', (it) => it.cancel(it.parent), { type: 'cancel', reason: 'no' }],
    ['a cancellation of its parent', (it) => it.cancel(it.grandparent), { type: 'cancel', reason: 'no' }],
    ['a child that it is to get', (it) => it.prepareChild(), { type: 'prepare' }],
  ])('hears %s where it is back', (_name, say, heard) => {
    const it = away();
    say(it);
    const { thread } = it.parent.lineage;
    const told = it.sent().filter((one) => isFor(one, thread));
    expect(told).toMatchObject([{ type: 'resume', lineage: { thread } }, heard]);
    expect(it.bench.host.absences.away.size()).toBe(0);
  });

  test('hands over when it goes on', () => {
    const it = away();
    it.parent.handOverAsked = true;
    it.end(it.child);
    expect(it.sent().map(({ type }) => type)).toEqual(['resume', 'handOver', 'childEnded']);
  });

  test('that cannot be read back has no waits any more', () => {
    const it = away();
    void it.handle.send('hello');
    const { thread } = it.parent.lineage;
    it.bench.host.tell({ type: 'SUSPENDED', thread, reason: 'error', cost: undefined });
    expect([it.parent.openWaits, it.child.waiters?.size ?? 0]).toEqual([undefined, 0]);
  });

  test('is nothing to the loss of the worker that it was in', () => {
    const it = away();
    it.handler.lost(0);
    expect(it.parent.openWaits?.size).toBe(1);
    it.end(it.child);
    it.again(9, 'first');
    expect(it.told('answer')).toHaveLength(1);
  });

  test('keeps a runtime that closes from its end, and is suspended when the time is over', () => {
    const it = away();
    const { host, clock } = it.bench;
    host.tell({ type: 'DRAIN', graceMs: 1_000 });
    clock.advance(1_000);
    const [op] = it.bench.pending;
    expect(op).toMatchObject({ type: 'step', firstSequence: 8, lastSequence: 8, status: { reason: 'shutdown' } });
    it.bench.commit();
    expect(it.parent).toMatchObject({ phase: 'suspended', suspendReason: 'shutdown', openWaits: undefined });
    expect(it.told('resume')).toEqual([]);
  });

  test('leaves no timer to a runtime that has stopped', () => {
    const it = away();
    it.bench.host.absences.close();
    expect(it.bench.clock.pending()).toBe(0);
  });
});

describe('What is said to a thread on its way out of its worker', () => {
  test('is said when it is out, where it is back then', () => {
    const it = leaving();
    void it.handle.send('hello');
    it.cancel(it.parent);
    const { thread } = it.parent.lineage;
    expect(it.sent().filter((one) => isFor(one, thread))).toEqual([]);
    it.left();
    const told = it.sent().filter((one) => isFor(one, thread));
    expect(told.map(({ type }) => type)).toEqual(['resume', 'send', 'cancel']);
  });

  test('is said when it has stayed, in order, and before it is answered', () => {
    const it = leaving();
    it.end(it.child);
    expect([it.sent(), it.parent.phase]).toEqual([[], 'running']);
    hasStayed(it.bench.host, it.parent);
    expect(it.sent().map(({ type }) => type)).toEqual(['childEnded', 'answer']);
  });

  test('brings it back if that is the answer', () => {
    const it = leaving();
    it.bench.host.tell({ type: 'SUSPENDED', thread: it.child.lineage.thread, reason: 'limit', cost: undefined });
    expect(it.sent()).toEqual([]);
    it.left();
    it.again(9, 'first');
    expect(it.sent().map(({ type }) => type)).toEqual(['resume', 'answer']);
  });

  test('is refused when its worker is lost', async () => {
    const it = leaving();
    const sent = it.handle.send('hello');
    takeOut(it.bench.host, it.parent);
    await expect(sent).rejects.toMatchObject({ code: 'invalid_argument' });
    hasLeft(it.bench.host, it.parent, LEFT);
    expect([it.parent.absence, it.bench.host.absences.away.size()]).toEqual([undefined, 0]);
  });
});

type Waiting = ReturnType<typeof waiting>;

/** A thread below another one that waits for one of its two children. */
function waiting(resilience: Resilience = {}, timeoutMs?: number) {
  const bench = createHostBench(resilience);
  const { host } = bench;
  const grandparent = bench.spawn();
  const parent =
    host.config.resilience.concurrency.maxTotalThreads > 1 ? bench.spawn({ parent: grandparent }) : grandparent;
  const workers = { workers: () => Promise.resolve([]), machines: () => undefined };
  const recall = createRecall(host.reader);
  const operations = createOperations(liveThreads({ host, recall, isStopped: () => false, ...workers }));
  const symbols = createSymbolQuestions(() => Promise.reject(new Error('there are no symbols here')));
  const functions = createHostFunctions();
  const handler = createQuestionHandler({ host, functions, operations, recall, symbols });
  const { thread } = parent.lineage;
  let start = 0;
  const wait = (ref: number, id: string | undefined, others?: ThreadEntry[]): void => {
    const threadIds = (others ?? [child]).map(({ lineage }) => lineage.threadId);
    const call = id === undefined ? {} : { call: { id, directive: 'demo/task' } };
    handler.ask(0, { type: 'wait', ref, thread, threadIds, timeoutMs, failFast: false, ...call });
    host.tell({ type: 'WAITING', thread });
  };
  const child = bench.spawn({ parent });
  const sibling = bench.spawn({ parent });
  wait(1, 'first');
  const sent = (): WorkerCommand[] => bench.sent.slice(start);
  return {
    bench,
    grandparent,
    parent,
    child,
    sibling,
    handler,
    wait,
    handle: createHandle(parent, {
      host,
      controlOf: () => undefined,
      isStopped: () => false,
    }),
    /** Only what was sent from now on counts. */
    begin: () => void (start = bench.sent.length),
    sent,
    told: (type: WorkerCommand['type']) => sent().filter((command) => command.type === type),
    left: (said: LeftThread = LEFT) => hasLeft(host, parent, said),
    again: (ref: number, callId: string) => handler.ask(0, { type: 'waitAgain', ref, thread, callId }),
    end: (entry: ThreadEntry) => bench.end(entry),
    cancel: ({ lineage }: ThreadEntry) => host.tell({ type: 'CANCEL', thread: lineage.thread, reason: 'no' }),
    prepareChild: () => prepareChild(bench, parent),
  };
}

/** The same, on its way out of its worker. */
function leaving(
  resilience: Resilience = {},
  timeoutMs?: number,
  also: (it: Waiting) => void = () => undefined,
): Waiting {
  const it = waiting(resilience, timeoutMs);
  also(it);
  it.bench.clock.advance(LONG_MS);
  expect(it.told('leave')).toHaveLength(1);
  it.begin();
  return it;
}

/** The same, out of it. */
function away(...given: Parameters<typeof leaving>): Waiting {
  const it = leaving(...given);
  it.left();
  it.handler.abandon(0, { ref: 1 });
  expect(it.parent.worker).toBe(-1);
  return it;
}

function prepareChild({ host }: HostBench, parent: ThreadEntry): void {
  const request = { directive: 'a', inputs: {}, limits: undefined, model: undefined, outputSchema: undefined };
  const order = { request: { ...request, parent: undefined }, parent, done: () => undefined };
  host.tell({ type: 'SPAWN', order });
}

/** Whether a command is about this thread. */
function isFor(command: WorkerCommand, thread: number): boolean {
  if (command.type === 'resume') return command.lineage.thread === thread;
  if (command.type === 'cancel') return command.threads.includes(thread);
  if (command.type === 'prepare') return command.request.parent === thread;
  return 'thread' in command && command.thread === thread;
}

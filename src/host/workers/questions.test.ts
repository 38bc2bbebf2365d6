import { setImmediate } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { createHostBench, openWait, specWith, type Resilience } from '../../../test/fixtures/host-bench.ts';
import type { ThreadId } from '../../core/ids.ts';
import type { WaitedThread } from '../../core/protocol.ts';
import type { StoreReader } from '../../core/store.ts';
import { NOTHING_STORED } from '../../store/untouched.ts';
import { createHostFunctions, type FunctionCaller } from './host-functions.ts';
import { createOperations } from '../operations/dispatcher.ts';
import { liveThreads } from '../operations/live-threads.ts';
import type { ThreadEntry } from '../rest/thread-table.ts';
import { createQuestionHandler, type QuestionHandler } from './questions.ts';
import { createSymbolQuestions } from './symbol-questions.ts';

test('A spawn that a runtime is asked for while it closes gets no answer, which a model would take for the last word', () => {
  const { bench, parent, handler } = open();
  bench.host.tell({ type: 'DRAIN', graceMs: 1_000 });
  handler.ask(0, { type: 'spawn', ref: 1, thread: parent.lineage.thread, spec: specWith(1) });
  bench.commit();
  expect(bench.sent.filter(({ type }) => type === 'answer')).toEqual([]);
  handler.abandon(0, { ref: 1, parent: parent.lineage.thread });
  expect([...bench.host.table.live()]).toEqual([parent]);
});

test.each<[string, (handler: QuestionHandler) => void]>([
  ['abandons', (handler) => handler.abandon(0, { ref: 1 })],
  ['is lost with', (handler) => handler.lost(0)],
])('A function whose call its worker %s is told so, and its answer is sent to nobody', async (_name, stop) => {
  const { bench, handler, functions } = open();
  const told = Promise.withResolvers<FunctionCaller>();
  const answered = Promise.withResolvers<string>();
  const run = (_input: never, caller: FunctionCaller) => {
    told.resolve(caller);
    return answered.promise;
  };
  const name = functions.addTool({ id: 'app/wait', standard: undefined, run });
  for (const [worker, ref] of [
    [0, 1],
    [1, 1],
  ] as const) {
    const call = {
      kind: 'tool',
      name,
      input: {},
      threadId: 'thread-1' as ThreadId,
      callId: `call-${worker}`,
    } as const;
    handler.ask(worker, { type: 'hostCall', ref, ...call });
  }
  const { signal, ...caller } = await told.promise;
  expect(caller).toEqual({ threadId: 'thread-1', callId: 'call-0' });
  stop(handler);
  expect(signal.aborted).toBe(true);
  answered.resolve('late');
  await setImmediate();
  expect(bench.sent.filter(({ type }) => type === 'answer')).toEqual([{ type: 'answer', ref: 1, value: '"late"' }]);
});

test('A function whose runtime has stopped is told so', async () => {
  const { handler, functions } = open();
  const told = Promise.withResolvers<AbortSignal>();
  const run = (_input: never, { signal }: FunctionCaller) => {
    told.resolve(signal);
    return new Promise(() => {});
  };
  const name = functions.addTool({ id: 'app/wait', standard: undefined, run });
  const call = { kind: 'tool', name, input: {}, threadId: 'thread-1' as ThreadId, callId: 'call-1' } as const;
  handler.ask(0, { type: 'hostCall', ref: 1, ...call });
  handler.close();
  expect((await told.promise).aborted).toBe(true);
});

describe('A spawn that its worker abandons', () => {
  test('before it is admitted ends the child without starting it', () => {
    const { bench, parent, handler } = open();
    handler.ask(0, { type: 'spawn', ref: 1, thread: parent.lineage.thread, spec: specWith(1) });
    handler.abandon(0, { ref: 1, parent: parent.lineage.thread });
    bench.commit();
    const child = [...bench.host.table.live()].find((entry) => entry !== parent);
    expect(child).toMatchObject({ phase: 'ended', ending: { status: 'cancelled' } });
    expect(bench.started()).toEqual([parent.lineage.thread]);
    expect(bench.sent.filter(({ type }) => type === 'answer')).toEqual([]);
  });

  test('while its answer is on the way cancels the child, which its parent will never know', () => {
    const { bench, parent, handler } = open();
    const { thread } = parent.lineage;
    for (const ref of [1, 2, 3]) handler.ask(0, { type: 'spawn', ref, thread, spec: specWith(1) });
    bench.commit();
    const children = bench.host.table.childrenOf(parent);
    handler.abandon(0, { ref: 2, parent: thread });
    expect(bench.cancelled()).toEqual([children[1]?.lineage.thread]);
    expect(children.map(({ cancelReason }) => cancelReason)).toEqual([
      undefined,
      `parent ${parent.lineage.threadId} gave up the call that spawned it`,
      undefined,
    ]);
  });

  test('while its answer is on the way cancels the child also when its parent ends right after', () => {
    const { bench, parent, handler } = open({ child_policy: { on_parent_cancel: 'allow' } });
    const { thread } = parent.lineage;
    handler.ask(0, { type: 'spawn', ref: 1, thread, spec: specWith(1) });
    bench.commit();
    handler.abandon(0, { ref: 1, parent: thread });
    bench.end(parent, 'cancelled');
    expect(bench.cancelled()).toHaveLength(1);
  });

  type Ways = { readonly commit: () => void; readonly abandon: () => void; readonly end: () => void };
  test.each<[string, (ways: Ways) => void]>([
    ['before it is admitted', ({ commit, abandon, end }) => (abandon(), commit(), end())],
    ['while its answer is on the way', ({ commit, abandon, end }) => (commit(), abandon(), end())],
    ['when its child has ended already', ({ commit, abandon, end }) => (commit(), end(), abandon())],
  ])('%s has the start of the child told once, and its end after it', (_name, inOrder) => {
    const { bench, parent, handler } = open();
    const { thread } = parent.lineage;
    handler.ask(0, { type: 'spawn', ref: 1, thread, spec: specWith(1) });
    inOrder({
      commit: () => bench.commit(),
      abandon: () => handler.abandon(0, { ref: 1, parent: thread }),
      end() {
        const child = bench.host.table.get(2);
        if (!child) throw new Error('there is no child');
        bench.end(child, 'cancelled');
      },
    });
    const told = bench.sent.flatMap((command) => {
      if (command.type === 'answer') return command.child ?? [];
      return command.type === 'childStarted' || command.type === 'childEnded' ? command : [];
    });
    const childId = bench.host.table.get(2)?.lineage.threadId;
    expect(told).toMatchObject([
      { type: 'childStarted', thread, childId, directive: 'demo/task' },
      { type: 'childEnded', thread, childId },
    ]);
  });

  test('that has ended and is forgotten cancels nobody', () => {
    const { bench, parent, handler } = open({ coordination: { completion_event_ttl_seconds: 1 } });
    const { thread } = parent.lineage;
    handler.ask(0, { type: 'spawn', ref: 1, thread, spec: specWith(1) });
    bench.commit();
    const [child] = bench.host.table.childrenOf(parent);
    if (!child) throw new Error('there is no child');
    bench.end(child);
    bench.clock.advance(2_000);
    bench.end(bench.spawn());
    expect(bench.host.table.get(child.lineage.thread)).toBeUndefined();
    handler.abandon(0, { ref: 1, parent: thread });
    expect(bench.cancelled()).toEqual([]);
  });

  test('of one worker cancels no child that another worker asked for with the same number', () => {
    const { bench, parent, handler } = open();
    const { thread } = parent.lineage;
    handler.ask(1, { type: 'spawn', ref: 1, thread, spec: specWith(1) });
    bench.commit();
    handler.abandon(0, { ref: 1, parent: thread });
    expect(bench.cancelled()).toEqual([]);
  });
});

describe('A spawn that its worker abandons with a call that stays open', () => {
  const REASON = /gave up the call/;
  type Order = 'before it is admitted' | 'while its answer is on the way';

  /** Spawns a child, suspends its parent, and has the worker abandon the question; the child as it is then. */
  function suspending(order: Order, { isClosing, isCancelled }: Partial<Suspending> = {}): ThreadEntry | undefined {
    const { bench, parent, handler } = open({ child_policy: { on_parent_cancel: 'allow' } });
    const { thread } = parent.lineage;
    handler.ask(0, { type: 'spawn', ref: 1, thread, spec: specWith(1) });
    if (order !== 'before it is admitted') bench.commit();
    if (isCancelled) bench.host.tell({ type: 'CANCEL', thread, reason: 'enough' });
    if (isClosing) bench.host.tell({ type: 'DRAIN', graceMs: 0 });
    bench.clock.advance(0);
    handler.abandon(0, { ref: 1, parent: thread, stays: true });
    bench.host.tell({ type: 'SUSPENDED', thread, reason: isClosing ? 'shutdown' : 'approval', cost: undefined });
    bench.commit();
    return bench.host.table.get(2);
  }

  type Suspending = { readonly isClosing: boolean; readonly isCancelled: boolean };

  describe.each<Order>(['before it is admitted', 'while its answer is on the way'])('%s', (order) => {
    test.each([
      ['its parent is suspended', false],
      ['the runtime closes', true],
    ])('keeps the child as %s: the call goes on with it when it is made again', (_, isClosing) => {
      const child = suspending(order, { isClosing });
      expect(child).toMatchObject({ cancelReason: undefined, ending: undefined });
    });

    test('cancels the child of a parent that is cancelled, which makes no call again', () => {
      expect(suspending(order, { isClosing: true, isCancelled: true })?.cancelReason).toMatch(REASON);
    });
  });
});

test('a wait that is answered at once leaves nothing to give up', () => {
  const { bench, parent, handler } = open();
  const { thread } = parent.lineage;
  handler.ask(0, { type: 'wait', ref: 1, thread, threadIds: [], timeoutMs: undefined, failFast: false });
  expect(bench.sent.at(-1)).toMatchObject({ type: 'answer', ref: 1 });
  // Giving it up now would close a wait that is not its own.
  const other = openWait();
  parent.openWaits = new Set([other]);
  handler.abandon(0, { ref: 1 });
  expect([...parent.openWaits]).toEqual([other]);
});

test('a wait of a lost worker is given up, and none of another that has the same number', () => {
  const { bench, parent, handler } = open();
  const other = bench.spawn();
  const children = [bench.spawn({ parent }), bench.spawn({ parent: other })] as const;
  for (const [worker, { lineage }] of [parent, other].entries()) {
    const threadIds = [children[worker === 0 ? 0 : 1].lineage.threadId];
    const { thread } = lineage;
    handler.ask(worker, { type: 'wait', ref: 1, thread, threadIds, timeoutMs: undefined, failFast: false });
  }
  const waits = (): number[] => [parent, other].map(({ openWaits }) => openWaits?.size ?? 0);
  expect(waits()).toEqual([1, 1]);
  handler.lost(0);
  expect(waits()).toEqual([0, 1]);
  bench.end(children[0]);
  expect(bench.sent.filter(({ type }) => type === 'answer')).toEqual([]);
  bench.end(children[1]);
  expect(bench.sent.filter(({ type }) => type === 'answer')).toMatchObject([{ ref: 1 }]);
  expect(waits()).toEqual([0, 0]);
});

test('a question that is given up ends the wait of its own worker alone', () => {
  const { bench, parent, handler } = open();
  const other = bench.spawn();
  for (const [worker, one] of [parent, other].entries()) {
    const { thread } = one.lineage;
    const threadIds = [bench.spawn({ parent: one }).lineage.threadId];
    handler.ask(worker, { type: 'wait', ref: 7, thread, threadIds, timeoutMs: undefined, failFast: false });
  }
  handler.abandon(1, { ref: 7 });
  expect([parent, other].map(({ openWaits }) => openWaits?.size)).toEqual([1, 0]);
});

test.each([
  ['spawn', { type: 'spawn', spec: specWith(1) }],
  ['wait', { type: 'wait', threadIds: ['thread-x'], timeoutMs: 10, failFast: false }],
] as const)('A %s that a forgotten thread asks for is refused, and starts nobody', (_type, asked) => {
  const { bench, parent, handler } = open({ coordination: { completion_event_ttl_seconds: 0 } });
  const { thread } = parent.lineage;
  bench.end(parent);
  handler.ask(0, { ref: 1, thread, ...asked });
  bench.commit();
  expect(bench.sent.at(-1)).toMatchObject({ type: 'answer', ref: 1, failure: { code: 'thread_ended' } });
  expect([bench.host.table.size(), bench.started()]).toEqual([0, [thread]]);
});

test('a wait whose child fails cancels its siblings, and no thread that is not the caller’s', () => {
  const notFound = (id: string): WaitedThread => ({ threadId: id as ThreadId, status: 'not_found', ending: undefined });
  const { bench, parent, handler } = open({ coordination: { cancel_siblings_on_failure: true } }, notFound);
  const { thread } = parent.lineage;
  const [failing, sibling] = [bench.spawn({ parent }), bench.spawn({ parent })];
  const other = bench.spawn();
  const threadIds = [other, sibling, failing].map(({ lineage }) => lineage.threadId);
  handler.ask(0, { type: 'wait', ref: 1, thread, threadIds, timeoutMs: undefined, failFast: false });
  bench.end(failing, 'error');
  expect(bench.cancelled()).toEqual([sibling.lineage.thread]);
});

test('a thread that gives its wait up, and goes on, takes a slot again when there is one', () => {
  const { bench, parent, handler } = open({ concurrency: { max_total_threads: 1 } });
  const { thread } = parent.lineage;
  const child = bench.spawn({ parent });
  const threadIds = [child.lineage.threadId];
  for (const ref of [1, 2])
    handler.ask(0, { type: 'wait', ref, thread, threadIds, timeoutMs: undefined, failFast: false });
  bench.host.tell({ type: 'WAITING', thread });
  expect([parent.phase, child.phase]).toEqual(['waiting', 'running']);
  handler.abandon(0, { ref: 1 });
  bench.end(child);
  // It still waited for the other.
  expect(parent.phase).toBe('running');

  const other = bench.spawn({ parent });
  handler.ask(0, {
    type: 'wait',
    ref: 3,
    thread,
    threadIds: [other.lineage.threadId],
    timeoutMs: undefined,
    failFast: false,
  });
  bench.host.tell({ type: 'WAITING', thread });
  handler.abandon(0, { ref: 3 });
  expect([parent.phase, other.phase]).toEqual(['waiting', 'running']);
  bench.end(other);
  expect([parent.phase, bench.host.slots.taken()]).toEqual(['running', 1]);
});

test('a hook beside what a thread does is answered at once, and takes no slot for it', () => {
  const { bench, parent, handler } = open({ concurrency: { max_total_threads: 1 } });
  const { thread } = parent.lineage;
  const [child, other] = [bench.spawn({ parent }), bench.spawn({ parent })];
  for (const [ref, { lineage }] of [child, other].entries()) {
    const question = { type: 'wait', thread, threadIds: [lineage.threadId], timeoutMs: undefined } as const;
    handler.ask(0, { ...question, ref, failFast: false, isBeside: ref === 0 });
  }
  bench.host.tell({ type: 'WAITING', thread });
  bench.end(child);
  expect(bench.sent.filter(({ type }) => type === 'answer')).toMatchObject([{ ref: 0 }]);
  expect([parent.phase, other.phase, bench.host.slots.taken()]).toEqual(['waiting', 'running', 1]);
  bench.end(other);
  expect([parent.phase, bench.host.slots.taken()]).toEqual(['running', 1]);
});

test('a thread that goes on keeps its slot, whatever a hook beside it waits for', () => {
  const { bench, parent, handler } = open({ concurrency: { max_total_threads: 1 } });
  const { thread } = parent.lineage;
  const threadIds = [bench.spawn({ parent }).lineage.threadId];
  handler.ask(0, { type: 'wait', ref: 1, thread, threadIds, timeoutMs: undefined, failFast: false, isBeside: true });
  // Of a call that has its answer by now.
  bench.host.tell({ type: 'WAITING', thread });
  expect(parent.phase).toBe('running');
});

test('a thread that went on without a slot, and waits again before it got one, takes none from what it waits for', () => {
  const { bench, parent, handler } = open({ concurrency: { max_total_threads: 1 } });
  const { thread } = parent.lineage;
  const ask = (ref: number, { lineage }: ThreadEntry): void => {
    const threadIds = [lineage.threadId];
    handler.ask(0, { type: 'wait', ref, thread, threadIds, timeoutMs: undefined, failFast: false });
    bench.host.tell({ type: 'WAITING', thread });
  };
  const first = bench.spawn({ parent });
  ask(1, first);
  handler.abandon(0, { ref: 1 });
  const second = bench.spawn({ parent });
  ask(2, second);
  bench.end(first);
  expect([parent.phase, second.phase, bench.host.slots.taken()]).toEqual(['waiting', 'running', 1]);
  bench.end(second);
  expect([parent.phase, bench.host.slots.taken()]).toEqual(['running', 1]);
});

test('a wait whose threads can not be looked up is answered with why, and nobody waits', () => {
  const thread = (): never => {
    throw new Error('disk full');
  };
  const { bench, parent, handler } = open({}, nothing, { ...NOTHING_STORED, thread });
  const question = { type: 'wait', thread: parent.lineage.thread, timeoutMs: undefined, failFast: false } as const;
  handler.ask(0, { ...question, ref: 1, threadIds: ['thread-of-somebody'] });
  expect(bench.sent.at(-1)).toMatchObject({ type: 'answer', ref: 1, failure: { message: 'disk full' } });
  expect(parent.openWaits?.size).toBe(0);
});

function nothing(): never {
  throw new Error('nothing is recalled here');
}

function open(
  resilience: Resilience = {},
  recall: (id: string) => WaitedThread = nothing,
  reader: StoreReader = NOTHING_STORED,
) {
  const bench = createHostBench(resilience, { reader });
  const parent = bench.spawn();
  const functions = createHostFunctions();
  return {
    bench,
    parent,
    functions,
    handler: createQuestionHandler({
      host: bench.host,
      functions,
      operations: createOperations(
        liveThreads({
          host: bench.host,
          recall,
          isStopped: () => false,
          workers: async () => [],
          machines: () => undefined,
        }),
      ),
      recall,
      symbols: createSymbolQuestions(nothing),
    }),
  };
}

test('The end of a child is told to its parent before the wait for it is answered', () => {
  const { bench, parent, handler } = open();
  const { thread } = parent.lineage;
  handler.ask(0, { type: 'spawn', ref: 1, thread, spec: specWith(1) });
  bench.commit();
  const child = bench.host.table.childrenOf(parent)[0];
  if (!child) throw new Error('there is no child');
  const threadIds = [child.lineage.threadId];
  handler.ask(0, { type: 'wait', ref: 2, thread, threadIds, timeoutMs: undefined, failFast: false });
  bench.end(child);
  const told = bench.sent.map(({ type }) => type).filter((type) => type === 'childEnded' || type === 'answer');
  expect(told).toEqual(['answer', 'childEnded', 'answer']);
});

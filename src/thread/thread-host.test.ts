import { describe, expect, test } from 'vitest';
import { NEVER, SPAWN, call, type Part } from '../../test/fixtures/scene.ts';
import { createWorkerBench, type WorkerBench } from '../../test/fixtures/worker-bench.ts';
import type { TerminalStatus } from '../core/ending.ts';
import type { ThreadNo } from '../core/ids.ts';
import { NO_COST } from '../core/limits.ts';
import type { SpecText } from '../core/protocol.ts';
import { parseCheckpoint } from './conversation/checkpoint.ts';
import { createThreadHost } from './thread-host.ts';

const SLOW = 10;
const PARTS: Record<string, Part> = {
  talk: {
    says: [
      { text: 'first', delay_ms: SLOW },
      { text: 'heard: ${last.text}', delay_ms: SLOW },
    ],
  },
  echo: { says: [{ text: 'heard: ${last.text}', delay_ms: SLOW }] },
  endless: { says: [NEVER] },
  leaf: { says: [NEVER] },
  parent: {
    tools: ['rye/agent/threads/*'],
    says: [
      { ...call(SPAWN, { directive_name: 'leaf', async_exec: true }), delay_ms: SLOW },
      { text: 'done', delay_ms: SLOW },
    ],
  },
};

describe('A message to a thread', () => {
  test('in the middle of its last answer is heard, and takes another turn', () => {
    using bench = createWorkerBench(PARTS);
    const thread = bench.start('talk');
    send(bench, thread, 'wait');
    answer(bench);
    answer(bench);
    expect(endingOf(bench)).toMatchObject({ status: 'completed', text: 'heard: wait' });
  });

  test('is acknowledged when it is on disk: a thread whose worker is lost then hears it all the same', () => {
    using bench = createWorkerBench(PARTS);
    const thread = bench.start('talk');
    expect(send(bench, thread, 'wait')).toBeUndefined();
    bench.commit();
    expect(bench.said('heard')).toEqual([{ type: 'heard', ref: 1, failure: undefined }]);
    const state = bench.steps.at(-1)?.checkpoint?.state;
    expect(state && parseCheckpoint(state).inbox).toEqual(['wait']);
  });

  test.each<[string, string, (bench: WorkerBench, thread: ThreadNo) => void]>([
    ['that is not here', 'invalid_argument', (bench, thread) => end(bench, thread)],
    [
      'whose ending is being written',
      'thread_ended',
      (bench, thread) => bench.host.receive({ type: 'cancel', threads: [thread], reason: 'no' }),
    ],
    ['that is being suspended', 'invalid_argument', suspend],
  ])('%s is refused', (_name, code, change) => {
    using bench = createWorkerBench(PARTS);
    const thread = bench.start('endless');
    change(bench, thread);
    expect(send(bench, thread, 'too late')).toMatchObject({ ref: 1, failure: { code } });
  });

  test('that only waits for its children to end is refused: it takes no more turns', () => {
    using bench = createWorkerBench(PARTS, { child_policy: { on_parent_complete: 'wait' } });
    const thread = joining(bench);
    expect(send(bench, thread, 'one more thing')).toMatchObject({
      failure: { code: 'thread_ended', message: expect.stringContaining('takes no more turns') },
    });
    bench.host.receive({ type: 'joined', thread });
    bench.commit();
    expect(endingOf(bench)).toMatchObject({ status: 'completed' });
  });

  test('that is being read back is heard when it is there', () => {
    using bench = createWorkerBench(PARTS);
    const thread = bench.start('talk');
    suspend(bench, thread);
    bench.commit();
    bench.resume(thread);
    expect(send(bench, thread, 'welcome')).toBeUndefined();
    bench.commit();
    expect(bench.said('heard')).toEqual([{ type: 'heard', ref: 1, failure: undefined }]);
    answer(bench);
    answer(bench);
    expect(endingOf(bench)).toMatchObject({ text: 'heard: welcome' });
  });

  test('that cannot be read back is refused', () => {
    using bench = createWorkerBench(PARTS);
    const thread = bench.start('talk');
    suspend(bench, thread);
    bench.commit();
    bench.project.write('.ai/directives/talk.md', 'no directive any more');
    bench.clock.advance(2_000);
    bench.resume(thread);
    send(bench, thread, 'are you there?');
    bench.commit();
    expect(bench.said('resumeFailed')).toHaveLength(1);
    expect(bench.said('heard')).toMatchObject([{ ref: 1, failure: { code: 'invalid_argument' } }]);
  });
});

describe('A cancel that meets a suspension', () => {
  test('on its way to the disk ends the thread, and its ending is all that the host hears', () => {
    using bench = createWorkerBench(PARTS);
    const thread = bench.start('endless');
    suspend(bench, thread);
    bench.host.receive({ type: 'cancel', threads: [thread], reason: 'no' });
    bench.commit();
    expect(tail(bench, thread)).toEqual(['thread_suspended', 'thread_cancelled']);
    expect([bench.said('suspended'), bench.said('ended').length, bench.fatal]).toEqual([[], 1, []]);
    expect(bench.host.size()).toBe(0);
  });

  test('that is on disk leaves the ending to the host', () => {
    using bench = createWorkerBench(PARTS);
    const thread = bench.start('endless');
    const inMemory = bench.host.get(thread);
    suspend(bench, thread);
    bench.commit();
    bench.host.receive({ type: 'cancel', threads: [thread], reason: 'no' });
    // What a later slice of the same cancellation does.
    inMemory?.send({ type: 'CANCEL', reason: 'no' });
    bench.commit();
    expect(tail(bench, thread)).toEqual(['thread_suspended']);
    expect([bench.said('suspended').length, bench.said('ended')]).toEqual([1, []]);
  });
});

test('threads that are cancelled together are told turn by turn, and none is forgotten', () => {
  let now = 0;
  using bench = createWorkerBench(PARTS, {}, { stopwatch: () => (now += 10) });
  const threads = Array.from({ length: 20 }, () => bench.start('endless'));
  bench.host.receive({ type: 'cancel', threads, reason: 'no' });
  bench.commit();
  const told = (): number => bench.said('ended').length;
  expect(told()).toBeGreaterThan(0);
  expect(told()).toBeLessThan(20);
  const waiting = threads.flatMap((thread) => bench.host.get(thread) ?? []);
  expect(waiting.map(({ cancelReason }) => cancelReason)).toEqual(waiting.map(() => 'no'));
  bench.ticks.endAll();
  bench.commit();
  expect(told()).toBe(20);
  expect(bench.host.size()).toBe(0);
});

test('a suspension before the turn of a held cancellation has it held once', () => {
  let now = 0;
  const stopwatch = (): number => (now += 10);
  using bench = createWorkerBench(PARTS, { child_policy: { on_parent_cancel: 'wait' } }, { stopwatch });
  const others = Array.from({ length: 20 }, () => bench.start('endless'));
  const { parent } = parentWithChild(bench);
  bench.host.receive({ type: 'cancel', threads: [...others, parent], reason: 'no' });
  expect(bench.host.stateOf(parent)).toBe('running.calling');
  bench.host.receive({ type: 'suspend', thread: parent, reason: 'user', now: false });
  bench.settle();
  expect(bench.host.stateOf(parent)).toBe('running.ending');
  expect(bench.said('join')).toEqual([{ type: 'join', thread: parent }]);
});

test('a thread that was cancelled before its first message, and waits for its children, says nothing when it is read back', () => {
  using bench = createWorkerBench(PARTS, { child_policy: { on_parent_cancel: 'wait' } });
  const { parent } = parentWithChild(bench);
  bench.host.receive({ type: 'cancel', threads: [parent], reason: 'no' });
  const { state = '' } = bench.steps.at(-1)?.checkpoint ?? {};
  expect(state).toContain('"heldEnd":{"type":"CANCEL"');
  const heir = bench.admitChild(parent, 'endless');
  const step = { type: 'step', thread: heir, at: 0, lines: '', firstSequence: 0, lastSequence: 0 } as const;
  bench.services.store.submit(
    { ...step, checkpoint: { turn: 0, state }, status: { to: 'suspended', reason: 'shutdown' } },
    () => undefined,
  );
  bench.commit();
  bench.resume(heir);
  bench.commit();
  expect(bench.host.stateOf(heir)).toBe('running.ending');
  expect(bench.said('join')).toContainEqual({ type: 'join', thread: heir });
  bench.host.receive({ type: 'joined', thread: heir });
  bench.commit();
  expect(bench.log(heir).at(-1)?.event_type).toBe('thread_cancelled');
});

describe('A thread that is told to suspend while it is being read back', () => {
  test.each([true, false])('takes no step, and keeps what it was resumed with (at once: %s)', (now) => {
    using bench = createWorkerBench(PARTS);
    const thread = bench.start('echo');
    suspend(bench, thread);
    bench.commit();
    bench.resumeWith(thread, 'hi');
    bench.host.receive({ type: 'suspend', thread, reason: 'user', now });
    bench.commit();
    expect(bench.log(thread).slice(-3)).toMatchObject([
      { event_type: 'thread_suspended' },
      { event_type: 'thread_resumed', payload: { message: 'hi' } },
      { event_type: 'thread_suspended', payload: { suspend_reason: 'user' } },
    ]);
    expect([bench.host.size(), bench.fatal]).toEqual([0, []]);
    bench.resume(thread);
    bench.commit();
    answer(bench);
    expect(endingOf(bench)).toMatchObject({ status: 'completed', text: 'heard: hi' });
  });

  test('before its first message keeps what it was resumed with, too', () => {
    using bench = createWorkerBench(PARTS);
    const thread = bench.admitChild(bench.start('endless'), 'echo');
    bench.resumeWith(thread, 'hi');
    bench.host.receive({ type: 'suspend', thread, reason: 'user', now: true });
    bench.commit();
    expect(bench.log(thread).at(-1)?.event_type).toBe('thread_suspended');
    bench.resume(thread);
    bench.commit();
    answer(bench);
    expect(endingOf(bench)).toMatchObject({ status: 'completed', text: 'heard: hi' });
  });
});

test.each([true, false])(
  'A thread that is told to suspend while it waits for its MCP servers before its start calls nobody (at once: %s)',
  (now) => {
    using bench = createWorkerBench(PARTS);
    const thread = bench.admitChild(bench.start('endless'), 'echo');
    const mcp = { ...bench.services.mcp, ready: () => Promise.withResolvers<void>().promise };
    const host = createThreadHost({ ...bench.services, mcp }, { schedule: bench.ticks.schedule });
    host.receive({ type: 'start', lineage: bench.lineage(thread), spec: prepared(bench, 'echo') });
    expect(host.size()).toBe(0);
    host.receive({ type: 'suspend', thread, reason: 'user', now });
    bench.commit();
    expect(bench.log(thread).at(-1)).toMatchObject({ event_type: 'thread_suspended' });
    expect(bench.steps.filter((step) => step.thread === thread && step.reserve)).toEqual([]);
    expect([host.size(), bench.fatal]).toEqual([0, []]);
  },
);

test('A thread that is told to hand over while it waits for its MCP servers before its start does so before its first call', async () => {
  using bench = createWorkerBench(PARTS);
  const thread = bench.admitChild(bench.start('endless'), 'echo');
  const { promise, resolve } = Promise.withResolvers<void>();
  const mcp = { ...bench.services.mcp, ready: () => promise };
  const host = createThreadHost({ ...bench.services, mcp }, { schedule: bench.ticks.schedule });
  host.receive({ type: 'start', lineage: bench.lineage(thread), spec: prepared(bench, 'echo') });
  host.receive({ type: 'handOver', thread });
  resolve();
  await promise;
  bench.commit();
  expect(host.stateOf(thread)).toBe('running.handingOver');
  expect(bench.steps.filter((step) => step.thread === thread && step.reserve)).toEqual([]);
});

describe('A child that ends while its parent is in no worker', () => {
  test.each<[string, (bench: WorkerBench, parent: ThreadNo, child: ThreadNo) => void]>([
    ['is found in the registry', (bench, parent) => bench.resume(parent)],
    [
      'and is told of once more when the parent is being read back',
      (bench, parent, child) => {
        bench.resume(parent);
        tellEnd(bench, parent, child);
      },
    ],
    [
      'and is told of once more when the parent is there',
      (bench, parent, child) => {
        bench.resume(parent);
        bench.commit();
        tellEnd(bench, parent, child);
      },
    ],
  ])('%s: its end is in the log once, before the parent goes on', (_name, goOn) => {
    using bench = createWorkerBench(PARTS);
    const { parent, child } = suspendedParent(bench);
    bench.end(child, 'error');
    goOn(bench, parent, child);
    bench.settle();
    expect(tail(bench, parent)).toEqual(['thread_suspended', 'child_thread_ended', 'thread_resumed']);
    const { threadId } = bench.lineage(child);
    expect(bench.log(parent).at(-2)?.payload).toMatchObject({ child_thread_id: threadId, status: 'error' });
    expect(bench.fatal).toEqual([]);
  });

  test('just when the parent is being suspended is told of when it goes on', () => {
    using bench = createWorkerBench(PARTS);
    const { parent, child } = parentWithChild(bench);
    suspend(bench, parent);
    bench.end(child, 'completed');
    tellEnd(bench, parent, child);
    bench.settle();
    expect(tail(bench, parent).at(-1)).toBe('thread_suspended');
    bench.resume(parent);
    bench.settle();
    expect(tail(bench, parent)).toEqual(['thread_suspended', 'child_thread_ended', 'thread_resumed']);
  });

  test('is told of after it goes on if it ends after that', () => {
    using bench = createWorkerBench(PARTS);
    const { parent, child } = suspendedParent(bench);
    bench.resume(parent);
    bench.commit();
    bench.end(child, 'completed');
    tellEnd(bench, parent, child);
    bench.settle();
    expect(tail(bench, parent)).toEqual(['thread_suspended', 'thread_resumed', 'child_thread_ended']);
  });

  test('beside 50 others is told of like them, in the order they were spawned', () => {
    using bench = createWorkerBench(PARTS);
    const parent = bench.start('endless');
    const children = Array.from({ length: 50 }, () => bench.admitChild(parent, 'leaf'));
    for (const child of children) tellStart(bench, parent, child);
    bench.settle();
    suspend(bench, parent);
    bench.commit();
    for (const child of children.toReversed()) bench.end(child, 'completed');
    bench.resume(parent);
    bench.settle();
    const told = bench.log(parent).flatMap((event) => {
      return event.event_type === 'child_thread_ended' ? [event.payload.child_thread_id] : [];
    });
    expect(told).toEqual(children.map((child) => bench.lineage(child).threadId));
    const sequences = bench.log(parent).map(({ sequence }) => sequence);
    expect(sequences).toEqual(sequences.map((_, index) => index + 1));
  });
});

test('a child that starts and ends while its parent is being suspended is in the log of one that is cancelled then', () => {
  using bench = createWorkerBench(PARTS);
  const { parent, child } = parentWithChild(bench);
  const other = bench.admitChild(parent, 'leaf');
  suspend(bench, parent);
  tellEnd(bench, parent, child);
  tellStart(bench, parent, other);
  bench.host.receive({ type: 'cancel', threads: [parent], reason: 'no' });
  bench.settle();
  expect(tail(bench, parent)).toEqual([
    'thread_suspended',
    'child_thread_ended',
    'child_thread_started',
    'thread_cancelled',
  ]);
  expect([bench.said('problem'), bench.fatal]).toEqual([[], []]);
});

test('a child that was admitted while its parent was in no worker is in its log, once, and counts', () => {
  using bench = createWorkerBench(PARTS);
  const { parent } = suspendedParent(bench);
  const child = bench.admitChild(parent, 'leaf');
  bench.resume(parent);
  bench.commit();
  tellStart(bench, parent, child);
  bench.settle();
  expect(tail(bench, parent)).toEqual(['thread_suspended', 'child_thread_started', 'thread_resumed']);
  expect(bench.host.get(parent)?.spawned).toBe(2);
});

test('a child that handed over while its parent was in no worker counts once, and both are in the log', () => {
  using bench = createWorkerBench(PARTS);
  const { parent, child } = suspendedParent(bench);
  bench.end(child, 'continued');
  const successor = bench.admitChild(parent, 'leaf');
  bench.resume(parent);
  bench.settle();
  expect(bench.host.get(parent)?.spawned).toBe(1);
  expect(tail(bench, parent)).toEqual([
    'thread_suspended',
    'child_thread_ended',
    'child_thread_started',
    'thread_resumed',
  ]);
  tellStart(bench, parent, successor);
  bench.settle();
  expect(bench.host.get(parent)?.spawned).toBe(1);
});

test('a child that ends while the ending of its parent is being written is no problem', () => {
  using bench = createWorkerBench(PARTS);
  const { parent, child } = parentWithChild(bench);
  bench.host.receive({ type: 'cancel', threads: [parent], reason: 'no' });
  tellEnd(bench, parent, child);
  tellStart(bench, parent, child);
  bench.settle();
  expect([bench.said('problem'), bench.fatal]).toEqual([[], []]);
  expect(tail(bench, parent).at(-1)).toBe('thread_cancelled');
});

test('an answer to a spawn that nobody waits for has the start of its child in the log, before its end', () => {
  using bench = createWorkerBench(PARTS);
  const thread = bench.start('endless');
  const child = bench.admitChild(thread, 'leaf');
  const { threadId: childId } = bench.lineage(child);
  const started = { type: 'childStarted', thread, childId, directive: 'leaf' } as const;
  bench.host.receive({ type: 'answer', ref: 99, value: { threadId: childId }, child: started });
  tellEnd(bench, thread, child);
  bench.settle();
  expect(tail(bench, thread).slice(-2)).toEqual(['child_thread_started', 'child_thread_ended']);
});

/** A spec as the worker gives it to the host. */
function prepared(bench: WorkerBench, directive: string): SpecText {
  const request = { directive, inputs: {}, limits: undefined, model: undefined, parent: undefined } as const;
  bench.host.receive({ type: 'prepare', ref: 1, request: { ...request, outputSchema: undefined } });
  const [answer] = bench.said('prepared');
  if (!answer) throw new Error(`${directive} was not prepared`);
  return answer.spec;
}

function send(bench: WorkerBench, thread: ThreadNo, text: string): unknown {
  const before = bench.said('heard').length;
  bench.host.receive({ type: 'send', ref: 1, thread, text });
  return bench.said('heard')[before];
}

/** The model's next answer arrives. */
function answer(bench: WorkerBench): void {
  bench.clock.advance(SLOW);
  bench.commit();
}

function suspend({ host }: WorkerBench, thread: ThreadNo): void {
  host.receive({ type: 'suspend', thread, reason: 'user', now: true });
}

function end(bench: WorkerBench, thread: ThreadNo): void {
  bench.host.receive({ type: 'cancel', threads: [thread], reason: 'no' });
  bench.commit();
}

function tellStart({ host, lineage }: WorkerBench, thread: ThreadNo, child: ThreadNo): void {
  host.receive({ type: 'childStarted', thread, childId: lineage(child).threadId, directive: 'leaf' });
}

function tellEnd({ host, lineage }: WorkerBench, thread: ThreadNo, child: ThreadNo): void {
  const ending = { status: 'completed', outputs: undefined, text: '', error: undefined, cost: NO_COST } as const;
  host.receive({ type: 'childEnded', thread, childId: lineage(child).threadId, ending });
}

function parentWithChild(bench: WorkerBench): { readonly parent: ThreadNo; readonly child: ThreadNo } {
  const parent = bench.start('endless');
  const child = bench.admitChild(parent, 'leaf');
  tellStart(bench, parent, child);
  bench.settle();
  return { parent, child };
}

function suspendedParent(bench: WorkerBench): { readonly parent: ThreadNo; readonly child: ThreadNo } {
  const family = parentWithChild(bench);
  suspend(bench, family.parent);
  bench.commit();
  return family;
}

/** A parent that has said its last word and waits for its child. */
function joining(bench: WorkerBench): ThreadNo {
  const thread = bench.start('parent');
  answer(bench);
  const asked = bench.said('spawn')[0];
  bench.host.receive({ type: 'answer', ref: asked?.ref ?? 0, value: { threadId: 'thread-x' } });
  bench.commit();
  answer(bench);
  expect(bench.host.stateOf(thread)).toBe('running.joining');
  return thread;
}

function endingOf(bench: WorkerBench): { readonly status: TerminalStatus; readonly text: string } | undefined {
  const [ended] = bench.said('ended');
  return ended && (JSON.parse(ended.ending) as { status: TerminalStatus; text: string });
}

/** What a log says from the suspension on. */
function tail(bench: WorkerBench, thread: ThreadNo): string[] {
  const types = bench.log(thread).map(({ event_type }) => event_type);
  return types.slice(Math.max(0, types.lastIndexOf('thread_suspended')));
}

import { describe, expect, test } from 'vitest';
import { call, NEVER, SPAWN, THREAD_TOOLS, type Part } from '../../../test/fixtures/scene.ts';
import { createThreadBench } from '../../../test/fixtures/thread-bench.ts';
import { createWorkerBench, type WorkerBench } from '../../../test/fixtures/worker-bench.ts';
import type { ThreadId, ThreadNo } from '../../core/ids.ts';
import type { WaitingThread } from '../../core/protocol.ts';
import type { ApprovalQuestion } from '../../core/store-approvals.ts';
import { childEnded, childStarted } from './child-hooks.ts';
import { compileHooks } from './hooks.ts';

const cost = { turns: 1, input_tokens: 2, output_tokens: 3, spend: 0 };

test.each(['child_started', 'child_ended'])(
  'What a person grants about one child at %s lets no other one pass',
  (event) => {
    const item_id = 'rye/agent/threads/internal/control';
    const action = { primary: 'execute', item_type: 'tool', item_id, params: { action: 'suspend' } };
    const directive = [{ id: 'guard', event, action }];
    const bench = createThreadBench(
      compileHooks({ directive, project: [], user: [], builtin: [], infra: [] }, 'my/directive'),
    );
    const asked: ApprovalQuestion[] = [];
    bench.thread.send = (sent) => {
      if (sent.type === 'SUSPEND' && sent.ask) asked.push(sent.ask);
    };
    const tell = (childId: ThreadId): void => {
      childStarted(bench, { childId, directive: 'leaf' });
      childEnded(bench, { childId, status: 'error', cost });
    };
    tell('thread-2');
    bench.thread.answers = new Map(asked.map(({ point = '' }) => [point, { granted: true, by: 'ann' }]));
    tell('thread-3');
    expect(asked.map(({ message }) => message)).toEqual([
      `Hook guard asks at ${event}: leaf thread-2`,
      `Hook guard asks at ${event}: leaf thread-3`,
    ]);
  },
);

const SLOW = 10;
const controls = (event: string, action: string): string =>
  `<hook id="guard" event="${event}"><action primary="execute" item_type="tool"` +
  ` item_id="rye/agent/threads/internal/control"><param name="action" value="${action}"/></action></hook>`;
const ASKS = '<hook id="guard" event="child_ended"><action function="guard"/></hook>';
const PARTS: Record<string, Part> = {
  leaf: { says: [NEVER] },
  guarded: {
    hooks: controls('child_ended', 'suspend'),
    says: [{ ...call(SPAWN, { directive_name: 'leaf' }), delay_ms: SLOW }, NEVER],
  },
  asks: { hooks: ASKS, says: [NEVER] },
  again: {
    tools: THREAD_TOOLS,
    hooks: `<hook id="again" event="child_ended"><execute item_type="tool" item_id="rye/agent/threads/thread_directive">
      <param name="directive_name" value="leaf"/><param name="async_exec" value="true"/></execute></hook>`,
    says: [NEVER],
  },
  starts: {
    hooks: ASKS,
    says: [
      { ...call(SPAWN, { directive_name: 'leaf', async_exec: true }), delay_ms: SLOW },
      { text: 'done', delay_ms: SLOW },
    ],
  },
  limited: { hooks: ASKS, limits: { duration_seconds: 20 }, says: [NEVER, NEVER] },
};
/** Hooks of a config file. */
const DECIDES = { id: 'decides', event: 'limit', action: { function: 'decides' } };
const WAIVES = {
  id: 'waives',
  event: 'limit',
  action: { primary: 'execute', item_id: 'rye/agent/threads/internal/control', params: { action: 'continue' } },
};

const ENDING = {
  status: 'error',
  outputs: undefined,
  text: '',
  error: undefined,
  cost: { turns: 1, inputTokens: 2, outputTokens: 3, spend: 0 },
} as const;

describe('Of two children that end at the same moment each is asked about, one after the other', () => {
  test('when their parent was suspended meanwhile', () => {
    using bench = createWorkerBench(PARTS);
    const thread = bench.start('guarded');
    bench.host.receive({ type: 'suspend', thread, reason: 'user', now: true });
    bench.commit();
    const [first, second] = endTwo(bench, thread);
    goOn(bench, thread);
    expect([bench.host.size(), questions(bench, thread)]).toEqual([0, [first]]);
    goOn(bench, thread);
    expect([bench.host.size(), questions(bench, thread)]).toEqual([0, [first, second]]);
    goOn(bench, thread);
    expect([bench.host.stateOf(thread), questions(bench, thread)]).toEqual(['running.calling', [first, second]]);
  });

  test('when it has left its worker meanwhile', () => {
    using bench = createWorkerBench(PARTS);
    const thread = bench.start('guarded');
    bench.clock.advance(SLOW);
    bench.settle();
    const { threadId } = bench.lineage(bench.admitChild(thread, 'leaf'));
    bench.host.receive({ type: 'answer', ref: bench.said('spawn')[0]?.ref ?? 0, value: { threadId } });
    bench.settle();
    bench.host.receive({ type: 'leave', thread });
    bench.settle();
    const [first, second] = endTwo(bench, thread);
    const calls = bench.said('wait').flatMap(({ call }) => (call ? { ...call, since: SLOW } : []));
    goOn(bench, thread, { startedAt: 0, deadline: undefined, calls });
    expect([bench.host.size(), questions(bench, thread)]).toEqual([0, [first]]);
    goOn(bench, thread);
    expect([bench.host.size(), questions(bench, thread)]).toEqual([0, [first, second]]);
  });

  test('when the hook of one suspends it, and cuts off that of the other', () => {
    using bench = createWorkerBench(PARTS);
    const thread = bench.start('asks');
    const children = [bench.admitChild(thread, 'leaf'), bench.admitChild(thread, 'leaf')];
    const ids = children.map((child) => bench.lineage(child).threadId);
    for (const childId of ids) bench.host.receive({ type: 'childEnded', thread, childId, ending: ENDING });
    expect(heardOf(bench)).toEqual(ids);
    answerHook(bench, 0);
    goOn(bench, thread);
    expect(heardOf(bench)).toEqual([...ids, ids[1]]);
    answerHook(bench, 2);
    expect([bench.host.size(), questions(bench, thread).length]).toEqual([0, 2]);
    goOn(bench, thread);
    expect(heardOf(bench)).toHaveLength(3);
  });

  test('when a limit cuts their hooks off, and is waived', () => {
    using bench = createWorkerBench(PARTS, {}, { hooks: [WAIVES] });
    const thread = bench.start('limited');
    const ids = [1, 2].map(() => bench.lineage(bench.admitChild(thread, 'leaf')).threadId);
    for (const childId of ids) {
      bench.host.receive({ type: 'childStarted', thread, childId, directive: 'leaf' });
      bench.host.receive({ type: 'childEnded', thread, childId, ending: ENDING });
    }
    bench.clock.advance(20_000);
    bench.settle();
    expect([bench.host.stateOf(thread), heardOf(bench)]).toEqual(['running.calling', [...ids, ...ids]]);
    expect(askedOf(bench).map(({ child_directive: directive }) => directive)).toEqual(['leaf', 'leaf', 'leaf', 'leaf']);
  });

  test('and once each, where it ends while it is decided whether a limit is waived', () => {
    using bench = createWorkerBench(PARTS, {}, { hooks: [DECIDES] });
    const thread = bench.start('limited');
    bench.clock.advance(20_000);
    bench.settle();
    const childId = bench.lineage(bench.admitChild(thread, 'leaf')).threadId;
    bench.host.receive({ type: 'childEnded', thread, childId, ending: ENDING });
    answerHook(bench, 0, 'continue');
    expect([bench.host.stateOf(thread), heardOf(bench)]).toEqual(['running.calling', [undefined, childId]]);
  });
});

describe('A thread that ends after its children is held until its hooks have heard of the last one', () => {
  const waits = { child_policy: { on_parent_complete: 'wait' } } as const;

  /** A thread that has said its last word, whose only child has just ended. */
  function joined(bench: WorkerBench): ThreadNo {
    const thread = bench.start('starts');
    pass(bench);
    const childId = bench.lineage(bench.admitChild(thread, 'leaf')).threadId;
    bench.host.receive({ type: 'answer', ref: bench.said('spawn')[0]?.ref ?? 0, value: { threadId: childId } });
    bench.settle();
    pass(bench);
    expect(bench.host.stateOf(thread)).toBe('running.joining');
    bench.host.receive({ type: 'childEnded', thread, childId, ending: ENDING });
    bench.host.receive({ type: 'joined', thread });
    bench.settle();
    return thread;
  }
  const ending = (bench: WorkerBench, thread: ThreadNo): unknown => bench.log(thread).at(-1);

  test('and does what they decide', () => {
    using bench = createWorkerBench(PARTS, waits);
    const thread = joined(bench);
    expect(bench.host.stateOf(thread)).toBe('running.hearing');
    answerHook(bench, 0, 'fail');
    expect(ending(bench, thread)).toMatchObject({
      event_type: 'thread_error',
      payload: { error: { code: 'hook_failed' } },
    });
  });

  test('takes no message meanwhile, and asks again whether another child was started', () => {
    using bench = createWorkerBench(PARTS, waits);
    const thread = joined(bench);
    bench.host.receive({ type: 'send', ref: 1, thread, text: 'one more thing' });
    expect(bench.said('heard')).toMatchObject([{ failure: { code: 'thread_ended' } }]);
    expect(bench.said('join')).toHaveLength(1);
    answerHook(bench, 0, 'continue');
    expect([bench.said('join').length, bench.host.stateOf(thread)]).toEqual([2, 'running.joining']);
    bench.host.receive({ type: 'joined', thread });
    bench.settle();
    expect(ending(bench, thread)).toMatchObject({ event_type: 'thread_completed' });
  });

  test('without a slot: a child that they wait for may have it', () => {
    using bench = createWorkerBench(PARTS, waits);
    const thread = joined(bench);
    expect(bench.said('yield').at(-1)).toEqual({ type: 'yield', thread });
  });

  test('also when all of it is lost meanwhile: its last checkpoint knows what they have not heard', () => {
    using bench = createWorkerBench(PARTS, waits);
    const thread = joined(bench);
    bench.commit();
    const last = bench.steps.find((step) => step.thread === thread && step.lines.includes('child_thread_ended'));
    expect(JSON.parse(last?.checkpoint?.state ?? '{}')).toMatchObject({ childNews: [{ status: ENDING.status }] });
  });

  test('also when it is suspended meanwhile: they hear of it again', () => {
    using bench = createWorkerBench(PARTS, waits);
    const thread = joined(bench);
    bench.host.receive({ type: 'suspend', thread, reason: 'user', now: true });
    bench.commit();
    goOn(bench, thread);
    bench.host.receive({ type: 'joined', thread });
    expect([heardOf(bench).length, bench.host.stateOf(thread)]).toEqual([2, 'running.hearing']);
    answerHook(bench, 1, 'fail');
    expect(ending(bench, thread)).toMatchObject({ event_type: 'thread_error' });
  });
});

describe('How deep hooks have started each other is known of a child', () => {
  const DEEPEST = 4;

  /** A thread that was suspended, whose hooks start a child after each; and one of its children, as deep as may be. */
  function readBack(bench: WorkerBench, isOver: boolean): { readonly thread: ThreadNo; readonly childId: ThreadId } {
    const thread = bench.start('again');
    bench.host.receive({ type: 'suspend', thread, reason: 'user', now: true });
    bench.commit();
    const child = bench.admitChild(thread, 'leaf', { hookDepth: DEEPEST });
    if (isOver) bench.end(child, 'completed');
    goOn(bench, thread);
    return { thread, childId: bench.lineage(child).threadId };
  }
  const refusals = (bench: WorkerBench, thread: ThreadNo): number =>
    bench.log(thread).filter((event) => event.event_type === 'warning' && event.payload.code === 'hook_depth_exceeded')
      .length;

  test.each([
    ['that has ended while its parent was in no worker', true],
    ['that ends after its parent was read back', false],
  ])('%s', (_name, isOver) => {
    using bench = createWorkerBench(PARTS);
    const { thread, childId } = readBack(bench, isOver);
    if (!isOver) bench.host.receive({ type: 'childEnded', thread, childId, ending: ENDING });
    bench.settle();
    // What it has noted goes to disk with that.
    bench.host.receive({ type: 'suspend', thread, reason: 'user', now: true });
    bench.commit();
    expect([refusals(bench, thread), bench.said('spawn')]).toEqual([1, []]);
  });

  test('that took over from another one', () => {
    using bench = createWorkerBench(PARTS);
    const { thread, childId: continues } = readBack(bench, false);
    const childId = 'thread-9';
    bench.host.receive({ type: 'childStarted', thread, childId, directive: 'leaf', continues });
    bench.host.receive({ type: 'childEnded', thread, childId, ending: ENDING });
    bench.settle();
    // What it has noted goes to disk with that.
    bench.host.receive({ type: 'suspend', thread, reason: 'user', now: true });
    bench.commit();
    expect([refusals(bench, thread), bench.said('spawn')]).toEqual([1, []]);
  });
});

test.each([
  ['cancelled', 'fail'],
  ['cancelled', 'suspend'],
  ['error', 'abort'],
] as const)(
  'A thread whose end as %s is held for its children ends so, whatever its hooks on these decide: %s',
  (status, action) => {
    const spawns = { ...call(SPAWN, { directive_name: 'leaf', async_exec: true }), delay_ms: SLOW };
    const isError = status === 'error';
    const held: Part = {
      hooks: controls('child_ended', action),
      says: [spawns, isError ? { error: { status_code: 400 }, delay_ms: SLOW } : NEVER],
    };
    const policy = { [isError ? 'on_parent_error' : 'on_parent_cancel']: 'wait' };
    using bench = createWorkerBench({ ...PARTS, held }, { child_policy: policy });
    const thread = bench.start('held');
    pass(bench);
    const childId = bench.lineage(bench.admitChild(thread, 'leaf')).threadId;
    bench.host.receive({ type: 'answer', ref: bench.said('spawn')[0]?.ref ?? 0, value: { threadId: childId } });
    bench.settle();
    if (isError) pass(bench);
    else bench.host.receive({ type: 'cancel', threads: [thread], reason: 'enough' });
    expect(bench.host.stateOf(thread)).toBe('running.ending');
    bench.host.receive({ type: 'childEnded', thread, childId, ending: ENDING });
    bench.settle();
    expect(bench.host.stateOf(thread)).toBe('running.ending');
    bench.host.receive({ type: 'joined', thread });
    bench.settle();
    expect(bench.log(thread).slice(-2)).toMatchObject([
      {
        event_type: 'warning',
        payload: { message: `"${action}" comes when it is decided how the thread ends: it changes nothing` },
      },
      { event_type: `thread_${status}` },
    ]);
  },
);

test('What hooks have not heard is told as a thread begins that has it of the one before', () => {
  using bench = createWorkerBench(PARTS);
  const before = bench.start('asks');
  bench.host.receive({ type: 'suspend', thread: before, reason: 'user', now: true });
  bench.commit();
  const { state = '' } = bench.steps.findLast(({ checkpoint }) => checkpoint)?.checkpoint ?? {};
  const news = [{ childId: 'thread-9', status: 'error', cost }];
  const written = state.replace(/\}$/, `,"childNews":${JSON.stringify(news)}}`);
  const thread = bench.admitChild(before, 'asks');
  const step = { type: 'step', thread, at: 0, lines: '', firstSequence: 0, lastSequence: 0 } as const;
  const status = { to: 'suspended', reason: 'shutdown' } as const;
  bench.services.store.submit({ ...step, checkpoint: { turn: 0, state: written }, status }, () => undefined);
  bench.commit();
  goOn(bench, thread);
  expect([bench.host.stateOf(thread), heardOf(bench)]).toEqual(['running.calling', ['thread-9']]);
});

/** Has two children end of which their parent hears nothing; returns what a person is asked about each. */
function endTwo(bench: WorkerBench, parent: ThreadNo): readonly string[] {
  return [1, 2].map(() => {
    const child = bench.admitChild(parent, 'leaf');
    bench.end(child, 'error');
    return `Hook guard asks at child_ended: leaf ${bench.lineage(child).threadId}`;
  });
}

/** The model answers. */
function pass(bench: WorkerBench): void {
  bench.clock.advance(SLOW);
  bench.settle();
}

/** Ids of requests are of their time. */
function goOn(bench: WorkerBench, thread: ThreadNo, waiting?: WaitingThread): void {
  bench.clock.advance(1);
  if (waiting) bench.host.receive({ type: 'resume', lineage: bench.lineage(thread), hasChildren: true, waiting });
  else bench.resume(thread);
  bench.settle();
}

function questions(bench: WorkerBench, thread: ThreadNo): (string | undefined)[] {
  return bench
    .log(thread)
    .flatMap((event) => (event.event_type === 'approval_requested' ? [event.payload.message] : []));
}

type Told = { readonly child_thread_id?: ThreadId; readonly child_directive?: string };

/** What functions of the host were told, oldest first. */
function askedOf(bench: WorkerBench): Told[] {
  return bench.said('hostCall').map(({ input }) => (input as { readonly context: Told }).context);
}

/** The children that they were told of. */
function heardOf(bench: WorkerBench): (ThreadId | undefined)[] {
  return askedOf(bench).map(({ child_thread_id: childId }) => childId);
}

function answerHook(bench: WorkerBench, index: number, action = 'suspend'): void {
  bench.clock.advance(1);
  const ref = bench.said('hostCall')[index]?.ref ?? 0;
  bench.host.receive({ type: 'answer', ref, value: { action } });
  bench.settle();
}

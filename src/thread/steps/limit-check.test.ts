import { expect, test } from 'vitest';
import { call, NEVER, SPAWN } from '../../../test/fixtures/scene.ts';
import { createWorkerBench, type WorkerBench } from '../../../test/fixtures/worker-bench.ts';
import type { StoredEvent } from '../../core/events.ts';

const SLOW = 10;
const DURATION = 60_000;

/** A worker with a thread that may take one turn within a minute, and whose hook waives some of its limits. */
function waiving(...codes: readonly string[]): WorkerBench {
  const limits = { turns: 1, duration_seconds: DURATION / 1000 };
  const parts = { task: { limits, says: [{ ...call('nothing'), delay_ms: SLOW }, NEVER] } };
  return createWorkerBench(parts, {}, { hooks: codes.map((code) => waiver(code)) });
}

function waiver(code: string, action = 'continue', id = code): object {
  const item_id = 'rye/agent/threads/internal/control';
  const condition = { path: 'limit_code', op: 'eq', value: code };
  return { id, event: 'limit', condition, action: { primary: 'execute', item_id, params: { action } } };
}

/** Time passes; returns the limits at which the thread has asked a person. */
function pass(bench: WorkerBench, ms: number): string[] {
  bench.clock.advance(ms);
  bench.settle();
  return bench
    .log(1)
    .flatMap((event) => (event.event_type === 'approval_requested' ? [event.payload.limit_code ?? ''] : []));
}

test('A call that hangs after another limit was waived is ended by its duration all the same', () => {
  using bench = waiving('turns_exceeded');
  const thread = bench.start('task');
  expect([pass(bench, SLOW), bench.host.stateOf(thread)]).toEqual([[], 'running.calling']);
  expect(pass(bench, DURATION - SLOW - 1)).toEqual([]);
  expect(pass(bench, 1)).toEqual(['duration_seconds_exceeded']);
});

test('A call that hangs after the duration was waived is not hit by it again', () => {
  using bench = waiving('turns_exceeded', 'duration_seconds_exceeded');
  const thread = bench.start('task');
  pass(bench, SLOW);
  expect(pass(bench, DURATION)).toEqual([]);
  expect([pass(bench, DURATION), bench.host.stateOf(thread)]).toEqual([[], 'running.calling']);
});

test('A call is not repeated before its time where a hook waives the duration that the wait would take', () => {
  const busy = { error: { status_code: 503, headers: { 'retry-after': '90' } }, times: 1, delay_ms: SLOW };
  const limits = { turns: 1, duration_seconds: DURATION / 1000 };
  const parts = { task: { limits, says: [busy, { turn: 1, ...call('nothing'), delay_ms: SLOW }, NEVER] } };
  const hooks = ['turns_exceeded', 'duration_seconds_exceeded'].map((code) => waiver(code));
  using bench = createWorkerBench(parts, {}, { hooks });
  const thread = bench.start('task');
  const states = [SLOW, 89_999, 1, SLOW].map((ms) => [pass(bench, ms), bench.host.stateOf(thread)]);
  expect(states).toEqual([
    [[], 'running.backingOff'],
    [[], 'running.backingOff'],
    [[], 'running.calling'],
    // Another limit, which is waived when the wait is over, makes nobody wait.
    [[], 'running.calling'],
  ]);
  expect(bench.host.get(thread)?.turns).toBe(1);
});

test('A wait goes on while hooks decide on the limit that it would take', () => {
  const busy = { error: { status_code: 503, headers: { 'retry-after': '90' } }, times: 1, delay_ms: SLOW };
  const parts = { task: { limits: { duration_seconds: DURATION / 1000 }, says: [busy, NEVER] } };
  const slow = { id: 'slow', event: 'limit', action: { function: 'look' } };
  using bench = createWorkerBench(parts, {}, { hooks: [slow, waiver('duration_seconds_exceeded')] });
  const thread = bench.start('task');
  pass(bench, SLOW);
  pass(bench, 25_000);
  bench.host.receive({ type: 'answer', ref: bench.said('hostCall').at(-1)?.ref ?? 0, value: null });
  const states = [0, 64_999, 1].map((ms) => (pass(bench, ms), bench.host.stateOf(thread)));
  expect(states).toEqual(['running.backingOff', 'running.backingOff', 'running.calling']);
});

const task = { limits: { turns: 1 }, says: [{ ...call('nothing'), delay_ms: SLOW }, NEVER] };
const inXml = (action: string): string =>
  `<hook id="mine" event="limit"><execute item_id="rye/agent/threads/internal/control"><param name="action" value="${action}"/></execute></hook>`;

test.each(['continue', 'skip'])('A hook of the directive waives no limit of its thread, by %s', (action) => {
  const limits = { enforcement: { on_exceed: 'fail' } } as const;
  using bench = createWorkerBench({ task: { ...task, hooks: inXml(action) } }, { limits });
  const thread = bench.start('task');
  pass(bench, SLOW);
  expect(bench.log(thread).slice(-2)).toMatchObject([
    { event_type: 'warning', payload: { message: `"${action}" means nothing at limit: it changes nothing` } },
    { event_type: 'thread_error', payload: { error: { code: 'turns_exceeded' } } },
  ]);
});

test.each<[string, readonly object[], string | undefined]>([
  ['is held where another hook decides', [waiver('turns_exceeded'), waiver('turns_exceeded', 'suspend', 'b')], 'b'],
  ['is not escalated by the hook that ships', [waiver('turns_exceeded')], undefined],
])('A limit that a hook of a config file waives %s', (_how, hooks, asked) => {
  using bench = createWorkerBench({ task: { ...task, hooks: inXml('continue') } }, {}, { hooks });
  const thread = bench.start('task');
  pass(bench, SLOW);
  const who = bench.log(thread).find((event) => event.event_type === 'approval_requested')?.payload.asked_by;
  expect(who).toBe(asked && `task, hook ${asked}`);
});

const WHY = { error: 'too dear', suspend_reason: 'May it go on?' };
test.each<[string, Record<string, string>, StoredEvent['event_type'], object]>([
  ['fail', { error: WHY.error }, 'thread_error', { error: { code: 'turns_exceeded', message: WHY.error } }],
  ['abort', { error: WHY.error }, 'thread_cancelled', { reason: WHY.error }],
  ['suspend', { error: WHY.error }, 'approval_requested', { message: WHY.error }],
  ['escalate', { error: WHY.error }, 'approval_requested', { message: WHY.error }],
  ['suspend', WHY, 'approval_requested', { message: WHY.suspend_reason }],
  ['escalate', WHY, 'approval_requested', { message: WHY.suspend_reason }],
  ['escalate', {}, 'approval_requested', { message: 'turns_exceeded: 1 of 1' }],
])('What a hook says at a limit is told: %s, with %j', (action, said, type, payload) => {
  const hooks = '<hook id="decides" event="limit"><action function="decides"/></hook>';
  const says = [{ ...call('nothing'), delay_ms: SLOW }, NEVER];
  using bench = createWorkerBench({ task: { limits: { turns: 1 }, hooks, says } });
  const thread = bench.start('task');
  pass(bench, SLOW);
  bench.host.receive({ type: 'answer', ref: bench.said('hostCall')[0]?.ref ?? 0, value: { action, ...said } });
  pass(bench, 0);
  expect(bench.log(thread).filter(({ event_type }) => event_type === type)).toMatchObject([{ payload }]);
});

test('A thread that has said its last word when its duration is waived takes no other turn', () => {
  const hooks = '<hook id="looks" event="after_step"><action function="look"/></hook>';
  const says = [{ text: 'done', delay_ms: SLOW }];
  const parts = { task: { limits: { duration_seconds: 20 }, hooks, says } };
  using bench = createWorkerBench(parts, {}, { hooks: [waiver('duration_seconds_exceeded')] });
  const thread = bench.start('task');
  pass(bench, SLOW);
  expect(bench.host.stateOf(thread)).toBe('running.afterStep');
  pass(bench, 20_000);
  bench.host.receive({ type: 'answer', ref: bench.said('hostCall').at(-1)?.ref ?? 0, value: {} });
  pass(bench, 0);
  expect(bench.log(thread).at(-1)).toMatchObject({ event_type: 'thread_completed', payload: { cost: { turns: 1 } } });
});

test.each([
  ['is waived', [waiver('duration_seconds_exceeded')], []],
  ['is raised', [], ['duration_seconds_exceeded']],
])('A thread that is hit by its duration while it waits goes on with its child where that %s', (_how, hooks, asked) => {
  const says = [{ ...call(SPAWN, { directive_name: 'leaf' }), delay_ms: SLOW }, NEVER];
  const limits = { duration_seconds: DURATION / 1000 };
  using bench = createWorkerBench({ task: { limits, says }, leaf: { says: [NEVER] } }, {}, { hooks });
  const thread = bench.start('task');
  pass(bench, SLOW);
  const { threadId } = bench.lineage(bench.admitChild(thread, 'leaf'));
  const answer = (type: 'spawn' | 'spawned' | 'wait', value: unknown): void => {
    bench.host.receive({ type: 'answer', ref: bench.said(type).at(-1)?.ref ?? 0, value });
    pass(bench, 0);
  };
  answer('spawn', { threadId });
  expect(bench.host.stateOf(thread)).toBe('running.waitingForChildren');
  expect(pass(bench, DURATION)).toEqual(asked);
  if (asked.length > 0) {
    bench.resumeWith(thread, { duration_seconds: 2 * limits.duration_seconds });
    bench.commit();
  }
  answer('spawned', { threadId, directive: 'leaf' });
  expect([bench.said('spawn').length, bench.host.stateOf(thread)]).toEqual([1, 'running.waitingForChildren']);
  answer('wait', [{ threadId, status: 'completed', ending: undefined }]);
  const results = bench.log(thread).filter(({ event_type: type }) => type === 'tool_call_result');
  expect(results).toMatchObject([{ payload: { output: expect.stringContaining(threadId) } }]);
  expect(bench.host.stateOf(thread)).toBe('running.calling');
});

test('A call that goes on after a waived limit is shown to its hooks as the model made it', () => {
  const hooks = '<hook id="fix" event="before_tool"><action function="fix"/></hook>';
  const says = [{ ...call(SPAWN, { directive_name: 'leaf' }), delay_ms: SLOW }, NEVER];
  const limits = { duration_seconds: DURATION / 1000 };
  const parts = { task: { limits, hooks, says }, leaf: { says: [NEVER] } };
  using bench = createWorkerBench(parts, {}, { hooks: [waiver('duration_seconds_exceeded')] });
  bench.start('task');
  pass(bench, SLOW);
  const fix = (): unknown => {
    const { ref = 0, input } = bench.said('hostCall').at(-1) ?? {};
    bench.host.receive({ type: 'answer', ref, value: { input: { directive_name: 'leaf', inputs: { fixed: 1 } } } });
    pass(bench, 0);
    return input;
  };
  const asked = { event: 'before_tool', context: { input: { directive_name: 'leaf' } } };
  expect(fix()).toMatchObject(asked);
  pass(bench, DURATION);
  const again = fix();
  expect(again).toMatchObject(asked);
  expect(again).not.toMatchObject({ context: { input: { inputs: { fixed: 1 } } } });
  expect(bench.said('hostCall')).toHaveLength(2);
});

test('A call that goes on after a waived limit has not ended the runtimes that ended before its answer', () => {
  const limits = { duration_seconds: DURATION / 1000 };
  const parts = { task: { limits, says: [{ ...call('app_read'), delay_ms: SLOW }] } };
  using bench = createWorkerBench(parts, {}, { hooks: [waiver('duration_seconds_exceeded')] });
  const startOnDisk: boolean[] = [];
  const run = () => {
    startOnDisk.push(bench.log(1).some(({ event_type: type }) => type === 'tool_call_start'));
    return { abort: () => undefined };
  };
  bench.services.tools.add([{ id: 'app/read', description: 'Reads', inputSchema: {}, idempotent: true, run }]);
  const thread = bench.start('task');
  // As a log has it that says so often that a runtime has ended during the model call.
  Object.assign(bench.host.get(thread) ?? {}, { cutOffs: 3, wasCutOff: true });
  pass(bench, SLOW);
  expect(pass(bench, DURATION)).toEqual([]);
  expect(bench.log(thread).filter(({ event_type: type }) => type === 'thread_suspended')).toEqual([]);
  expect(startOnDisk).toEqual([true, true]);
});

test('A thread that has done its work and waits for its children to end is not hit by its duration', () => {
  const says = [
    { ...call(SPAWN, { directive_name: 'leaf', async_exec: true }), delay_ms: SLOW },
    { text: 'done', delay_ms: SLOW },
  ];
  const parts = { task: { limits: { duration_seconds: DURATION / 1000 }, says }, leaf: { says: [NEVER] } };
  using bench = createWorkerBench(parts, { child_policy: { on_parent_complete: 'wait' } });
  const thread = bench.start('task');
  pass(bench, SLOW);
  bench.host.receive({ type: 'answer', ref: bench.said('spawn')[0]?.ref ?? 0, value: { threadId: 'thread-x' } });
  bench.commit();
  pass(bench, SLOW);
  expect([pass(bench, 2 * DURATION), bench.host.stateOf(thread)]).toEqual([[], 'running.joining']);
  bench.host.receive({ type: 'suspend', thread, reason: 'user', now: true });
  bench.commit();
  bench.resume(thread);
  expect([pass(bench, DURATION), bench.host.stateOf(thread)]).toEqual([[], 'running.joining']);
  bench.host.receive({ type: 'joined', thread });
  bench.commit();
  expect(bench.log(thread).at(-1)).toMatchObject({ event_type: 'thread_completed' });
});

test.each<[string, (bench: WorkerBench) => void]>([
  ['is through in time', (bench) => bench.clock.advance(SLOW)],
  ['is cancelled', (bench) => bench.host.receive({ type: 'cancel', threads: [1], reason: 'no' })],
  ['is suspended', (bench) => bench.host.receive({ type: 'suspend', thread: 1, reason: 'user', now: true })],
])('A thread that %s is not hit by its duration any more, however long its worker lives', (_how, stop) => {
  const says = [{ text: 'done', delay_ms: SLOW }];
  using bench = createWorkerBench({ task: { limits: { duration_seconds: DURATION / 1000 }, says } });
  const thread = bench.start('task');
  stop(bench);
  bench.commit();
  const log = bench.log(thread);
  expect([bench.host.size(), bench.clock.pending()]).toEqual([0, 0]);
  expect(pass(bench, 2 * DURATION)).toEqual([]);
  expect([bench.log(thread), bench.fatal]).toEqual([log, []]);
});

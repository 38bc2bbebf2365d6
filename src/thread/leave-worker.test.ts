import { describe, expect, test } from 'vitest';
import { ORCHESTRATE, SPAWN, type Part } from '../../test/fixtures/scene.ts';
import { createWorkerBench, type WorkerBench } from '../../test/fixtures/worker-bench.ts';
import type { ThreadNo } from '../core/ids.ts';
import { NO_COST } from '../core/limits.ts';
import { createSession } from './tiers/assembly-session.ts';

const SLOW = 10;
const AWAY_MS = 50_000;
const TOOLS = ['rye/agent/threads/*'];
const END = { text: 'heard: ${last.text}', delay_ms: SLOW };
const CALLS = [
  { name: SPAWN, input: { directive_name: 'leaf' } },
  { name: ORCHESTRATE, input: { operation: 'list_active' } },
  { name: ORCHESTRATE, input: { operation: 'wait_threads', thread_ids: ['thread-x'], timeout: 90 } },
];
const PARTS: Record<string, Part> = {
  leaf: { says: [END] },
  parent: { tools: TOOLS, says: [{ tool_calls: CALLS, delay_ms: SLOW }, END] },
  spawns: { tools: TOOLS, says: [{ tool_calls: CALLS.slice(0, 1), delay_ms: SLOW }, END] },
  executes: { tools: TOOLS, says: [{ tool_calls: [executing()], delay_ms: SLOW }, END] },
  short: { tools: TOOLS, limits: { duration_seconds: 30 }, says: [{ tool_calls: CALLS, delay_ms: SLOW }, END] },
};

describe('A thread that only waits for others', () => {
  test('leaves its worker without a word in its log, when all of it is on disk', () => {
    using bench = createWorkerBench(PARTS);
    const thread = waiting(bench, 'parent');
    const before = bench.log(thread).length;
    bench.host.receive({ type: 'leave', thread });
    expect([bench.said('left'), bench.host.size()]).toEqual([[], 1]);
    bench.commit();
    const cost = { turns: 1, spend: expect.any(Number) };
    expect(bench.said('left')).toMatchObject([{ thread, sequence: before, cost, startedAt: 0, deadline: 600_000 }]);
    expect([bench.host.size(), bench.log(thread).length, bench.fatal]).toEqual([0, before, []]);
    expect(bench.services.host.open()).toBe(0);
    expect(bench.clock.pending()).toBe(0);
  });

  test('gives up its questions only when the host knows that it has left', () => {
    using bench = createWorkerBench(PARTS);
    const thread = waiting(bench, 'parent');
    leave(bench, thread);
    const types = bench.reports.map(({ type }) => type);
    expect(types.slice(types.indexOf('left'))).toEqual(['left', 'abandon', 'abandon']);
  });

  test('goes on where it was: its calls get the answers, in their order, and nothing is asked again', () => {
    using bench = createWorkerBench(PARTS);
    const thread = waiting(bench, 'parent');
    const asked = [bench.said('wait').length, bench.said('spawn').length];
    const messages = bench.host.get(thread)?.messages.length ?? 0;
    leave(bench, thread);
    bench.clock.set(-3_600_000);
    bench.clock.advance(AWAY_MS);
    comeBack(bench, thread);
    expect(bench.host.stateOf(thread)).toBe('running.waitingForChildren');
    expect(bench.said('waitAgain').map(({ callId }) => callId)).toEqual(idsOf(bench));
    for (const { ref } of bench.said('waitAgain').toReversed()) answerWait(bench, ref);
    bench.settle();
    const results = bench.host.get(thread)?.messages.slice(messages) ?? [];
    const ids = callIds(bench, thread);
    expect(results.map((message) => (message.role === 'tool' ? message.callId : message.role))).toEqual(ids);
    expect(results.map((message) => 'text' in message && message.text)).toMatchObject([
      expect.stringContaining('"directive":"leaf"'),
      expect.stringContaining('"threads":'),
      expect.stringContaining('"results":'),
    ]);
    expect([bench.said('wait').length, bench.said('spawn').length]).toEqual(asked);
    bench.clock.advance(SLOW);
    bench.settle();
    expect(bench.said('ended')).toHaveLength(1);
    const log = bench.log(thread);
    expect(log.map(({ sequence }) => sequence)).toEqual(log.map((_, index) => index + 1));
    expect(count(log, 'tool_call_start')).toBe(3);
    expect([count(log, 'thread_suspended'), count(log, 'thread_resumed')]).toEqual([0, 0]);
    // It has waited all the time, whatever the clock says.
    const took = log.flatMap((event) => (event.event_type === 'tool_call_result' ? event.payload.duration_ms : []));
    expect(took.toSorted((a, b) => a - b)).toEqual([0, AWAY_MS, AWAY_MS]);
  });

  test('gets what its action gets if it waits through `rye/execute`', () => {
    using bench = createWorkerBench(PARTS);
    const thread = waiting(bench, 'executes');
    leave(bench, thread);
    comeBack(bench, thread);
    answerWait(bench, bench.said('waitAgain')[0]?.ref ?? 0);
    bench.settle();
    const last = bench.host.get(thread)?.messages.at(-1);
    expect(last).toMatchObject({ role: 'tool', isError: false, text: expect.stringContaining('thread_directive') });
  });

  test('is told of a child that ended meanwhile', () => {
    using bench = createWorkerBench(PARTS);
    const thread = waiting(bench, 'spawns');
    leave(bench, thread);
    bench.end(2, 'completed');
    comeBack(bench, thread);
    bench.settle();
    expect(bench.log(thread).at(-1)?.event_type).toBe('child_thread_ended');
  });

  test('can leave again and again', () => {
    using bench = createWorkerBench(PARTS);
    const thread = waiting(bench, 'parent');
    for (let round = 0; round < 3; round++) {
      leave(bench, thread);
      comeBack(bench, thread);
    }
    expect([bench.said('left').length, bench.host.size()]).toEqual([3, 1]);
    expect(
      bench
        .said('waitAgain')
        .slice(-2)
        .map(({ callId }) => callId),
    ).toEqual(idsOf(bench));
  });

  test('keeps a message that it was sent while it waits', () => {
    using bench = createWorkerBench(PARTS);
    const thread = waiting(bench, 'spawns');
    bench.host.receive({ type: 'send', ref: 1, thread, text: 'be quick' });
    leave(bench, thread);
    comeBack(bench, thread);
    answerWait(bench, bench.said('waitAgain')[0]?.ref ?? 0);
    bench.settle();
    expect(bench.host.get(thread)?.messages.at(-1)).toEqual({ role: 'user', text: 'be quick' });
  });

  test('has run all the time: its duration ends it when it is back', () => {
    using bench = createWorkerBench(PARTS, { limits: { enforcement: { on_exceed: 'fail' } } });
    const thread = waiting(bench, 'short');
    leave(bench, thread);
    bench.clock.advance(30_000);
    comeBack(bench, thread);
    expect(bench.said('ended')).toEqual([]);
    bench.clock.advance(0);
    bench.settle();
    const [ended] = bench.said('ended');
    expect(JSON.parse(ended?.ending ?? '{}')).toMatchObject({ error: { code: 'duration_seconds_exceeded' } });
  });

  test.each<[string, 'cancel' | 'suspend', string, number]>([
    ['is cancelled as soon as it is back, with a result for each of its calls', 'cancel', 'thread_cancelled', 3],
    ['is suspended as soon as it is back, and its waits stay open', 'suspend', 'thread_suspended', 1],
  ])('%s', (_name, how, last, results) => {
    using bench = createWorkerBench(PARTS);
    const thread = waiting(bench, 'parent');
    leave(bench, thread);
    comeBack(bench, thread, () => {
      if (how === 'cancel') bench.host.receive({ type: 'cancel', threads: [thread], reason: 'no' });
      else bench.host.receive({ type: 'suspend', thread, reason: 'user', now: true });
    });
    bench.settle();
    const log = bench.log(thread);
    expect([log.at(-1)?.event_type, count(log, 'tool_call_result'), bench.host.size()]).toEqual([last, results, 0]);
  });

  test('that was lost meanwhile is what a killed runtime leaves: it runs, and its calls are open', () => {
    using bench = createWorkerBench(PARTS);
    const thread = waiting(bench, 'parent');
    leave(bench, thread);
    const log = bench.log(thread);
    expect(count(log, 'tool_call_start') - count(log, 'tool_call_result')).toBe(2);
    expect(log.at(-1)?.event_type).not.toBe('thread_suspended');
  });

  test('that leaves and comes back after the clock was moved back runs out of time all the same', () => {
    using bench = createWorkerBench(PARTS);
    const thread = waiting(bench, 'short');
    bench.clock.set(-5 * 3_600_000);
    leave(bench, thread);
    const movedAt = bench.clock.now();
    bench.clock.advance(29_000);
    comeBack(bench, thread);
    // It leaves again, which gives it no time.
    leave(bench, thread);
    expect(bench.said('left').map(({ deadline }) => deadline)).toEqual([movedAt + 30_000, movedAt + 30_000]);
    bench.clock.advance(1_000);
    comeBack(bench, thread);
    bench.clock.advance(0);
    bench.settle();
    expect(bench.log(thread).map(({ event_type }) => event_type)).toContain('approval_requested');
  });

  test('that leaves after the clock was moved forward beyond its duration ends by it when it is back', () => {
    using bench = createWorkerBench(PARTS, { limits: { enforcement: { on_exceed: 'fail' } } });
    const thread = waiting(bench, 'short');
    bench.clock.set(5 * 3_600_000);
    leave(bench, thread);
    expect(bench.said('left')).toMatchObject([{ deadline: 30_000 }]);
    comeBack(bench, thread);
    bench.clock.advance(0);
    bench.settle();
    expect(JSON.parse(bench.said('ended')[0]?.ending ?? '{}')).toMatchObject({
      error: { code: 'duration_seconds_exceeded' },
    });
  });

  test('whose duration was waived has none when it leaves', () => {
    using bench = createWorkerBench(PARTS);
    const thread = waiting(bench, 'short');
    const found = bench.host.get(thread);
    if (!found) throw new Error('It is not there');
    bench.clock.clearTimer(found.deadline ?? 0);
    found.deadline = undefined;
    leave(bench, thread);
    expect(bench.said('left')).toMatchObject([{ deadline: undefined }]);
  });

  test('whose waits the host does not know comes to no harm: it is not read back', () => {
    using bench = createWorkerBench(PARTS);
    const thread = waiting(bench, 'parent');
    leave(bench, thread);
    comeBack(bench, thread, () => undefined, []);
    expect(bench.said('resumeFailed')).toMatchObject([{ thread, failure: { code: 'store_corrupt' } }]);
    expect(bench.host.size()).toBe(0);
  });
});

describe('A thread that is to leave its worker stays', () => {
  test.each<[string, (bench: WorkerBench, thread: ThreadNo) => void]>([
    [
      'when it is to suspend',
      (bench, thread) => bench.host.receive({ type: 'suspend', thread, reason: 'user', now: false }),
    ],
    ['when it is to hand over', (bench, thread) => bench.host.receive({ type: 'handOver', thread })],
    ['when it has got its answer', (bench) => answerWait(bench, bench.said('wait')[0]?.ref ?? 0)],
  ])('%s', (_name, change) => {
    using bench = createWorkerBench(PARTS);
    const thread = waiting(bench, 'spawns');
    change(bench, thread);
    leave(bench, thread);
    expect([bench.said('stays'), bench.said('left')]).toEqual([[{ type: 'stays', thread }], []]);
    expect(bench.host.get(thread)).toBeDefined();
  });

  test.each([
    ['append-only', 'stays'],
    ['cache-aware', 'left'],
    ['cache-aware-redundant', 'left'],
  ] as const)('only if its prompt is a log, of which what was sent is known here alone: %s, it %s', (policy, says) => {
    using bench = createWorkerBench(PARTS, {}, { agent: { assembly_policy: policy } });
    const thread = waiting(bench, 'spawns');
    const found = bench.host.get(thread);
    if (!found) throw new Error('It is not there');
    found.assembly = createSession({ plan: { ...found.plan, assembly: 'tiered' } }, bench.services);
    leave(bench, thread);
    expect([bench.said('stays').length, bench.said('left').length]).toEqual(says === 'stays' ? [1, 0] : [0, 1]);
  });

  test('when its duration is over while it is written down', () => {
    using bench = createWorkerBench(PARTS);
    const thread = waiting(bench, 'short');
    bench.host.receive({ type: 'leave', thread });
    bench.clock.advance(30_000);
    bench.commit();
    expect([bench.said('stays').length, bench.said('left').length]).toEqual([1, 0]);
  });

  test('also when it is gone', () => {
    using bench = createWorkerBench(PARTS);
    bench.host.receive({ type: 'leave', thread: 99 });
    expect(bench.said('stays')).toEqual([{ type: 'stays', thread: 99 }]);
  });
});

/** A thread of which nothing is left but waits. */
function waiting(bench: WorkerBench, directive: string): ThreadNo {
  const thread = bench.start(directive);
  bench.clock.advance(SLOW);
  bench.settle();
  const asked = bench.said('spawn')[0];
  const child = bench.admitChild(thread, 'leaf');
  bench.host.receive({ type: 'answer', ref: asked?.ref ?? 0, value: { threadId: bench.lineage(child).threadId } });
  const [listed] = bench.said('orchestrate');
  if (listed) bench.host.receive({ type: 'answer', ref: listed.ref, value: { success: true, threads: [] } });
  bench.settle();
  expect(bench.host.stateOf(thread)).toBe('running.waitingForChildren');
  return thread;
}

function leave(bench: WorkerBench, thread: ThreadNo): void {
  bench.host.receive({ type: 'leave', thread });
  bench.settle();
}

/** Brings it back as the host does; `meanwhile`: what is said to it before it is there. */
function comeBack(bench: WorkerBench, thread: ThreadNo, meanwhile = (): void => undefined, calls?: []): void {
  const left = bench.said('left').at(-1);
  const { startedAt = 0, deadline } = left ?? {};
  const waits = bench.said('wait').flatMap(({ call }) => (call ? { ...call, since: SLOW } : []));
  const waiting = { startedAt, deadline, calls: calls ?? waits };
  const nothingNew = { message: undefined, limits: undefined };
  bench.host.receive({ type: 'resume', lineage: bench.lineage(thread), hasChildren: true, ...nothingNew, waiting });
  meanwhile();
  bench.settle();
}

function answerWait(bench: WorkerBench, ref: number): void {
  const ending = { status: 'completed', outputs: undefined, text: 'ok', error: undefined, cost: NO_COST } as const;
  const { threadId } = bench.lineage(2);
  bench.host.receive({ type: 'answer', ref, value: [{ threadId, status: 'completed', ending }] });
}

/** Ids of the calls that wait, in their order. */
function idsOf(bench: WorkerBench): string[] {
  const waits = new Set(bench.said('wait').flatMap(({ call }) => call?.id ?? []));
  return callIds(bench, 1).filter((id) => waits.has(id));
}

function callIds(bench: WorkerBench, thread: ThreadNo): string[] {
  return bench.log(thread).flatMap((event) => (event.event_type === 'tool_call_start' ? event.payload.call_id : []));
}

function count(log: readonly { readonly event_type: string }[], type: string): number {
  return log.filter(({ event_type }) => event_type === type).length;
}

function executing(): { readonly name: string; readonly input: Readonly<Record<string, unknown>> } {
  const item = { item_type: 'tool', item_id: 'rye/agent/threads/thread_directive' };
  return { name: 'rye_execute', input: { ...item, parameters: { directive_name: 'leaf' } } };
}

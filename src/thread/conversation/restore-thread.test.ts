import { describe, expect, test } from 'vitest';
import { call, give, NEVER, SPAWN, type Part } from '../../../test/fixtures/scene.ts';
import { createWorkerBench, type WorkerBench } from '../../../test/fixtures/worker-bench.ts';
import type { Ending } from '../../core/ending.ts';
import { decodeEvents } from '../../core/events.ts';
import { ok } from '../../core/result.ts';
import type { Tool } from '../../core/tool.ts';
import { parseCheckpoint } from './checkpoint.ts';
import { pricedModel } from '../../../test/fixtures/priced-model.ts';

const SLOW = 10;
/** A call may cost a hundredth of a cent, and the first one costs five. */
const PRICED = pricedModel({ output: 0.1 });
const PARTS: Record<string, Part> = {
  dear: {
    limits: { spend: 5 },
    says: [
      { ...call(SPAWN, { directive_name: 'leaf' }), usage: { output_tokens: 5_000 }, delay_ms: SLOW },
      { text: 'done', delay_ms: SLOW },
    ],
  },
  leaf: { says: [{ text: 'leaf' }] },
  hangs: { limits: { duration_seconds: 60 }, says: [NEVER] },
  answers: {
    hooks: '<hook id="looks" event="after_step"><action function="look"/></hook>',
    says: [{ text: 'the answer', delay_ms: SLOW }],
  },
  gives: {
    outputs: ['n:integer'],
    says: [
      { ...give({ n: 1 }), delay_ms: SLOW },
      { ...give({ n: 2 }), delay_ms: SLOW },
    ],
  },
  redoes: {
    outputs: ['n:integer'],
    says: [
      { ...give({ n: 1 }), delay_ms: SLOW },
      { ...call('no_such_tool'), delay_ms: SLOW },
      { ...give({ n: 2 }), delay_ms: SLOW },
    ],
  },
  mistakes: {
    outputs: ['n:integer'],
    says: [
      { ...give({ n: 1 }), delay_ms: SLOW },
      { ...give({ n: 'two' }), delay_ms: SLOW },
      { ...give({ n: 2 }), delay_ms: SLOW },
    ],
  },
  asks: {
    outputs: ['n:integer'],
    hooks: '<hook id="asks" event="directive_return"><action function="ask"/></hook>',
    says: [{ ...give({ n: 1 }), delay_ms: SLOW }],
  },
  reads: {
    says: [
      {
        tool_calls: [
          { name: 'app_long', input: {} },
          { name: 'app_slow', input: {} },
        ],
        delay_ms: SLOW,
      },
      NEVER,
    ],
  },
  returns: {
    outputs: ['n:integer'],
    says: [
      {
        tool_calls: [
          ...(give({ n: 1 }).tool_calls ?? []),
          ...(call(SPAWN, { directive_name: 'leaf' }).tool_calls ?? []),
        ],
        delay_ms: SLOW,
      },
    ],
  },
};

/** The model answers, and the store does what comes of it. */
function answer(bench: WorkerBench): void {
  bench.clock.advance(SLOW);
  bench.ticks.end();
  bench.commit();
}

test('A thread has run as long as it had when it was suspended, and not while it was', () => {
  using bench = createWorkerBench(PARTS);
  const thread = bench.start('hangs');
  const pass = (ms: number): unknown[] => {
    bench.clock.advance(ms);
    bench.commit();
    return bench.log(thread).flatMap(({ event_type, payload }) => (event_type === 'approval_requested' ? payload : []));
  };
  pass(50_000);
  bench.host.receive({ type: 'suspend', thread, reason: 'user', now: true });
  bench.commit();
  pass(500_000);
  bench.resume(thread);
  bench.commit();
  expect(pass(9_999)).toEqual([]);
  expect(pass(1)).toMatchObject([{ limit_code: 'duration_seconds_exceeded', current_value: 60 }]);
});

test('A person is asked about what a call has cost too much, also if the runtime closes while its tools run', () => {
  using bench = createWorkerBench(PARTS, {}, { agent: PRICED });
  const thread = bench.start('dear');
  answer(bench);
  bench.host.receive({ type: 'suspend', thread, reason: 'shutdown', now: true });
  bench.commit();
  bench.resume(thread);
  bench.commit();
  const suspensions = bench.log(thread).flatMap(({ payload }) => ('suspend_reason' in payload ? [payload] : []));
  const message = 'More was spent than was reserved ($0.0005 instead of $0.0001)';
  expect(suspensions).toMatchObject([
    { suspend_reason: 'shutdown' },
    { suspend_reason: 'budget', message, asked_by: 'dear, ledger' },
    { suspend_reason: 'budget', message },
  ]);
});

test('A person is asked about what a hook has reported beyond the budget, also if a suspension overtakes the ledger', () => {
  const action = {
    primary: 'execute',
    item_type: 'tool',
    item_id: 'rye/agent/threads/internal/budget_ops',
    params: { operation: 'report_actual', amount: 5, key: 'once' },
  };
  using bench = createWorkerBench(PARTS, {}, { hooks: [{ id: 'reports', event: 'child_started', action }] });
  bench.host.receive({ type: 'watch', threads: 'all', on: true });
  const thread = bench.start('hangs');
  const childId = bench.lineage(bench.admitChild(thread, 'leaf')).threadId;
  bench.host.receive({ type: 'childStarted', thread, childId, directive: 'leaf' });
  bench.host.receive({ type: 'suspend', thread, reason: 'user', now: true });
  bench.commit();
  expect(bench.log(thread).slice(-2)).toMatchObject([
    { event_type: 'thread_suspended', payload: { suspend_reason: 'user' } },
    { event_type: 'budget_overspend', payload: { actual: 5 } },
  ]);
  const told = bench.reports.map((report) => (report.type === 'suspended' ? report.last : report));
  const shown = told.flatMap((report) =>
    report?.type === 'events' && report.stored ? decodeEvents(report.lines) : [],
  );
  expect(shown).toEqual(bench.log(thread));
  expect([bench.host.size(), bench.said('suspended').length, bench.fatal]).toEqual([0, 1, []]);
  bench.resume(thread);
  bench.commit();
  expect(bench.log(thread).at(-1)).toMatchObject({ payload: { suspend_reason: 'budget' } });
});

test('A thread that is resumed after its last answer ends with what that said', () => {
  using bench = createWorkerBench(PARTS);
  const thread = bench.start('answers');
  answer(bench);
  expect(bench.host.stateOf(thread)).toBe('running.afterStep');
  bench.host.receive({ type: 'suspend', thread, reason: 'shutdown', now: true });
  bench.commit();
  bench.resume(thread);
  bench.commit();
  bench.host.receive({ type: 'answer', ref: bench.said('hostCall').at(-1)?.ref ?? 0, value: {} });
  bench.commit();
  const [ended] = bench.said('ended');
  // What this package wrote.
  expect(ended && (JSON.parse(ended.ending) as Ending)).toMatchObject({ status: 'completed', text: 'the answer' });
});

test('What commits that outputs were accepted has them in its checkpoint', () => {
  using bench = createWorkerBench(PARTS);
  const thread = bench.start('returns');
  answer(bench);
  const child = bench.admitChild(thread, 'leaf');
  const { threadId: childId } = bench.lineage(child);
  bench.host.receive({ type: 'childStarted', thread, childId, directive: 'leaf' });
  bench.ticks.end();
  bench.commit();
  const step = bench.steps.find(({ lines }) => lines.includes('"output":"accepted"'));
  expect(step?.checkpoint && parseCheckpoint(step.checkpoint.state).outputs).toEqual({ n: 1 });
});

test('A thread that was told something after its outputs answers it, also if its runtime closes meanwhile', () => {
  using bench = createWorkerBench(PARTS);
  const thread = bench.start('gives');
  bench.host.receive({ type: 'send', ref: 1, thread, text: 'one more thing' });
  answer(bench);
  bench.host.receive({ type: 'suspend', thread, reason: 'shutdown', now: true });
  bench.commit();
  bench.resume(thread);
  bench.commit();
  expect([bench.host.stateOf(thread), bench.said('ended')]).toEqual(['running.calling', []]);
  answer(bench);
  const [ended] = bench.said('ended');
  expect(ended && (JSON.parse(ended.ending) as Ending)).toMatchObject({ status: 'completed', outputs: { n: 2 } });
});

describe('A thread that was told something after its outputs', () => {
  test.each([
    ['and calls a tool then', 'redoes', false],
    ['and gives others that do not fit', 'mistakes', false],
    ['and is read back before that', 'mistakes', true],
  ])('%s, hears what comes of it before it ends', (_name, directive, isReadBack) => {
    using bench = createWorkerBench(PARTS);
    const thread = bench.start(directive);
    bench.host.receive({ type: 'send', ref: 1, thread, text: 'do it again' });
    answer(bench);
    if (isReadBack) {
      bench.host.receive({ type: 'suspend', thread, reason: 'shutdown', now: true });
      bench.commit();
      bench.resume(thread);
      bench.commit();
    }
    answer(bench);
    expect([bench.host.stateOf(thread), bench.said('ended')]).toEqual(['running.calling', []]);
    answer(bench);
    const [ended] = bench.said('ended');
    expect(ended && (JSON.parse(ended.ending) as Ending)).toMatchObject({ status: 'completed', outputs: { n: 2 } });
  });
});

test.each([
  ['this release', (state: string) => state],
  ['an older one, which does not say in which turn', (state: string) => state.replace('"returnedAt":1,', '')],
])('A thread that has given its outputs has said all, by a checkpoint of %s', (_name, written) => {
  using bench = createWorkerBench(PARTS);
  const thread = bench.start('asks');
  answer(bench);
  bench.host.receive({ type: 'suspend', thread, reason: 'shutdown', now: true });
  bench.commit();
  const { state = '' } = bench.steps.findLast(({ checkpoint }) => checkpoint)?.checkpoint ?? {};
  expect(state).toContain('"returnedAt":1,');
  const step = { type: 'step', thread, at: 0, lines: '', firstSequence: 0, lastSequence: 0 } as const;
  const checkpoint = { turn: 1, state: written(state) };
  bench.services.store.submit(
    { ...step, checkpoint, status: { to: 'suspended', reason: 'shutdown' } },
    () => undefined,
  );
  bench.commit();
  bench.resume(thread);
  bench.commit();
  expect(bench.host.stateOf(thread)).toBe('running.concluding');
});

test.each(['shutdown', 'user'] as const)(
  'What tools have given counts towards the size of a conversation whose other calls were cut off (%s)',
  (reason) => {
    using bench = createWorkerBench(PARTS);
    const tool = { description: 'Reads', inputSchema: {}, idempotent: true } as const;
    const givesMuch: Tool['run'] = (_input, _caller, done) => {
      done(ok('x'.repeat(30_000)));
      return undefined;
    };
    bench.services.tools.add([
      { ...tool, id: 'app/long', run: givesMuch },
      { ...tool, id: 'app/slow', run: () => undefined },
    ]);
    const thread = bench.start('reads');
    answer(bench);
    expect(bench.host.stateOf(thread)).toBe('running.acting');
    bench.host.receive({ type: 'suspend', thread, reason, now: true });
    bench.commit();
    bench.resume(thread);
    bench.commit();
    expect(bench.host.get(thread)?.contextTokens).toBeGreaterThan(10_000);
  },
);

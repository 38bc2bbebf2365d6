import { describe, expect, test } from 'vitest';
import { call, ORCHESTRATE, type Part } from '../../../test/fixtures/scene.ts';
import { createWorkerBench, type WorkerBench } from '../../../test/fixtures/worker-bench.ts';
import { NO_COST } from '../../core/limits.ts';
import { encodeEvent } from '../../core/events.ts';
import type { ThreadNo } from '../../core/ids.ts';
import { rebuildHistory } from './history.ts';

/** The model's answers wait for the clock. */
const SLOW = 1000;
const look = (tokens: number): Part['says'][number] => ({
  ...call('no_such_tool', { pattern: 'no/such/folder/'.repeat(40) }),
  usage: { input_tokens: tokens },
  delay_ms: SLOW,
});
const PARTS: Record<string, Part> = {
  long: {
    limits: { tokens: 10_000_000 },
    says: [look(50_000), look(60_000), look(110_000), { text: 'done', delay_ms: SLOW }],
  },
  asked: {
    hooks: '<hook id="guard" event="before_tool"><action function="guard"/></hook>',
    says: [{ ...call(ORCHESTRATE, { operation: 'list_active' }), delay_ms: SLOW }, { text: 'done' }],
  },
  gated: { says: [{ text: 'done', delay_ms: SLOW }] },
  stepped: {
    hooks: '<hook id="look" event="before_step"><action function="look"/></hook>',
    says: [{ text: 'done', delay_ms: SLOW }],
  },
  pressed: {
    hooks:
      '<hook id="look" event="before_step"><action function="look"/></hook>' +
      '<hook id="sum" event="context_window_pressure"><action function="sum"/></hook>',
    says: [{ text: 'done', delay_ms: SLOW }],
  },
  waived: {
    hooks: '<hook id="let" event="context_limit_reached"><action function="let"/></hook>',
    says: [look(120_000), { text: 'done', delay_ms: SLOW }],
  },
};
const OPEN_AT = 10_000;
/** More than the window of the model. */
const HUGE = 'word '.repeat(200_000);

test('after a compaction the log gives exactly the messages that the thread has, also to whoever reads it back', () => {
  using bench = createWorkerBench(PARTS);
  const thread = compacted(bench);
  const messages = structuredClone(bench.host.get(thread)?.messages);
  expect(messages?.map(({ role }) => role)).toEqual(['user', 'user', 'assistant', 'tool']);
  const lines = bench.log(thread).map((event) => encodeEvent(event));
  expect(rebuildHistory(lines.join('')).messages).toEqual(messages);
  bench.resume(thread);
  bench.commit();
  expect(bench.host.get(thread)?.messages).toEqual(messages);
});

test('a compaction is on disk before the call that depends on it', () => {
  using bench = createWorkerBench(PARTS);
  const thread = underPressure(bench);
  answerWait(bench);
  expect(bench.log(thread).map(({ event_type }) => event_type)).not.toContain('context_compacted');
  expect(bench.host.stateOf(thread)).toBe('running.reserving');
  bench.commit();
  expect(bench.host.stateOf(thread)).toBe('running.calling');
  expect(bench.log(thread).map(({ event_type }) => event_type)).toContain('context_compacted');
});

test('the chart shows the compaction, and the slot is lent while it lasts', () => {
  using bench = createWorkerBench(PARTS);
  const thread = underPressure(bench);
  expect(bench.host.stateOf(thread)).toBe('running.compacting');
  expect(bench.said('yield')).toMatchObject([{ thread }]);
});

test('a thread that is killed while its before_tool hooks are asked is read back with its calls, and asks again', () => {
  using bench = createWorkerBench(PARTS);
  const thread = bench.start('asked');
  answer(bench);
  expect(bench.host.stateOf(thread)).toBe('running.askingHooks');
  // Something else of the thread is committed meanwhile.
  const child = bench.admitChild(thread, 'long');
  bench.host.receive({ type: 'childStarted', thread, childId: bench.lineage(child).threadId, directive: 'long' });
  bench.settle();
  bench.resume(thread);
  bench.commit();
  expect(bench.host.stateOf(thread)).toBe('running.askingHooks');
  expect(bench.host.get(thread)?.messages.at(-1)).toMatchObject({ toolCalls: [{ name: ORCHESTRATE }] });
  expect(bench.log(thread).filter(({ event_type }) => event_type.startsWith('tool_call'))).toEqual([]);
  const [, again] = bench.said('hostCall');
  bench.host.receive({ type: 'answer', ref: again?.ref ?? 0, value: {} });
  bench.commit();
  expect(bench.said('orchestrate')).toMatchObject([{ thread, operation: 'list_active' }]);
  const starts = bench.log(thread).filter(({ event_type }) => event_type === 'tool_call_start');
  expect(starts).toHaveLength(1);
});

describe.each([
  ['at the gate of its provider', 'gated'],
  ['while its before_step hooks are asked', 'stepped'],
] as const)('A message to a thread %s', (_where, directive) => {
  test.each([
    ['is in its next call', 'one more thing', true, undefined],
    ['waits for the next check of the context if there is no room for it', HUGE, false, 'running.handingOver'],
  ])('%s', (_how, text, isHeard, then) => {
    using bench = createWorkerBench(PARTS);
    if (directive === 'gated')
      bench.host.receive({ type: 'backOff', provider: 'scripted', round: 1, streak: 1, until: OPEN_AT });
    const thread = bench.start(directive);
    bench.host.receive({ type: 'send', ref: 1, thread, text });
    if (directive === 'gated') bench.clock.advance(OPEN_AT);
    else answerHook(bench, {});
    bench.settle();
    expect(bench.host.stateOf(thread)).toBe('running.calling');
    expect(bench.host.get(thread)?.messages.some((message) => message.text === text)).toBe(isHeard);
    answer(bench);
    expect(bench.host.stateOf(thread)).toBe(then);
  });
});

test('A message that fits is in the next call also where it puts the conversation under pressure', () => {
  using bench = createWorkerBench(PARTS);
  const thread = bench.start('pressed');
  answer(bench);
  const text = 'word '.repeat(62_000);
  bench.host.receive({ type: 'send', ref: 1, thread, text });
  answerHook(bench, {});
  const { messages, contextTokens = 0, plan } = bench.host.get(thread) ?? {};
  expect(contextTokens / (plan?.model.contextWindow ?? 0)).toBeGreaterThan(0.8);
  expect([bench.host.stateOf(thread), messages?.at(-1)?.text === text]).toEqual(['running.calling', true]);
});

test('a hook that lets a full conversation go on lets none go on that has outgrown the window meanwhile', () => {
  using bench = createWorkerBench(PARTS);
  const thread = bench.start('waived');
  answer(bench);
  bench.host.receive({ type: 'send', ref: 1, thread, text: HUGE });
  for (let asked = 0; asked < 2; asked++) answerHook(bench, { action: 'continue' });
  expect(bench.log(thread).at(-1)).toMatchObject({ payload: { error: { code: 'context_window_exceeded' } } });
});

function answerHook(bench: WorkerBench, value: object): void {
  bench.host.receive({ type: 'answer', ref: bench.said('hostCall').at(-1)?.ref ?? 0, value });
  bench.settle();
}

/** A thread whose compaction has begun: its child is admitted and waited for. */
function underPressure(bench: WorkerBench): ThreadNo {
  const thread = bench.start('long');
  for (let turn = 1; turn <= 3; turn++) answer(bench);
  bench.host.receive({ type: 'answer', ref: bench.said('spawned')[0]?.ref ?? 0, value: undefined });
  bench.settle();
  const asked = bench.said('spawn')[0];
  const child = bench.admitChild(thread, 'long');
  bench.host.receive({ type: 'answer', ref: asked?.ref ?? 0, value: { threadId: bench.lineage(child).threadId } });
  bench.settle();
  return thread;
}

function answerWait(bench: WorkerBench): void {
  const asked = bench.said('wait')[0];
  const [threadId] = asked?.threadIds ?? [];
  const outputs = { summary: 'nothing was found' };
  const ending = { status: 'completed', outputs, text: '', error: undefined, cost: NO_COST } as const;
  bench.host.receive({ type: 'answer', ref: asked?.ref ?? 0, value: [{ threadId, status: 'completed', ending }] });
}

function compacted(bench: WorkerBench): ThreadNo {
  const thread = underPressure(bench);
  answerWait(bench);
  bench.settle();
  return thread;
}

function answer(bench: WorkerBench): void {
  bench.clock.advance(SLOW);
  bench.settle();
}

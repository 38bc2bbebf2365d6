import { describe, expect, test } from 'vitest';
import { idOf } from '../../../test/conformance/store-fixture.ts';
import { call, NEVER, type Part } from '../../../test/fixtures/scene.ts';
import { createWorkerBench, type WorkerBench } from '../../../test/fixtures/worker-bench.ts';
import type { Ending } from '../../core/ending.ts';
import type { ThreadNo } from '../../core/ids.ts';
import type { WorkerCommand } from '../../core/protocol.ts';

const SLOW = 10;
const PARTS: Record<string, Part> = {
  talk: {
    says: [
      { ...call('nothing'), delay_ms: SLOW },
      { text: 'heard: ${last.text}', delay_ms: SLOW },
    ],
  },
  slow: { limits: { duration_seconds: 60 }, says: [{ ...call('nothing'), delay_ms: 50_000 }, NEVER] },
};
const THREAD = 1;
const NEXT = 2;

/** A thread that has asked its host who takes over. */
function handingOver(bench: WorkerBench, directive = 'talk', tookMs = SLOW): void {
  expect(bench.start(directive)).toBe(THREAD);
  bench.host.receive({ type: 'handOver', thread: THREAD });
  answerModel(bench, tookMs);
  expect([bench.host.stateOf(THREAD), bench.said('succeed').length]).toEqual(['running.handingOver', 1]);
}

/** The host says who takes over. */
function name(bench: WorkerBench, next: ThreadNo = NEXT): void {
  const ref = bench.said('succeed')[0]?.ref ?? 0;
  bench.host.receive({ type: 'answer', ref, value: { thread: next, threadId: idOf(next) } });
}

function answerModel(bench: WorkerBench, tookMs = SLOW): void {
  bench.clock.advance(tookMs);
  bench.commit();
}

function tell(bench: WorkerBench, order: Order): void {
  bench.host.receive(ORDERS[order]);
}

type Order = keyof typeof ORDERS;
const ORDERS = {
  suspend: { type: 'suspend', thread: THREAD, reason: 'user', now: true },
  cancel: { type: 'cancel', threads: [THREAD], reason: 'no' },
  send: { type: 'send', ref: 7, thread: THREAD, text: 'one more thing' },
} as const satisfies Readonly<Record<string, WorkerCommand>>;

function types(bench: WorkerBench, thread: ThreadNo): readonly string[] {
  return bench.log(thread).map(({ event_type }) => event_type);
}

describe('A thread that waits to hear who takes over', () => {
  test.each([
    ['suspend', 'thread_suspended'],
    ['cancel', 'thread_cancelled'],
  ] as const)('hears a %s, and the answer comes too late', (order, last) => {
    using bench = createWorkerBench(PARTS);
    handingOver(bench);
    tell(bench, order);
    name(bench);
    bench.commit();
    expect(types(bench, THREAD).at(-1)).toBe(last);
    expect(() => bench.lineage(NEXT)).toThrow('no thread 2');
    expect([bench.said('continued'), bench.said('problem'), bench.fatal, bench.host.size()]).toEqual([[], [], [], 0]);
  });

  test('ends with why the host names nobody', () => {
    using bench = createWorkerBench(PARTS);
    handingOver(bench);
    const failure = { code: 'thread_ended', message: 'It is not there' } as const;
    bench.host.receive({ type: 'answer', ref: bench.said('succeed')[0]?.ref ?? 0, failure });
    bench.commit();
    expect(bench.log(THREAD).at(-1)).toMatchObject({ event_type: 'thread_error', payload: { error: failure } });
  });

  test('takes a message along: its successor hears it, once', () => {
    using bench = createWorkerBench(PARTS);
    handingOver(bench);
    tell(bench, 'send');
    name(bench);
    bench.commit();
    expect(bench.said('heard')).toMatchObject([{ ref: 7, failure: undefined }]);
    bench.resume(NEXT);
    bench.commit();
    answerModel(bench);
    const [ended] = bench.said('ended');
    // What this package wrote.
    expect(ended && (JSON.parse(ended.ending) as Ending)).toMatchObject({
      status: 'completed',
      text: 'heard: one more thing',
    });
    const said = [THREAD, NEXT].flatMap((thread) => bench.log(thread)).map(({ payload }) => JSON.stringify(payload));
    expect(said.filter((payload) => payload.includes('"text":"one more thing"'))).toHaveLength(1);
  });
});

describe('A thread whose hand-over is being written', () => {
  test.each(['suspend', 'cancel'] as const)('is beyond a %s: the host sees to its successor', (order) => {
    using bench = createWorkerBench(PARTS);
    handingOver(bench);
    name(bench);
    tell(bench, order);
    bench.commit();
    tell(bench, order);
    bench.commit();
    expect(types(bench, THREAD).at(-1)).toBe('thread_continued');
    expect(bench.said('continued')).toMatchObject([{ thread: THREAD, successor: { thread: NEXT } }]);
    expect([bench.said('ended'), bench.said('suspended'), bench.said('problem'), bench.fatal]).toEqual([
      [],
      [],
      [],
      [],
    ]);
  });

  test('says who hears a message now', () => {
    using bench = createWorkerBench(PARTS);
    handingOver(bench);
    name(bench);
    tell(bench, 'send');
    expect(bench.said('heard')).toMatchObject([
      { ref: 7, failure: { code: 'thread_ended', detail: { successor: idOf(NEXT) } } },
    ]);
  });
});

test.each<[string, (bench: WorkerBench) => ThreadNo]>([
  [
    'in the middle of its work',
    (bench) => {
      bench.start('talk');
      answerModel(bench);
      tell(bench, 'suspend');
      bench.commit();
      return THREAD;
    },
  ],
  ['before its first message', (bench) => bench.admitChild(bench.start('slow'), 'talk')],
])('A thread that was suspended %s makes no call when it is resumed to hand over', (_when, suspended) => {
  using bench = createWorkerBench(PARTS);
  const thread = suspended(bench);
  const next = thread + 1;
  const calls = (): number => bench.steps.filter(({ reserve }) => reserve !== undefined).length;
  const before = calls();
  bench.resume(thread);
  bench.host.receive({ type: 'handOver', thread });
  bench.commit();
  expect([bench.host.stateOf(thread), calls()]).toEqual(['running.handingOver', before]);
  name(bench, next);
  bench.commit();
  bench.resume(next);
  bench.commit();
  expect([bench.host.stateOf(next), calls()]).toEqual(['running.calling', before + 1]);
});

test('A successor has run as long as those before it, and not while nobody ran', () => {
  using bench = createWorkerBench(PARTS);
  handingOver(bench, 'slow', 50_000);
  name(bench);
  bench.commit();
  bench.clock.advance(500_000);
  bench.resume(NEXT);
  bench.commit();
  answerModel(bench, 9_999);
  expect([bench.host.stateOf(NEXT), types(bench, NEXT)]).toEqual([
    'running.calling',
    expect.not.arrayContaining(['approval_requested']),
  ]);
  answerModel(bench, 1);
  expect(types(bench, NEXT)).toContain('approval_requested');
});

import { describe, expect, test } from 'vitest';
import { give, NEVER, type Part } from '../../test/fixtures/scene.ts';
import { createWorkerBench, type WorkerBench } from '../../test/fixtures/worker-bench.ts';
import { actorNewsSchema, type ActorNews } from '../core/inspection.ts';
import type { ThreadNo } from '../core/ids.ts';

const KEY = `sk-ant-api03-${'aB3_-'.repeat(18)}AA`;
const PARTS: Readonly<Record<string, Part>> = {
  leaf: { outputs: ['text'], says: [{ ...give({ text: 'done' }), delay_ms: 10 }] },
  endless: { says: [NEVER] },
};

/** What the worker has said of actors. */
function news(bench: WorkerBench): readonly ActorNews[] {
  return bench.said('inspected').map((report) => actorNewsSchema.parse(JSON.parse(report.news)));
}

/** Has the models answer, and all that comes of it written down. */
function finish(bench: WorkerBench): void {
  for (let round = 0; round < 5; round++) {
    bench.clock.advance(10);
    bench.commit();
    bench.ticks.endAll();
  }
}

/** Of snapshots, the states; of the others, their types. */
function shortly(told: readonly ActorNews[]): readonly unknown[] {
  return told.map((each) => (each.type === '@xstate.snapshot' ? each.snapshot.value : each.type.slice(8)));
}

function start(bench: WorkerBench, directive: string, isSeen: boolean): ThreadNo {
  if (isSeen) bench.host.receive({ type: 'inspect', threads: [1, 2, 3], anew: false });
  return bench.start(directive);
}

describe('A worker', () => {
  test('says nothing of its actors while nobody looks', () => {
    using bench = createWorkerBench(PARTS);
    start(bench, 'leaf', false);
    start(bench, 'endless', false);
    bench.host.receive({ type: 'cancel', threads: [2], reason: 'enough' });
    finish(bench);
    expect(bench.said('ended')).toHaveLength(2);
    expect(bench.said('inspected')).toEqual([]);
  });

  test('says what a thread does that is looked at, and nothing of its neighbour', () => {
    using bench = createWorkerBench(PARTS);
    bench.host.receive({ type: 'inspect', threads: [2], anew: false });
    bench.start('leaf');
    const seen = bench.start('leaf');
    finish(bench);
    const told = news(bench);
    const actor = told.find((each) => each.type === '@xstate.actor' && each.machine === 'thread');
    expect(actor).toMatchObject({ name: bench.lineage(seen).threadId, snapshot: { value: 'created' } });
    const others = told.filter(({ sessionId }) => sessionId !== actor?.sessionId);
    expect(shortly(others)).toEqual(['actor']);
    expect(told.at(-1)).toMatchObject({ snapshot: { status: 'done', value: 'completed', context: { turns: 1 } } });
  });

  test('says how a thread stands that somebody begins to look at, and nothing more when nobody does', () => {
    using bench = createWorkerBench(PARTS);
    const thread = bench.start('endless');
    bench.host.receive({ type: 'inspect', threads: [thread], anew: false });
    expect(news(bench).at(-1)).toMatchObject({ type: '@xstate.actor', snapshot: { value: { running: 'calling' } } });
    bench.host.receive({ type: 'inspect', threads: [], anew: true });
    const before = bench.said('inspected').length;
    bench.host.receive({ type: 'cancel', threads: [thread], reason: 'enough' });
    bench.commit();
    expect([bench.said('ended').length, bench.said('inspected').length]).toEqual([1, before]);
  });

  test('is asked again, and says it all again', () => {
    using bench = createWorkerBench(PARTS);
    const thread = bench.start('endless');
    const ask = (): readonly ActorNews[] => {
      const before = news(bench).length;
      bench.host.receive({ type: 'inspect', threads: [thread], anew: true });
      return news(bench).slice(before);
    };
    expect(ask()).toEqual(ask());
  });

  test('tells of many actors in pieces, of those that are there by then', () => {
    using bench = createWorkerBench(PARTS);
    const threads = Array.from({ length: 150 }, () => bench.start('endless'));
    bench.host.receive({ type: 'inspect', threads, anew: false });
    const first = news(bench).length;
    bench.host.receive({ type: 'cancel', threads: threads.slice(140), reason: 'enough' });
    bench.commit();
    bench.ticks.endAll();
    const actors = news(bench).filter((each) => each.type === '@xstate.actor');
    expect([first, actors.length]).toEqual([101, 141]);
  });

  test('says of those that it has not told of anew yet what they do meanwhile', () => {
    using bench = createWorkerBench(PARTS);
    const threads = Array.from({ length: 150 }, () => bench.start('endless'));
    bench.host.receive({ type: 'inspect', threads, anew: true });
    bench.ticks.endAll();
    bench.host.receive({ type: 'inspect', threads, anew: true });
    bench.host.receive({ type: 'cancel', threads: threads.slice(140), reason: 'enough' });
    bench.commit();
    const ended = news(bench).filter((each) => each.type === '@xstate.snapshot' && each.snapshot.status === 'done');
    expect(new Set(ended.map(({ sessionId }) => sessionId)).size).toBe(10);
  });

  test('says nothing more of those that are not looked at any more', () => {
    using bench = createWorkerBench(PARTS);
    const [one, other] = [bench.start('endless'), bench.start('endless')];
    bench.host.receive({ type: 'inspect', threads: [one, other], anew: true });
    bench.host.receive({ type: 'inspect', threads: [other], anew: true });
    const before = bench.said('inspected').length;
    bench.host.receive({ type: 'cancel', threads: [one], reason: 'enough' });
    bench.commit();
    expect(bench.said('inspected').length).toBe(before);
  });

  test('says events as plain data without secrets, cut or whole', () => {
    using bench = createWorkerBench(PARTS);
    const thread = start(bench, 'endless', true);
    const reason = `${'x'.repeat(1_989)} ${KEY}`;
    bench.host.receive({ type: 'cancel', threads: [thread], reason });
    bench.commit();
    const told = bench.said('inspected');
    expect(structuredClone(told)).toEqual(told);
    const texts = told.map((report) => report.news).filter((text) => text.includes('CANCEL'));
    expect(texts).toHaveLength(2);
    expect(texts.filter((text) => text.includes('sk-ant') || !text.includes(' [redact'))).toEqual([]);
  });

  test('says of questions and failures nothing that a model may have said', () => {
    using bench = createWorkerBench(PARTS);
    const [asking, failing] = [start(bench, 'endless', true), bench.start('endless')];
    const message = 'the model says: capercaillie';
    const about = { limitCode: undefined, currentValue: undefined, currentMax: undefined, suggested: undefined };
    const ask = { ...about, askedBy: 'endless, hook', message };
    bench.host.get(asking)?.send({ type: 'SUSPEND', reason: 'approval', message, ask });
    const failure = { code: 'tool_failed', message: 'it broke', detail: { text: 'capercaillie' } } as const;
    bench.host.get(failing)?.send({ type: 'HOLD_END', end: { type: 'FAIL', failure } });
    const text = JSON.stringify(news(bench));
    expect(text).toContain('it broke');
    expect(text).toContain('"reason":"approval"');
    expect(text).not.toContain('capercaillie');
  });

  test('says that an actor has left that is suspended', () => {
    using bench = createWorkerBench(PARTS);
    const thread = start(bench, 'endless', true);
    bench.host.receive({ type: 'suspend', thread, reason: 'user', now: true });
    bench.commit();
    expect(shortly(news(bench)).slice(-3)).toEqual(['suspended', 'event', 'suspended']);
    expect(news(bench).at(-1)).toMatchObject({ snapshot: { status: 'stopped' }, event: { type: 'xstate.stop' } });
  });
});

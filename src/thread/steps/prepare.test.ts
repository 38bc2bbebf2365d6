import { describe, expect, test } from 'vitest';
import { NEVER, type Part } from '../../../test/fixtures/scene.ts';
import { createWorkerBench, type WorkerBench } from '../../../test/fixtures/worker-bench.ts';
import type { StoredEvent } from '../../core/events.ts';
import type { ThreadNo } from '../../core/ids.ts';

const PARTS: Record<string, Part> = {
  asks: { hooks: asking('clock'), says: [NEVER] },
  hurries: {
    limits: { duration_seconds: 1 },
    hooks: asking('clock'),
    says: [NEVER],
  },
  asks_twice: { hooks: asking('one') + asking('two', 'position="after"'), says: [NEVER] },
};

const WAIVES = {
  id: 'waive',
  event: 'limit',
  action: { primary: 'execute', item_id: 'rye/agent/threads/internal/control', params: { action: 'continue' } },
};

describe('A thread whose start needs somebody else', () => {
  test('calls its model when the answer is there, with what it says', () => {
    using bench = createWorkerBench(PARTS);
    const thread = bench.start('asks');
    expect(bench.host.stateOf(thread)).toBe('running.starting');
    answer(bench, { content: 'It is noon.' });
    expect(bench.host.stateOf(thread)).toBe('running.calling');
    expect(firstMessage(bench, thread)).toMatch(
      /<clock id="clock" type="function">\nIt is noon\.\n<\/clock>[^]*Do it\./,
    );
    expect(log(bench, thread, 'context_injected')).toMatchObject([{ payload: { before: ['clock', ...SHIPPED] } }]);
  });

  test('asks one after the other, and puts the texts where the hooks say', () => {
    using bench = createWorkerBench(PARTS);
    const thread = bench.start('asks_twice');
    expect(bench.said('hostCall')).toHaveLength(1);
    answer(bench, 'first');
    expect(bench.said('hostCall')).toHaveLength(2);
    answer(bench, 'last');
    expect(firstMessage(bench, thread)).toMatch(/first[^]*Do it\.[^]*last/);
    expect(log(bench, thread, 'context_injected')).toMatchObject([{ payload: { after: ['two'] } }]);
  });

  test('goes on without an answer that does not come, and says so', () => {
    using bench = createWorkerBench(PARTS);
    const thread = bench.start('asks');
    bench.clock.advance(30_000);
    bench.commit();
    expect(bench.host.stateOf(thread)).toBe('running.calling');
    expect(log(bench, thread, 'warning')).toMatchObject([
      { payload: { code: 'deadline_exceeded', where: 'hook clock' } },
    ]);
  });

  test('can be cancelled meanwhile: the question is given up, and its answer changes nothing', () => {
    using bench = createWorkerBench(PARTS);
    const thread = bench.start('asks');
    bench.host.receive({ type: 'cancel', threads: [thread], reason: 'enough' });
    bench.commit();
    expect(bench.said('abandon')).toHaveLength(1);
    answer(bench, 'too late');
    expect(bench.log(thread).map(({ event_type }) => event_type)).toEqual(['thread_started', 'thread_cancelled']);
    expect([bench.host.size(), bench.clock.pending(), bench.fatal]).toEqual([0, 0, []]);
  });

  test('can be suspended meanwhile, and begins again with one start in its log', () => {
    using bench = createWorkerBench(PARTS);
    const thread = bench.start('asks');
    bench.host.receive({ type: 'suspend', thread, reason: 'user', now: true });
    bench.commit();
    bench.resume(thread);
    bench.commit();
    expect(bench.said('hostCall')).toHaveLength(2);
    answer(bench, 'It is one.');
    const types = bench.log(thread).map(({ event_type }) => event_type);
    expect(types).toEqual(['thread_started', 'thread_suspended', 'thread_resumed', 'context_injected', 'cognition_in']);
    expect(firstMessage(bench, thread)).toContain('It is one.');
  });

  test('is held to its time, which nobody can waive before there is something to say', () => {
    using bench = createWorkerBench(PARTS, {}, { hooks: [WAIVES] });
    const thread = bench.start('hurries');
    bench.clock.advance(1_000);
    bench.commit();
    expect(log(bench, thread, 'approval_requested')).toMatchObject([
      { payload: { limit_code: 'duration_seconds_exceeded', asked_by: 'hurries, on_exceed' } },
    ]);
    expect(bench.said('abandon')).toHaveLength(1);
  });
});

/** Sources of what the shipped hooks add. */
const SHIPPED = ['ctx_environment', 'ctx_directive_instruction'];

function asking(name: string, more = ''): string {
  return `<hook id="${name}" event="thread_started" ${more}><action function="${name}"/></hook>`;
}

/** The host answers the last question. */
function answer(bench: WorkerBench, value: unknown): void {
  const asked = bench.said('hostCall').at(-1);
  bench.host.receive({ type: 'answer', ref: asked?.ref ?? 0, value });
  bench.commit();
}

function log(bench: WorkerBench, thread: ThreadNo, type: StoredEvent['event_type']): StoredEvent[] {
  return bench.log(thread).filter(({ event_type }) => event_type === type);
}

function firstMessage(bench: WorkerBench, thread: ThreadNo): string {
  const [event] = log(bench, thread, 'cognition_in');
  return event?.event_type === 'cognition_in' ? event.payload.text : '';
}

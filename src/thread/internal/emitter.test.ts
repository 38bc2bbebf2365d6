import { describe, expect, test } from 'vitest';
import { createThreadBench, type LogSetup, type ThreadBench } from '../../../test/fixtures/thread-bench.ts';
import type { ToolOutcome } from '../../core/tool.ts';

const EMITTER = 'rye/agent/threads/internal/emitter';

/** A project's own event types. */
const OWN: NonNullable<LogSetup['eventTypes']> = {
  review_done: {
    category: 'review',
    criticality: 'critical',
    payload_schema: { type: 'object', required: ['score'], properties: { score: { type: 'number' } } },
  },
  heartbeat: {
    category: 'review',
    criticality: 'droppable',
    emit_config: { throttle_seconds: 10 },
    payload_schema: { type: 'object' },
  },
  glance: {
    category: 'review',
    criticality: 'droppable',
    emit_config: { async: true },
    payload_schema: { type: 'object' },
  },
};

const bench = (eventTypes = OWN): ThreadBench => createThreadBench(new Map(), [], { eventTypes });

function emit({ thread, services }: ThreadBench, event_type: string, more: object = {}): ToolOutcome | undefined {
  const outcomes: ToolOutcome[] = [];
  const input = { event_type, payload: {}, ...more };
  services.internalTools.get(EMITTER)?.run({ thread, services, input }, (outcome) => outcomes.push(outcome));
  return outcomes[0];
}

const emitted = (is: boolean): object => ({ ok: true, value: { success: true, emitted: is } });

describe('A hook emits an event type of its project', () => {
  test('with a payload that fits; it is stored and numbered like any other', () => {
    const it = bench();
    expect(emit(it, 'review_done', { payload: { score: 7 } })).toMatchObject(emitted(true));
    expect(it.events()).toMatchObject([{ sequence: 1, event_type: 'review_done', payload: { score: 7 } }]);
  });

  test('not with a payload that does not fit', () => {
    const it = bench();
    expect(emit(it, 'review_done')).toMatchObject({ ok: false, failure: { code: 'tool_input_invalid' } });
    expect(it.events()).toEqual([]);
  });

  test('that is only shown: nothing is stored, unless the hook wants it critical', () => {
    const it = bench();
    it.services.journal.watch('all', true);
    emit(it, 'glance');
    expect([it.events(), it.reports]).toMatchObject([[], [{ type: 'events', stored: false }]]);
    emit(it, 'glance', { criticality: 'critical' });
    expect(it.events()).toMatchObject([{ sequence: 1, event_type: 'glance' }]);
  });

  test.each([
    ['undeclared', 'is not declared in events.yaml'],
    ['constructor', 'is not declared in events.yaml'],
    ['usage', 'is for the runtime alone'],
    ['thread_completed', 'is for the runtime alone'],
    ['approval_resolved', 'is for the runtime alone'],
  ])('but not %s', (type, why) => {
    const it = bench();
    const message = expect.stringContaining(why) as string;
    expect(emit(it, type)).toMatchObject({ ok: false, failure: { code: 'hook_failed', message } });
    expect(it.events()).toEqual([]);
  });
});

describe('events.yaml event_types.X.emit_config.throttle_seconds', () => {
  test('lets one event of the type through in that time, and says so of the rest', () => {
    const it = bench();
    const answers = [0, 9_999, 1, 5_000].map((ms) => {
      it.clock.advance(ms);
      return emit(it, 'heartbeat');
    });
    expect(answers).toMatchObject([emitted(true), emitted(false), emitted(true), emitted(false)]);
    expect(it.events()).toHaveLength(2);
  });

  test('holds back for no longer where the clock is moved back', () => {
    const it = bench();
    emit(it, 'heartbeat');
    it.clock.set(-5 * 3_600_000);
    it.clock.advance(10_000);
    expect(emit(it, 'heartbeat')).toMatchObject(emitted(true));
  });

  test('is counted for each thread and each type', () => {
    const it = bench({ ...OWN, warning: { emit_config: { throttle_seconds: 10 } } });
    const other = { ...it, thread: { ...it.thread, lines: '' } };
    const payload = { payload: { code: 'c', message: 'm' } };
    expect([
      emit(it, 'heartbeat'),
      emit(other, 'heartbeat'),
      emit(it, 'warning', payload),
      emit(it, 'warning', payload),
    ]).toMatchObject([emitted(true), emitted(true), emitted(true), emitted(false)]);
  });

  test('never holds back what a hook wants critical, nor what the runtime itself records', () => {
    const it = bench({ warning: { emit_config: { throttle_seconds: 10 } } });
    const payload = { code: 'c', message: 'm' };
    emit(it, 'warning', { payload });
    emit(it, 'warning', { payload, criticality: 'critical' });
    it.services.journal.record(it.thread, 'warning', payload);
    it.services.journal.record(it.thread, 'warning', payload);
    expect(it.events()).toHaveLength(4);
  });
});

test('What a hook emits after the end is refused, and the embedder is told', () => {
  const it = bench();
  it.thread.ended = true;
  expect(emit(it, 'review_done')).toMatchObject(emitted(false));
  expect([it.events(), it.reports]).toMatchObject([[], [{ type: 'problem', failure: { code: 'thread_ended' } }]]);
});

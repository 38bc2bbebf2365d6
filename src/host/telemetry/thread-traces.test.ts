import { describe, expect, test } from 'vitest';
import { collect } from '../../../test/fixtures/collected.ts';
import { idOf } from '../../../test/conformance/store-fixture.ts';
import type { ThreadEvent } from '../../core/events.ts';
import type { ThreadId } from '../../core/ids.ts';
import { createInstruments } from './instruments.ts';
import { ThreadTraces } from './thread-traces.ts';

const COST = { turns: 1, input_tokens: 0, output_tokens: 0, spend: 0 };

describe('A thread that is suspended before its start, and goes on', () => {
  test.each([
    ['that takes over from another', { continues: idOf(1) }, 'continues'],
    ['that is a fork', { forked_from: { thread: idOf(1), sequence: 1 } }, 'forked_from'],
  ])('%s has one span, from its resumption to its end, with its links', (_, origin, link) => {
    const { traces, collected } = open();
    traces.hear(event(1, 'thread_started', { directive: 'first', model: 'scripted:a' }));
    traces.hear(event(1, 'thread_completed', { cost: COST }));
    traces.hear(event(2, 'thread_suspended', { suspend_reason: 'user' }));
    traces.hear(event(2, 'thread_resumed', {}));
    traces.hear(event(2, 'thread_started', { directive: 'stored', model: 'scripted:a', ...origin }));
    traces.hear(event(2, 'thread_completed', { cost: COST }));
    traces.close();
    const own = collected.spans().filter(({ attributes }) => attributes['skein.thread.id'] === idOf(2));
    expect(own).toMatchObject([{ name: 'invoke_agent stored', attributes: { 'skein.thread.status': 'completed' } }]);
    expect(collected.thread(idOf(2)).links).toMatchObject([
      { context: collected.thread(idOf(1)).spanContext(), attributes: { 'skein.link': link } },
    ]);
  });

  test('leaves no span open: as many end as begin', () => {
    const { traces, begun, collected } = open();
    for (const type of ['thread_suspended', 'thread_resumed', 'thread_started'] as const)
      traces.hear(event(2, type, { suspend_reason: 'user', directive: 'stored', model: 'scripted:a' }));
    traces.hear(event(2, 'thread_completed', { cost: COST }));
    traces.close();
    expect([begun(), collected.spans().length]).toEqual([1, 1]);
  });
});

/** Traces of threads of which the store knows as much as of any that has not started. */
function open() {
  const collected = collect();
  const tracer = collected.tracerProvider.getTracer('test');
  let begun = 0;
  const startSpan: typeof tracer.startSpan = (...given) => {
    begun++;
    return tracer.startSpan(...given);
  };
  const traces = new ThreadTraces({
    tracer: { startSpan, startActiveSpan: tracer.startActiveSpan.bind(tracer) },
    instruments: createInstruments(collected.meterProvider.getMeter('test')),
    clean: (text) => text,
    content: false,
    maxThreads: 100,
    describe: () => ({
      directive: 'stored',
      model: 'scripted:a',
      parentId: undefined,
      above: undefined,
      span: undefined,
    }),
    now: () => 0,
  });
  return { traces, collected, begun: () => begun };
}

function event(no: number, type: ThreadEvent['event_type'], payload: object): ThreadEvent {
  const thread_id: ThreadId = idOf(no);
  const envelope = {
    thread_id,
    event_type: type,
    timestamp: new Date(0).toISOString(),
    payload,
    criticality: 'critical',
  };
  // The payload has what its type is asked for here.
  return envelope as ThreadEvent;
}

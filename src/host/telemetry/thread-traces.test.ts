import { SpanStatusCode, trace, ROOT_CONTEXT } from '@opentelemetry/api';
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

const STARTED = { directive: 'd', model: 'scripted:a' };
const CALL = { model: 'scripted:a', turn: 1, attempt: 0 };
const USAGE = {
  input_tokens: 100,
  output_tokens: 20,
  cache_read_tokens: 0,
  cache_write_tokens: 0,
  spend: 0.1,
  interrupted: false,
};
const FAILED = { ...USAGE, output_tokens: 5, spend: 0.2, interrupted: true };
const CLASSIFIED = { error_code: 'http_503', category: 'transient', retryable: true, message: 'down', delay_ms: 10 };

describe('What a thread has used is in each of its spans once', () => {
  const answered = [
    ['model_call_started', CALL],
    ['usage', FAILED],
    ['error_classified', CLASSIFIED],
    ['model_call_started', { ...CALL, attempt: 1 }],
    ['usage', USAGE],
  ] as const;

  test.each<[string, number, readonly Happening[]]>([
    [
      'hands over',
      2,
      [
        ['thread_continued', { successor: idOf(2), cost: COST }],
        ['thread_started', { ...STARTED, continues: idOf(1) }],
      ],
    ],
    [
      'is suspended',
      1,
      [
        ['thread_suspended', { suspend_reason: 'user' }],
        ['thread_resumed', {}],
      ],
    ],
    ['has lost its worker', 1, [['thread_resumed', {}]]],
  ])('one that %s', (_, next, [...between]) => {
    const { traces, collected } = open();
    const last = between.pop();
    for (const [type, payload] of [['thread_started', STARTED] as const, ...answered, ...between])
      traces.hear(event(1, type, payload));
    if (last) traces.hear(event(next, ...last));
    for (const [type, payload] of answered) traces.hear(event(next, type, payload));
    traces.hear(
      event(next, 'thread_completed', { cost: { turns: 2, input_tokens: 400, output_tokens: 50, spend: 0.6 } }),
    );
    const used = {
      'skein.turns': 1,
      'gen_ai.usage.input_tokens': 200,
      'gen_ai.usage.output_tokens': 25,
      'skein.spend': 0.3,
    };
    expect(collected.spans().filter(({ name }) => name === 'invoke_agent d')).toMatchObject([
      { attributes: used },
      { attributes: used },
    ]);
  });

  test('also one that is open when its runtime ends', () => {
    const { traces, collected } = open();
    for (const [type, payload] of [['thread_started', STARTED] as const, ...answered])
      traces.hear(event(1, type, payload));
    traces.close();
    expect(collected.thread(idOf(1)).attributes).toMatchObject({ 'skein.turns': 1, 'skein.spend': 0.3 });
  });
});

describe('A call that fails', () => {
  const failed: readonly Happening[] = [
    ['thread_started', STARTED],
    ['model_call_started', CALL],
    ['usage', FAILED],
    ['error_classified', CLASSIFIED],
  ];

  test('is a retry when it is made again, and not when a hook decides otherwise', async () => {
    const { traces, collected } = open();
    for (const [type, payload] of failed) traces.hear(event(1, type, payload));
    traces.hear(event(1, 'thread_error', { error: { code: 'provider_failed', message: 'no' }, cost: COST }));
    expect(await collected.points('skein.model_call.retries')).toEqual([]);
    for (const [type, payload] of failed) traces.hear(event(2, type, payload));
    traces.hear(event(2, 'model_call_started', { ...CALL, attempt: 1 }));
    expect(await collected.points('skein.model_call.retries')).toMatchObject([
      { value: 1, attributes: { 'error.type': 'http_503', 'skein.error.category': 'transient' } },
    ]);
  });

  test.each<[string, Happening, SpanStatusCode, string | undefined]>([
    [
      'fails',
      ['thread_error', { error: { code: 'provider_failed', message: 'no' }, cost: COST }],
      SpanStatusCode.ERROR,
      'http_503',
    ],
    ['is cancelled', ['thread_cancelled', { reason: 'enough', cost: COST }], SpanStatusCode.UNSET, undefined],
    ['is suspended', ['thread_suspended', { suspend_reason: 'user' }], SpanStatusCode.UNSET, undefined],
    ['goes on elsewhere', ['thread_resumed', {}], SpanStatusCode.ERROR, 'http_503'],
  ])('makes its turn an error or not if the thread %s', (_, [type, payload], code, mistake) => {
    const { traces, collected } = open();
    for (const [before, given] of failed) traces.hear(event(1, before, given));
    traces.hear(event(1, type, payload));
    const turn = collected.spans().find(({ name }) => name === 'turn 1');
    expect([turn?.status.code, turn?.attributes['error.type']]).toEqual([code, mistake]);
  });
});

test('A turn ends with the last of its hooks', () => {
  const { traces, collected } = open();
  const hook = { hook: 'save', event: 'after_step', duration_ms: 5 };
  traces.hear(event(1, 'thread_started', STARTED));
  traces.hear(event(1, 'model_call_started', CALL));
  traces.hear(event(1, 'usage', USAGE, 10));
  traces.hear(event(1, 'hook_ran', hook, 30));
  traces.hear(event(1, 'thread_completed', { cost: COST }, 40));
  const turn = collected.spans().find(({ name }) => name === 'turn 1');
  expect(turn?.endTime).toEqual([0, 30_000_000]);
});

describe('With content', () => {
  test('calls have instructions, messages, calls of tools and their results as the conventions write them', () => {
    const { traces, collected } = open({ content: true });
    const result = { duration_ms: 0 };
    const happenings: readonly Happening[] = [
      ['thread_started', STARTED],
      ['system_prompt', { text: 'Be brief.', layers: [] }],
      ['cognition_in', { text: 'Say it.', role: 'user' }],
      ['model_call_started', CALL],
      ['cognition_out', { text: 'Well', model: 'scripted:a', is_partial: true, truncated: true }],
      ['usage', FAILED],
      ['error_classified', CLASSIFIED],
      ['model_call_started', { ...CALL, attempt: 1 }],
      ['cognition_out', { text: '', model: 'scripted:a' }],
      ['usage', USAGE],
      ['tool_call_start', { tool: 'app_echo', call_id: 'c1', input: { text: 'a' } }],
      [
        'tool_call_start',
        {
          tool: 'app_echo',
          call_id: 'c2',
          input: {},
          called_as: { tool: 'rye_execute', input: { item_id: 'app/echo' } },
        },
      ],
      ['tool_call_result', { call_id: 'c1', output: 'a', ...result }],
      ['tool_call_result', { call_id: 'c2', error: 'broken', ...result }],
      ['model_call_started', { ...CALL, turn: 2 }],
      ['cognition_out', { text: 'done', model: 'scripted:a' }],
      ['usage', USAGE],
      ['cognition_in', { text: 'Return something.', role: 'user' }],
      ['model_call_started', { ...CALL, turn: 3 }],
      ['cognition_out', { text: 'Here', model: 'scripted:a', tool_calls: [{ id: 'c3', name: 'app_echo', input: {} }] }],
      ['usage', USAGE],
      ['tool_call_start', { tool: 'app_echo', call_id: 'c3', input: { text: 'a hook says so' } }],
      ['thread_completed', { cost: COST }],
    ];
    for (const [type, payload] of happenings) traces.hear(event(1, type, payload));
    const chats = collected.spans().filter(({ attributes }) => attributes['gen_ai.operation.name'] === 'chat');
    const told = chats.map(({ attributes }) =>
      ['gen_ai.system_instructions', 'gen_ai.input.messages', 'gen_ai.output.messages'].map((name) => {
        const text = attributes[name];
        return typeof text === 'string' ? JSON.parse(text) : text;
      }),
    );
    const text = (content: string) => ({ type: 'text', content });
    const toolCall = (id: string, name: string, input: object) => ({ type: 'tool_call', id, name, arguments: input });
    const toolResult = (id: string, response: string) => ({
      role: 'tool',
      parts: [{ type: 'tool_call_response', id, response }],
    });
    const answer = (finish_reason: string, ...parts: object[]) => [{ role: 'assistant', parts, finish_reason }];
    const first = [[text('Be brief.')], [{ role: 'user', parts: [text('Say it.')] }]];
    expect(told).toEqual([
      [...first, answer('error', text('Well'))],
      [
        ...first,
        answer(
          'tool_call',
          toolCall('c1', 'app_echo', { text: 'a' }),
          toolCall('c2', 'rye_execute', { item_id: 'app/echo' }),
        ),
      ],
      [undefined, [toolResult('c1', 'a'), toolResult('c2', 'broken')], answer('stop', text('done'))],
      [
        undefined,
        [{ role: 'user', parts: [text('Return something.')] }],
        answer('tool_call', text('Here'), toolCall('c3', 'app_echo', {})),
      ],
    ]);
  });

  test.each([
    [true, 'the whole of a file'],
    [false, undefined],
  ])('(%s) a tool that failed says with what, and otherwise not', (content, message) => {
    const { traces, collected } = open({ content });
    traces.hear(event(1, 'thread_started', STARTED));
    traces.hear(event(1, 'tool_call_result', { call_id: 'c', error: 'the whole of a file', duration_ms: 0 }));
    expect(collected.spans()).toMatchObject([
      { status: { code: SpanStatusCode.ERROR }, attributes: { 'error.type': 'tool_error' } },
    ]);
    expect(collected.spans()[0]?.status.message).toBe(message);
  });
});

test('Of a thread that is not admitted after all nothing is kept', () => {
  const { traces, collected } = open();
  const caller = collected.tracerProvider.getTracer('app').startSpan('request');
  const lineage = { thread: 1, threadId: idOf(1), parent: undefined, parentId: undefined, root: 1 };
  traces.admit(lineage, { caller: trace.setSpan(ROOT_CONTEXT, caller), traceparent: undefined });
  traces.forget(idOf(1));
  traces.hear(event(1, 'thread_started', STARTED));
  traces.close();
  expect(collected.thread(idOf(1)).parentSpanContext).toBeUndefined();
});

/** Traces of threads of which the store knows as much as of any that has not started. */
function open({ content = false }: { readonly content?: boolean } = {}) {
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
    content,
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

type Happening = readonly [type: ThreadEvent['event_type'], payload: object];

function event(no: number, type: ThreadEvent['event_type'], payload: object, at = 0): ThreadEvent {
  const thread_id: ThreadId = idOf(no);
  const envelope = {
    thread_id,
    event_type: type,
    timestamp: new Date(at).toISOString(),
    payload,
    criticality: 'critical',
  };
  // The payload has what its type is asked for here.
  return envelope as ThreadEvent;
}

import { describe, expect, test } from 'vitest';
import { createThreadBench, type LogSetup, type ThreadBench } from '../../../test/fixtures/thread-bench.ts';
import { decodeEvents, type StoredEvent } from '../../core/events.ts';
import { NO_USAGE, type ModelChunk, type ModelFailure, type TokenUsage } from '../../core/provider.ts';
import { createModelSink, type CallSink } from './model-sink.ts';

type Bench = ThreadBench & {
  readonly sink: CallSink;
  /** Payloads of what was recorded, stored or shown, by type. */
  readonly told: (type: string) => object[];
};

function bench(eventTypes: LogSetup['eventTypes'] = {}, watched = true): Bench {
  const made = createThreadBench(new Map(), [], { eventTypes });
  Object.assign(made.thread.plan.model, { reference: 'scripted:main' });
  made.thread.maxOutputTokens = 100;
  made.services.journal.watch('all', watched);
  const shown = (): StoredEvent[] =>
    made.reports.flatMap((report) => (report.type === 'events' ? decodeEvents(report.lines) : []));
  return {
    ...made,
    sink: createModelSink(made.thread, made.services),
    told: (type) =>
      [...shown(), ...made.events()].flatMap(({ event_type, payload }) => (event_type === type ? [payload] : [])),
  };
}

/** Streams chunks a second apart. */
function stream({ sink, clock }: Bench, type: 'text' | 'reasoning', ...texts: readonly string[]): void {
  for (const text of texts) {
    sink.chunk({ type, text });
    clock.advance(1000);
  }
}

const RESPONSE = { text: '', toolCalls: [], usage: NO_USAGE, finishReason: 'stop' } as const;
const FAILURE: ModelFailure = {
  type: 'ConnectionError',
  message: 'cut',
  code: undefined,
  statusCode: undefined,
  headers: {},
  usage: undefined,
};

const throttled = (seconds: number): object => ({ emit_config: { throttle_seconds: seconds } });

describe('events.yaml event_types.cognition_out_delta', () => {
  test.each([
    [0, ['a', 'b', 'c', 'd', '']],
    [2, ['a', 'bc', 'd']],
    [60, ['a', 'bcd']],
  ])('emit_config.throttle_seconds %d gathers deltas, and loses none', (seconds, pieces) => {
    const it = bench({ cognition_out_delta: throttled(seconds) });
    stream(it, 'text', 'a', 'b', 'c', 'd');
    it.sink.done(RESPONSE);
    expect(it.told('cognition_out_delta')).toEqual(
      pieces.map((text, index) => ({
        text,
        chunk_index: index,
        ...(index === pieces.length - 1 && { is_final: true }),
      })),
    );
  });

  test('that are gathered are shown as often where the clock is moved back', () => {
    const it = bench({ cognition_out_delta: throttled(2) });
    stream(it, 'text', 'a');
    it.clock.set(-5 * 3_600_000);
    stream(it, 'text', 'b', 'c');
    expect(it.told('cognition_out_delta')).toMatchObject([{ text: 'a' }, { text: 'bc' }]);
  });

  test.each([
    [false, ['a']],
    [true, ['a', 'bc']],
  ])('emit_on_error %s: of an interrupted call the rest is shown or not', (emit, pieces) => {
    const it = bench({ cognition_out_delta: { emit_on_error: emit, ...throttled(60) } });
    stream(it, 'text', 'a', 'b', 'c');
    it.sink.interrupted('cancelled', undefined);
    expect(it.told('cognition_out_delta')).toMatchObject(pieces.map((text) => ({ text })));
    expect(it.told('cognition_out')).toMatchObject([{ text: 'abc', is_partial: true, error: 'cancelled' }]);
  });

  test('emit_config.async false: deltas are stored, with their number, whoever watches', () => {
    const it = bench({ cognition_out_delta: { emit_config: { async: false } } }, false);
    stream(it, 'text', 'a', 'b');
    expect(it.events().map(({ sequence, event_type }) => [sequence, event_type])).toEqual([
      [1, 'cognition_out_delta'],
      [2, 'cognition_out_delta'],
    ]);
  });

  test('emit_config.async true: they are shown to who watches, and nothing is made of them for nobody', () => {
    const it = bench({}, false);
    stream(it, 'text', 'a');
    it.services.journal.watch('all', true);
    stream(it, 'text', 'b');
    expect([it.told('cognition_out_delta'), it.events()]).toEqual([[{ text: 'ab', chunk_index: 0 }], []]);
  });

  test('shows a tool call as soon as it is complete, with the text before it', () => {
    const it = bench({ cognition_out_delta: throttled(60) });
    const call = { id: 'call_a', name: 'write', input: { path: 'a' } };
    stream(it, 'text', 'I ', 'write.');
    it.sink.chunk({ type: 'tool_ready', call });
    expect(it.told('cognition_out_delta')).toEqual([
      { text: 'I ', chunk_index: 0 },
      { text: 'write.', chunk_index: 1, tool_call: call },
    ]);
    expect(it.thread.toolRun).toBeUndefined();
  });

  test('a complete tool call is nothing to anybody if nobody watches', () => {
    const it = bench({}, false);
    it.sink.chunk({ type: 'tool_ready', call: { id: 'call_a', name: 'write', input: {} } });
    expect([it.reports, it.events()]).toEqual([[], []]);
  });

  test('begins anew with every call, also after one that was interrupted', () => {
    const it = bench();
    stream(it, 'text', 'long begun');
    it.sink.interrupted('limit_hit', undefined);
    stream(it, 'text', 'y');
    it.sink.done(RESPONSE);
    expect(it.told('cognition_out_delta').slice(1)).toEqual([
      { text: 'y', chunk_index: 0 },
      { text: '', chunk_index: 1, is_final: true },
    ]);
  });
});

describe('events.yaml event_types.cognition_out', () => {
  test.each([
    [true, [{ text: 'half', is_partial: true, error: 'cut' }]],
    [false, []],
  ])('emit_on_error %s: what was said before the interruption is stored or not', (emit, stored) => {
    const it = bench({ cognition_out: { emit_on_error: emit } }, false);
    stream(it, 'text', 'ha', 'lf');
    it.sink.failed(FAILURE);
    it.sink.interrupted('cut', undefined);
    expect(it.told('cognition_out')).toMatchObject(stored);
    expect(it.told('cognition_out')).toHaveLength(stored.length);
  });

  const used = (outputTokens: number): TokenUsage => ({ ...NO_USAGE, inputTokens: 1, outputTokens });

  test.each<[string, TokenUsage | undefined, number]>([
    ['what the provider counted', used(40), 40],
    ['what came, if it had counted nothing of it', used(0), 36],
    ['what came, if it had not counted', undefined, 36],
    ['everything at most', used(180), 100],
  ])('completion_percentage goes by %s', (_title, usage, percentage) => {
    const it = bench({}, false);
    // By three bytes a token: 12, 8 and 16.
    stream(it, 'reasoning', 'r'.repeat(36));
    stream(it, 'text', 't'.repeat(24));
    it.sink.chunk({ type: 'tool_call', index: 0, name: 'write', json: '"'.repeat(48) });
    it.sink.interrupted('cut', usage);
    expect(it.told('cognition_out')).toEqual([
      {
        text: 't'.repeat(24),
        model: 'scripted:main',
        is_partial: true,
        truncated: true,
        error: 'cut',
        completion_percentage: percentage,
      },
    ]);
  });

  test.each<ModelChunk>([
    { type: 'reasoning', text: 'Hm.' },
    { type: 'tool_call', index: 0, name: 'write', json: '{"a' },
  ])('of a call that had not come to its text, how far it came is recorded too: %j', (chunk) => {
    const it = bench({}, false);
    it.sink.chunk(chunk);
    it.sink.interrupted('cut', undefined);
    it.sink.interrupted('cut', undefined);
    expect(it.told('cognition_out')).toMatchObject([{ text: '', is_partial: true, completion_percentage: 1 }]);
  });

  test('what a call used counts for that call alone', () => {
    const it = bench({}, false);
    it.sink.chunk({ type: 'tool_call', index: 0, name: 'write', json: 'x'.repeat(60) });
    it.sink.done(RESPONSE);
    stream(it, 'text', 'abc');
    it.sink.interrupted('cut', undefined);
    expect(it.told('cognition_out')).toMatchObject([{ completion_percentage: 1 }]);
  });

  test('nothing is recorded of a call that had said nothing, nor twice of one', () => {
    const it = bench();
    it.sink.interrupted('cut', undefined);
    stream(it, 'text', 'half');
    it.sink.interrupted('cut', undefined);
    it.sink.interrupted('cut', undefined);
    expect(it.told('cognition_out')).toHaveLength(1);
  });
});

describe('events.yaml event_types.cognition_reasoning', () => {
  test('without throttle_seconds is one event at the end of the call', () => {
    const it = bench();
    stream(it, 'reasoning', 'a', 'b', 'c');
    expect(it.told('cognition_reasoning')).toEqual([]);
    it.sink.done(RESPONSE);
    expect(it.told('cognition_reasoning')).toEqual([{ text: 'abc' }]);
  });

  test.each([
    [0, ['a', 'b', 'c']],
    [2, ['a', 'bc']],
    [60, ['a', 'bc']],
  ])('emit_config.throttle_seconds %d: it comes in pieces, which make the whole', (seconds, pieces) => {
    const it = bench({ cognition_reasoning: throttled(seconds) });
    stream(it, 'reasoning', 'a', 'b', 'c');
    it.sink.done(RESPONSE);
    expect(it.told('cognition_reasoning')).toMatchObject(pieces.map((text) => ({ text })));
    expect(it.told('cognition_reasoning')).toHaveLength(pieces.length);
  });

  test.each([
    [true, true, ['a', 'abc']],
    [true, false, ['a', 'bc']],
    [false, true, ['a']],
    [false, false, ['a']],
  ])('emit_on_error %s, emit_config.accumulate_on_error %s: an interruption stores %j', (emit, accumulate, texts) => {
    const settings = { throttle_seconds: 60, accumulate_on_error: accumulate };
    const it = bench({ cognition_reasoning: { emit_on_error: emit, emit_config: settings } });
    stream(it, 'reasoning', 'a', 'b', 'c');
    it.sink.interrupted('cancelled', undefined);
    expect(it.told('cognition_reasoning')).toMatchObject(texts.map((text) => ({ text, is_partial: true })));
    expect(it.told('cognition_reasoning').filter((payload) => 'was_interrupted' in payload)).toHaveLength(
      texts.length - 1,
    );
  });

  test('of a call that was cancelled is stored by default, from its beginning', () => {
    const it = bench();
    stream(it, 'reasoning', 'a', 'b');
    it.sink.interrupted('cancelled', undefined);
    expect(it.told('cognition_reasoning')).toEqual([{ text: 'ab', is_partial: true, was_interrupted: true }]);
  });
});

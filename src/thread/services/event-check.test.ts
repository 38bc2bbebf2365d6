import { describe, expect, test } from 'vitest';
import { createThreadBench, type LogSetup, type ThreadBench } from '../../../test/fixtures/thread-bench.ts';
import type { ThreadMachineEvent } from '../../../machines/thread.machine.ts';
import { compilePayloadCheck } from './event-check.ts';

/** A project that asks more of `cognition_in` than the runtime gives. */
const STRICTER = { cognition_in: { payload_schema: { required: ['text', 'role', 'language'] } } };
const SAID = { text: 'hello', role: 'user' } as const;

function bench(validate: NonNullable<LogSetup['validate']>): ThreadBench & { readonly sent: ThreadMachineEvent[] } {
  const made = createThreadBench(new Map(), [], { eventTypes: STRICTER, validate });
  const sent: ThreadMachineEvent[] = [];
  made.thread.send = (event) => void sent.push(event);
  return { ...made, sent };
}

describe('An event that does not fit events.yaml event_types.X.payload_schema', () => {
  const failure = {
    code: 'event_invalid',
    message: 'An event cognition_in does not fit its payload_schema: language is required',
    where: { file: 'events.yaml', path: 'event_types.cognition_in.payload_schema' },
    detail: { event_type: 'cognition_in', issues: [{ path: 'language', message: 'is required' }] },
  };

  test.each([
    ['error', [{ type: 'FAIL', failure }], [{ type: 'problem', failure }], [['cognition_in', 1]]],
    ['count', [], [], [['cognition_in', 1]]],
    ['off', [], [], []],
  ] as const)('in mode %s: the thread hears %j', (mode, sent, reports, counted) => {
    const it = bench(mode);
    it.services.journal.record(it.thread, 'cognition_in', SAID);
    it.services.journal.record(it.thread, 'warning', { code: 'c', message: 'm' });
    expect([it.sent, it.reports, [...it.services.counters.invalidEvents]]).toEqual([sent, reports, counted]);
  });

  test.each(['error', 'count', 'off'] as const)('is stored in mode %s', (mode) => {
    const it = bench(mode);
    it.services.journal.record(it.thread, 'cognition_in', SAID);
    expect(it.events()).toMatchObject([{ sequence: 1, event_type: 'cognition_in', payload: SAID }]);
  });

  test('and comes after the end is refused like any other', () => {
    const it = bench('error');
    it.thread.ended = true;
    it.services.journal.record(it.thread, 'cognition_in', SAID);
    expect([it.events(), it.sent, it.reports]).toMatchObject([[], [], [{ failure: { code: 'thread_ended' } }]]);
  });
});

describe('The payload check', () => {
  test('takes any payload of a type that is not declared, also of an inherited name', () => {
    const check = compilePayloadCheck({ schemaVersion: '1.0.0', eventTypes: {} });
    expect([check('other', 7), check('constructor', undefined)]).toEqual([[], []]);
  });
});

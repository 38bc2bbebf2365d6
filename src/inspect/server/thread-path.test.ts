import { describe, expect, test } from 'vitest';
import { threadChart } from '../../../machines/thread.chart.ts';
import type { LogEvent } from '../api.ts';
import { promptParts } from './prompt-parts.ts';
import { PATH_EVENTS, pathOf } from './thread-path.ts';

type Told = readonly [type: string, payload?: Readonly<Record<string, unknown>>];

function log(...told: readonly Told[]): readonly LogEvent[] {
  return told.map(([event_type, payload = {}], index) => ({
    thread_id: 'thread-1',
    event_type,
    timestamp: new Date(index).toISOString(),
    payload,
    criticality: 'critical',
    sequence: index + 1,
  }));
}

describe('The path of a thread', () => {
  test.each<[string, readonly Told[], readonly string[]]>([
    ['nothing', [], []],
    [
      'a turn with a tool',
      [
        ['thread_started'],
        ['cognition_in', { role: 'user' }],
        ['cognition_out'],
        ['tool_call_start'],
        ['thread_completed'],
      ],
      ['running.starting', 'running.calling', 'running.settling', 'running.acting', 'completed'],
    ],
    ['one state told twice', [['tool_call_start'], ['tool_call_start']], ['running.acting']],
    [
      'a retry and a failure',
      [
        ['error_classified', { retryable: true, delay_ms: 5 }],
        ['error_classified', { retryable: false }],
        ['thread_error'],
      ],
      ['running.backingOff', 'running.classifying', 'error'],
    ],
    ['a suspension', [['thread_suspended'], ['thread_resumed']], ['suspended', 'running.checkpointing']],
    ['what tells of no state', [['warning'], ['usage'], ['cognition_in', { role: 'system' }]], []],
  ])('of %s', (_, told, states) => {
    expect(pathOf(log(...told)).map(({ state }) => state)).toEqual(states);
  });

  test('has states of the chart alone', () => {
    const { states } = threadChart;
    const known = new Set([
      ...Object.keys(states),
      ...Object.keys(states.running.states).map((name) => `running.${name}`),
    ]);
    const told = [...PATH_EVENTS].flatMap((type) => pathOf(log([type])).map(({ state }) => state));
    expect(told.filter((state) => !known.has(state))).toEqual([]);
    expect(told).toHaveLength(PATH_EVENTS.size);
  });
});

test('The parts of a prompt say where they are from, up to the first message to the model', () => {
  const parts = promptParts(
    log(
      ['system_prompt', { text: 'Be kind.', layers: ['hook:tone', 'base'] }],
      ['context_injected', { before: ['clock'], after: ['rules'] }],
      ['cognition_in', { text: 'Do it.', role: 'user', directive: 'demo' }],
      ['cognition_in', { text: 'A result', role: 'tool' }],
    ),
  );
  expect(parts).toEqual([
    {
      role: 'system',
      text: 'Be kind.',
      sequence: 1,
      sources: [
        { kind: 'layer', id: 'hook:tone' },
        { kind: 'layer', id: 'base' },
      ],
    },
    {
      role: 'user',
      text: 'Do it.',
      sequence: 3,
      sources: [
        { kind: 'before', id: 'clock' },
        { kind: 'directive', id: 'demo' },
        { kind: 'after', id: 'rules' },
      ],
    },
  ]);
});

import { describe, expect, test } from 'vitest';
import { threadChart } from '../../../machines/thread.chart.ts';
import type { LogEvent } from '../api.ts';
import { promptParts } from './prompt-parts.ts';
import { PATH_EVENTS, statePath, pathPayload } from './thread-path.ts';

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

/** A call of a tool without its result. */
const ASKED: readonly Told[] = [
  ['cognition_in', { role: 'user' }],
  ['cognition_out'],
  ['tool_call_start', { call_id: 'a' }],
];
const GONE_ON: readonly Told[] = [['thread_suspended'], ['thread_resumed']];

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
    [
      'a suspension between two steps',
      [...ASKED, ['tool_call_result', { call_id: 'a' }], ['thread_suspended'], ['thread_resumed']],
      ['running.calling', 'running.settling', 'running.acting', 'suspended', 'running.checkpointing'],
    ],
    [
      'a suspension with a call that has started',
      [...ASKED, ['thread_suspended'], ['thread_resumed']],
      ['running.calling', 'running.settling', 'running.acting', 'suspended', 'running.askingHooks'],
    ],
    [
      'a suspension with a call that its hooks had not let pass',
      [
        ['cognition_in', { role: 'user' }],
        ['cognition_out', { tool_calls: [{ id: 'a', name: 'echo', input: {} }] }],
        ['thread_suspended'],
        ['thread_resumed'],
        ['tool_call_start', { call_id: 'a' }],
      ],
      ['running.calling', 'running.settling', 'suspended', 'running.askingHooks', 'running.acting'],
    ],
    [
      'a suspension before the first message',
      [['thread_started'], ['thread_suspended'], ['thread_resumed'], ['cognition_in', { role: 'user' }]],
      ['running.starting', 'suspended', 'running.starting', 'running.calling'],
    ],
    [
      'a suspension within an answer that broke off',
      [...ASKED, ['cognition_in', { role: 'user' }], ['cognition_out', { is_partial: true }], ...GONE_ON],
      [
        'running.calling',
        'running.settling',
        'running.acting',
        'running.calling',
        'suspended',
        'running.checkpointing',
      ],
    ],
    [
      'a successor, with what was said before it',
      [
        ['thread_started'],
        ['cognition_in', { role: 'user', carried: true }],
        ['cognition_out', { carried: true, tool_calls: [{ id: 'a', name: 'echo', input: {} }] }],
        ['tool_call_result', { call_id: 'a', carried: true }],
        ...GONE_ON,
      ],
      ['running.starting', 'suspended', 'running.checkpointing'],
    ],
    ['what tells of no state', [['warning'], ['usage'], ['cognition_in', { role: 'system' }]], []],
  ])('of %s', (_, told, states) => {
    const events = log(...told);
    expect(statePath({ events, isCut: false }).map(({ state }) => state)).toEqual(states);
    const kept = events.map((event) => ({ ...event, payload: pathPayload(event.payload) }));
    expect(statePath({ events: kept, isCut: false }).map(({ state }) => state)).toEqual(states);
  });

  test('needs nothing of what a tool was given and has said', () => {
    const text = 'x'.repeat(8_192);
    const calls = [{ id: 'a', name: 'echo', input: { text } }];
    const kept = [
      { call_id: 'a', result: text },
      { text, tool_calls: calls },
    ].map(pathPayload);
    expect(JSON.stringify(kept)).toBe('[{"call_id":"a"},{"tool_calls":[{"id":"a"}]}]');
  });

  test('of which only the end is known has had messages', () => {
    const path = statePath({ events: log(...GONE_ON), isCut: true });
    expect(path.map(({ state }) => state)).toEqual(['suspended', 'running.checkpointing']);
  });

  test('has states of the chart alone', () => {
    const { states } = threadChart;
    const known = new Set([
      ...Object.keys(states),
      ...Object.keys(states.running.states).map((name) => `running.${name}`),
    ]);
    const told = [...PATH_EVENTS].flatMap((type) => statePath({ events: log([type]), isCut: true }));
    expect(told.filter(({ state }) => !known.has(state))).toEqual([]);
    expect(told).toHaveLength(PATH_EVENTS.size - 1);
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
      length: 8,
      sequence: 1,
      sources: [
        { kind: 'layer', id: 'hook:tone' },
        { kind: 'layer', id: 'base' },
      ],
    },
    {
      role: 'user',
      text: 'Do it.',
      length: 6,
      sequence: 3,
      sources: [
        { kind: 'before', id: 'clock' },
        { kind: 'directive', id: 'demo' },
        { kind: 'after', id: 'rules' },
      ],
    },
  ]);
});

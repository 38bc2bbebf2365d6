import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import type { EventPayloads, SuspendReason } from '../core/events.ts';
import type { EventsConfig } from './events.ts';
import { loadConfig } from './load.ts';

const systemDir = fileURLToPath(new URL('../../config/', import.meta.url));

function load(eventTypes: Readonly<Record<string, unknown>> = {}): EventsConfig {
  return loadConfig({ systemDir, overrides: { events: { event_types: eventTypes } } }).config.events;
}

const MINE = { category: 'mine', criticality: 'droppable', payload_schema: { type: 'object' } };
const config = (settings: object): object => ({ emit_config: settings });

describe('A setting that means nothing for its event type is refused with file and path', () => {
  test.each([
    ['usage', { emit_on_error: true }, 'emit_on_error', 'cognition_out, cognition_out_delta, cognition_reasoning only'],
    ['mine', { ...MINE, emit_on_error: true }, 'emit_on_error', 'only'],
    ['cognition_out', config({ accumulate_on_error: true }), 'emit_config.accumulate_on_error', 'cognition_reasoning'],
    ['cognition_out_delta', config({ accumulate_on_error: true }), 'emit_config.accumulate_on_error', 'only'],
    ['cognition_out', config({ throttle_seconds: 1 }), 'emit_config.throttle_seconds', 'may be dropped'],
    ['tool_call_start', config({ throttle_seconds: 0.1 }), 'emit_config.throttle_seconds', 'is critical'],
    ['usage', config({ async: true }), 'emit_config.async', 'must be stored'],
    ['cognition_out_delta', { criticality: 'critical' }, 'emit_config.async', '"async: false"'],
    ['usage', config({ throttle_seconds: -1 }), 'emit_config.throttle_seconds', '>=0'],
    ['warning', config({ batch: true }), 'emit_config', 'unknown key "batch"'],
    ['event', MINE, '', 'cannot be the name'],
    ['problem', MINE, '', 'cannot be the name'],
    ['config', MINE, '', 'cannot be the name'],
  ])('events.yaml event_types.%s %j', (type, settings, path, message) => {
    expect(() => load({ [type]: settings })).toThrow(
      expect.objectContaining({
        code: 'invalid_config',
        message: expect.stringContaining(message),
        where: { file: 'overrides.events', path: ['event_types', type, path].filter(Boolean).join('.') },
      }),
    );
  });
});

test.each([
  [
    'a new type',
    'mine',
    { ...MINE, payload_schema: { type: 'object', properties: { a: { type: 'strng' } } } },
    'a.type',
  ],
  [
    'a shipped type',
    'usage',
    { payload_schema: { properties: { a: { type: 'string', pattern: '(?=x)' } } } },
    'a.pattern',
  ],
])('A payload_schema of %s that workers cannot use is refused with file and path', (_what, type, settings, path) => {
  expect(() => load({ [type]: settings })).toThrow(
    expect.objectContaining({
      code: 'invalid_config',
      where: { file: 'overrides.events', path: `event_types.${type}.payload_schema.properties.${path}` },
    }),
  );
});

describe('A setting is taken', () => {
  test.each([
    ['cognition_out', { emit_on_error: false }],
    ['cognition_reasoning', { emit_on_error: false, ...config({ accumulate_on_error: false, throttle_seconds: 2 }) }],
    ['cognition_reasoning', { criticality: 'critical', ...config({ throttle_seconds: 2 }) }],
    ['cognition_out_delta', { emit_on_error: true, ...config({ throttle_seconds: 2, async: false }) }],
    ['cognition_out_delta', { criticality: 'critical', ...config({ async: false }) }],
    ['warning', config({ throttle_seconds: 60 })],
    ['checkpoint_saved', config({ async: true })],
    ['usage', { emit_on_error: false, ...config({ throttle_seconds: 0, async: false, accumulate_on_error: false }) }],
    ['mine', { ...MINE, ...config({ throttle_seconds: 1, async: true }) }],
    ['mine', { ...MINE, criticality: 'critical' }],
  ])('events.yaml event_types.%s %j', (type, settings) => {
    expect(() => load({ [type]: settings })).not.toThrow();
  });
});

test('The code and events.yaml know the same reasons to suspend and the same roles', () => {
  const reasons: Readonly<Record<SuspendReason, true>> = {
    limit: true,
    error: true,
    budget: true,
    approval: true,
    user: true,
    shutdown: true,
  };
  const roles: Readonly<Record<EventPayloads['cognition_in']['role'], true>> = {
    system: true,
    user: true,
    developer: true,
    tool: true,
  };
  const { eventTypes } = load();
  expect(eventTypes['thread_suspended']?.payloadSchema).toMatchObject({
    properties: { suspend_reason: { enum: Object.keys(reasons) } },
  });
  expect(eventTypes['cognition_in']?.payloadSchema).toMatchObject({
    properties: { role: { enum: Object.keys(roles) } },
  });
});

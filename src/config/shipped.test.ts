import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { compileCondition } from '../core/condition.ts';
import type { EventPayloads, EventType } from '../core/events.ts';
import { compileTemplate } from '../core/interpolate.ts';
import { criticalityOf } from './events.ts';
import { loadConfig } from './load.ts';

const systemDir = fileURLToPath(new URL('../../config/', import.meta.url));
const { config, warnings, origins } = loadConfig({ systemDir });

const cost = { turns: 1, input_tokens: 2, output_tokens: 3, spend: 0.5 };
const id = `thread-${'0'.repeat(32)}` as const;

/** One payload of every type the code knows, with everything in it; the compiler keeps the list complete. */
const PAYLOADS: { readonly [Type in EventType]: Required<EventPayloads[Type]> } = {
  thread_started: {
    directive: 'd',
    model: 'm',
    limits: {},
    inputs: {},
    parent_thread_id: id,
    extends: ['b'],
    continues: id,
    forked_from: { thread: id, sequence: 3 },
    capabilities: ['c'],
  },
  thread_completed: { cost },
  thread_error: { error: { code: 'internal', message: 'x' }, cost },
  thread_cancelled: { reason: 'user', cost },
  thread_suspended: { suspend_reason: 'shutdown', message: 'x' },
  thread_resumed: { message: 'x', limits: { turns: 3 } },
  thread_continued: { successor: id, cost },
  system_prompt: { text: 't', layers: ['l'] },
  context_injected: { before: ['b'], after: [] },
  cognition_in: { text: 't', role: 'tool', parts: [{ kind: 'text', value: 't' }], directive: 'd', carried: true },
  cognition_out: {
    text: 't',
    model: 'm',
    is_partial: true,
    truncated: true,
    error: 'e',
    completion_percentage: 5,
    tool_calls: [{ id: 'c', name: 't', input: {} }],
    carry: { provider: 'p', parts: [{}] },
    carried: true,
  },
  context_compacted: { summary: 's', replaced: 2, tokens_before: 9, tokens_after: 3 },
  context_changed: {
    selected: ['a.ts'],
    dropped: ['b.ts'],
    fetched: { url: 'https://example.com/', title: 't', content: 'c' },
    forgotten: ['https://example.com/'],
    review: { base: 'main' },
  },
  cognition_out_delta: { text: 't', chunk_index: 0, is_final: true, tool_call: { id: 'c', name: 't', input: {} } },
  cognition_reasoning: { text: 't', is_partial: true, was_interrupted: true },
  tool_call_start: { tool: 't', call_id: 'c', input: {}, called_as: { tool: 'x', input: {} } },
  tool_call_result: { call_id: 'c', output: 'o', error: 'e', duration_ms: 1, carried: true },
  error_classified: {
    error_code: 'c',
    category: 'transient',
    retryable: true,
    message: 'm',
    attempt: 0,
    delay_ms: 1.5,
  },
  limit_escalation_requested: { limit_code: 'turns_exceeded', current_value: 1, current_max: 1 },
  approval_requested: {
    approval_id: 'a',
    suspend_reason: 'limit',
    asked_by: 'd, on_exceed',
    message: 'm',
    limit_code: 'turns_exceeded',
    current_value: 1,
    current_max: 1,
    suggested: 2,
    point: 'before_step h turn 1',
  },
  approval_resolved: { approval_id: 'a', granted: true, by: 'ann', message: 'm', limits: { turns: 2 } },
  child_thread_started: { child_thread_id: id, child_directive: 'd', parent_thread_id: id },
  child_thread_ended: { child_thread_id: id, status: 'completed', cost },
  directive_return: { outputs: {}, cost },
  budget_overspend: { reserved: 0.1, actual: 0.2 },
  usage: {
    input_tokens: 1,
    output_tokens: 2,
    cache_read_tokens: 3,
    cache_write_tokens: 4,
    spend: 0.1,
    interrupted: false,
  },
  checkpoint_saved: { turn: 1 },
  model_call_started: { model: 'm', turn: 1, attempt: 0 },
  hook_ran: { hook: 'h', event: 'after_step', duration_ms: 1, decision: 'abort', error: 'hook_failed' },
  warning: { code: 'c', message: 'm', where: 'w' },
};

type RequiredKey<Payload> = {
  [Key in keyof Payload]-?: object extends Pick<Payload, Key> ? never : Key;
}[keyof Payload];

/** What the code always writes, by type: events.yaml may ask for that, and for no more. */
const REQUIRED: { readonly [Type in EventType]: readonly RequiredKey<EventPayloads[Type]>[] } = {
  thread_started: ['directive', 'model', 'limits'],
  thread_completed: ['cost'],
  thread_error: ['error', 'cost'],
  thread_cancelled: ['reason', 'cost'],
  thread_suspended: ['suspend_reason'],
  thread_resumed: [],
  thread_continued: ['successor', 'cost'],
  system_prompt: ['text', 'layers'],
  context_injected: ['before', 'after'],
  cognition_in: ['text', 'role'],
  cognition_out: ['text', 'model'],
  context_compacted: ['summary', 'replaced', 'tokens_before', 'tokens_after'],
  context_changed: [],
  cognition_out_delta: ['text', 'chunk_index'],
  cognition_reasoning: ['text'],
  tool_call_start: ['tool', 'call_id', 'input'],
  tool_call_result: ['call_id', 'duration_ms'],
  error_classified: ['error_code', 'category', 'retryable'],
  limit_escalation_requested: ['limit_code', 'current_value', 'current_max'],
  approval_requested: ['approval_id'],
  approval_resolved: ['approval_id', 'granted', 'by'],
  child_thread_started: ['child_thread_id', 'child_directive', 'parent_thread_id'],
  child_thread_ended: ['child_thread_id', 'status', 'cost'],
  directive_return: ['outputs', 'cost'],
  budget_overspend: ['reserved', 'actual'],
  usage: ['input_tokens', 'output_tokens', 'cache_read_tokens', 'cache_write_tokens', 'spend', 'interrupted'],
  checkpoint_saved: ['turn'],
  model_call_started: ['model', 'turn', 'attempt'],
  hook_ran: ['hook', 'event', 'duration_ms'],
  warning: ['code', 'message'],
};

type JsonObject = { readonly properties?: object; readonly required?: readonly string[] };

test('the package loads without warnings, from its own files alone', () => {
  expect(warnings).toEqual([]);
  expect(Object.values(origins).every((files) => files.length === 1)).toBe(true);
});

describe('events.yaml', () => {
  test('describes exactly the event types the code knows', () => {
    expect(Object.keys(config.events.eventTypes).toSorted()).toEqual(Object.keys(PAYLOADS).toSorted());
  });

  test.each(Object.entries(PAYLOADS))(
    'describes every property of %s that the code writes, and no other',
    (type, payload) => {
      const { properties = {}, required = [] } = payloadSchema(type) as JsonObject;
      expect(Object.keys(properties).toSorted()).toEqual(Object.keys(payload).toSorted());
      expect(required.filter((name) => !(REQUIRED[type as EventType] as readonly string[]).includes(name))).toEqual([]);
    },
  );

  test.each(Object.entries(PAYLOADS))('accepts the payload of %s', (type, payload) => {
    const schema = z.fromJSONSchema(payloadSchema(type));
    expect(schema.safeParse(payload).error).toBeUndefined();
  });

  test.each([
    ['thread_error', { error: { code: 'x' }, cost }],
    ['thread_suspended', { suspend_reason: 'boredom' }],
    ['cognition_in', { text: 't', role: 'assistant' }],
    ['usage', { input_tokens: 1 }],
    ['checkpoint_saved', { turn: '1' }],
    ['context_injected', { before: 'b', after: [] }],
  ])('refuses a wrong payload of %s', (type, payload) => {
    expect(z.fromJSONSchema(payloadSchema(type)).safeParse(payload).success).toBe(false);
  });

  test.each([
    ['thread_completed', 'critical'],
    ['thread_error', 'critical'],
    ['usage', 'critical'],
    ['checkpoint_saved', 'droppable'],
    ['cognition_out_delta', 'droppable'],
    ['warning', 'droppable'],
    ['something_else', 'critical'],
    ['constructor', 'critical'],
  ])('%s is %s', (type, criticality) => {
    expect(criticalityOf(config, type)).toBe(criticality);
  });

  test('keeps what S2 says about interruption and throttling', () => {
    const { cognition_out, cognition_out_delta, cognition_reasoning, usage } = config.events.eventTypes;
    expect(cognition_out?.emitOnError).toBe(true);
    expect(cognition_out_delta?.emitConfig?.throttleSeconds).toBe(0.1);
    expect(cognition_reasoning?.emitConfig?.accumulateOnError).toBe(true);
    expect(usage?.emitOnError).toBe(false);
  });

  function payloadSchema(type: string): Record<string, unknown> {
    return { ...config.events.eventTypes[type]?.payloadSchema };
  }
});

describe('hook_conditions.yaml', () => {
  const { builtin, infra, project, user } = config.hooks;

  test('has the built-in hooks of S2 and S3 in layer 2 and one infrastructure hook in layer 3', () => {
    expect(builtin.map((hook) => [hook.id, hook.event, hook.layer])).toEqual([
      ['ctx_environment', ['thread_started', 'thread_continued'], 2],
      ['ctx_directive_instruction', ['thread_started', 'thread_continued'], 2],
      ['default_retry_transient', 'error', 2],
      ['default_fail_permanent', 'error', 2],
      ['default_abort_cancelled', 'error', 2],
      ['default_escalate_limit', 'limit', 2],
      ['default_context_compaction', 'context_window_pressure', 2],
    ]);
    expect(infra.map((hook) => [hook.id, hook.event, hook.layer])).toEqual([['infra_save_state', 'after_step', 3]]);
    expect([project, user]).toEqual([[], []]);
  });

  test('emits no event that ends a thread', () => {
    const actions = JSON.stringify([builtin, infra].flat().map(({ action, actions: more }) => [action, more]));
    expect(actions).not.toMatch(/thread_(?:completed|error|cancelled|continued)/);
  });

  test.each([
    ['transient', 'default_retry_transient'],
    ['rate_limited', 'default_retry_transient'],
    ['permanent', 'default_fail_permanent'],
    ['cancelled', 'default_abort_cancelled'],
  ])('decides on a %s failure by %s', (category, expected) => {
    const context = { classification: { category } };
    const chosen = builtin.filter((hook) => hook.event === 'error' && compileCondition(hook.condition, {})(context));
    expect(chosen.map((hook) => hook.id)).toEqual([expected]);
  });

  test('fills its parameters with their types kept', () => {
    const fill = (hookId: string, context: unknown): unknown =>
      compileTemplate([...builtin, ...infra].find((hook) => hook.id === hookId)?.action?.['params'])(context);
    expect(fill('infra_save_state', { cost: { turns: 3 } })).toEqual({
      event_type: 'checkpoint_saved',
      payload: { turn: 3 },
    });
    expect(fill('default_context_compaction', { pressure_ratio: 0.85, tokens_used: 10 })).toEqual({
      pressure_ratio: 0.85,
      tokens_used: 10,
    });
  });
});

describe('resilience.yaml and agent.yaml', () => {
  test('name no file of a key: its path would be one on the machine that builds', () => {
    expect(Object.values(config.agent.providers).filter(({ apiKeyFile }) => apiKeyFile !== undefined)).toEqual([]);
  });

  test('have the default limits of the contracts', () => {
    expect(config.resilience.limits).toEqual({
      defaults: { turns: 25, tokens: 200_000, spend: 1e9, spawns: 10, depth: 10, durationSeconds: 600 },
      onExceed: 'escalate',
    });
  });

  test('store checkpoints in the database and hand over at 0.9', () => {
    expect(config.resilience.checkpoint.persistence.format).toBe('sqlite');
    expect(config.resilience.continuation.hardThreshold).toBe(0.9);
  });

  test('give prices in whole nano-USD per token', () => {
    expect(config.agent.models['claude-haiku-5-5']?.price).toEqual({
      input: 100,
      output: 500,
      cacheRead: 10,
      cacheWrite: 125,
    });
    expect(config.agent.models['claude-sonnet-5-5']).toMatchObject({
      contextWindow: 1_000_000,
      price: { input: 2000, output: 10_000, cacheRead: 100, cacheWrite: 2500 },
    });
    const prices = Object.values(config.agent.models).flatMap(({ price }) => Object.values(price ?? {}));
    expect(prices.every((price) => Number.isInteger(price))).toBe(true);
  });
});

describe('storage schemas', () => {
  const columns = (table: keyof typeof config.tables): string[] => config.tables[table].columns.map(({ name }) => name);

  test('name their tables and columns', () => {
    expect(Object.values(config.tables).map(({ name }) => name)).toEqual([
      'budget_ledger',
      'threads',
      'events',
      'checkpoints',
      'approvals',
      'budget_entries',
      'upkeep',
      'home',
    ]);
    expect(columns('ledger')).toEqual(
      'thread parent_thread reserved_spend actual_spend committed max_spend status created_at updated_at extra_reserved'.split(
        ' ',
      ),
    );
    expect(columns('events')).toEqual(['thread', 'first_sequence', 'last_sequence', 'lines']);
    expect(columns('checkpoints')).toEqual(['thread', 'sequence', 'turn', 'state', 'updated_at']);
  });

  test('keep money and time in integers', () => {
    const all = Object.values(config.tables).flatMap((table) => table.columns);
    expect(all.filter(({ type }) => type === 'REAL')).toEqual([]);
    expect(all.filter(({ name, type }) => /(?:^|_)spend$|_at$|committed/.test(name) && type !== 'INTEGER')).toEqual([]);
  });

  test('index open threads only', () => {
    expect(config.tables.registry.indexes.find(({ name }) => name === 'idx_threads_open')).toMatchObject({
      columns: ['ended_at'],
      where: 'ended_at IS NULL AND suspend_reason IS NULL',
    });
  });
});

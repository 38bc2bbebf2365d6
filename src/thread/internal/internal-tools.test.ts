import { describe, expect, test } from 'vitest';
import { createThreadBench, type ThreadBench } from '../../../test/fixtures/thread-bench.ts';
import type { ToolOutcome } from '../../core/tool.ts';

const FOLDER = 'rye/agent/threads/internal/';

type Params = Readonly<Record<string, unknown>>;
type Row = [name: string, params: Params, answer: unknown];

describe('An internal tool answers', () => {
  test.each<Row>([
    ['control', { action: 'continue' }, null],
    ['control', { action: 'skip' }, null],
    ['control', { action: 'retry' }, { action: 'retry' }],
    ['control', { action: 'fail', error: 'no' }, { success: false, error: 'no' }],
    ['control', { action: 'fail' }, { success: false, error: expect.any(String) }],
    ['control', { action: 'abort' }, { success: false, aborted: true, error: expect.any(String) }],
    ['control', { action: 'suspend', suspend_reason: 'ask' }, { success: false, suspended: true, error: 'ask' }],
    [
      'control',
      { action: 'escalate', limit_type: 'turns_exceeded', current_value: 9 },
      {
        success: false,
        suspended: true,
        escalated: true,
        error: expect.any(String),
        escalation: { limit_type: 'turns_exceeded', current_value: 9 },
      },
    ],
    [
      'emitter',
      { event_type: 'warning', payload: { code: 'x', message: 'y' } },
      { success: true, event_type: 'warning', emitted: true },
    ],
    [
      'classifier',
      { error: { type: 'overloaded_error', message: 'busy' }, status_code: 529 },
      { category: 'transient', retryable: true, code: expect.any(String), retry_policy: { type: 'exponential' } },
    ],
    [
      'classifier',
      {},
      { category: 'permanent', retryable: false, code: 'unclassified', retry_policy: { type: 'none' } },
    ],
    // What is missing in an event's context is an empty text.
    ['classifier', { error: '', status_code: '', headers: '' }, { code: 'unclassified' }],
    ['control', { action: 'escalate', current_value: '' }, { escalation: { current_value: null } }],
    ['limit_checker', { limit_type: 'turns', current_value: 2, max_value: 3 }, { success: true, exceeded: false }],
    [
      'limit_checker',
      { limit_type: 'turns', current_value: 3, max_value: 3 },
      { success: true, exceeded: true, limit_type: 'turns', current: 3, max: 3, action: 'escalate' },
    ],
    ['limit_checker', { limit_type: 'spend', current_value: '2.5', max_value: '2' }, { exceeded: true, current: 2.5 }],
    ['cancel_checker', {}, { success: true, cancelled: false }],
    ['cost_tracker', {}, { success: true, cost: { turns: 3, input_tokens: 0, output_tokens: 0, spend: 0.5 } }],
  ])('%s %j', (name, params, answer) => {
    const { outcomes } = call(bench(), name, params);
    expect(outcomes).toMatchObject([{ ok: true, value: answer }]);
  });

  test('cancel_checker true, once the thread has been told to stop', () => {
    const one = bench();
    one.thread.cancelReason = 'enough';
    expect(call(one, 'cancel_checker').outcomes).toEqual([{ ok: true, value: { success: true, cancelled: true } }]);
  });

  test('state_persister with the number of the last event, when state and events are on disk', () => {
    const one = bench();
    one.services.journal.record(one.thread, 'warning', { code: 'x', message: 'y' });
    const { outcomes } = call(one, 'state_persister');
    expect(one.steps).toMatchObject([{ lastSequence: 1, checkpoint: { turn: 3 } }]);
    expect(outcomes).toEqual([]);
    one.answer();
    expect(outcomes).toEqual([{ ok: true, value: { success: true, sequence: 1 } }]);
  });

  test('state_persister at once after the end, when all is stored', () => {
    const one = bench();
    one.thread.sequence = 7;
    one.thread.ended = true;
    expect(call(one, 'state_persister').outcomes).toMatchObject([{ value: { sequence: 7 } }]);
    expect(one.steps).toEqual([]);
  });

  test.each<[Params, Params, Params]>([
    [
      { operation: 'check_remaining' },
      { operation: 'check_remaining', amount: 0, key: undefined },
      { success: true, remaining: 1.5 },
    ],
    [
      { operation: 'reserve', amount: 0.25, key: 'a' },
      { operation: 'reserve', amount: 250_000_000, key: 'a' },
      { success: true, reserved: 2, remaining: 1.5 },
    ],
    [
      { operation: 'report_actual', amount: 0.25, reservation: 'a' },
      { operation: 'report_actual', amount: 250_000_000, reservation: 'a' },
      { success: true, reported: 2, remaining: 1.5 },
    ],
    [{ operation: 'release' }, { operation: 'release', amount: 0 }, { success: true, released: true, remaining: 1.5 }],
  ])('budget_ops %j with what the ledger says, in USD', (params, op, answer) => {
    const one = bench();
    const { outcomes } = call(one, 'budget_ops', { thread_id: 'thread-2', ...params });
    expect(one.ops).toMatchObject([{ type: 'budget', asker: 1, threadId: 'thread-2', ...op }]);
    one.answer({ type: 'budget', granted: true, amount: 2_000_000_000, over: 0, remaining: 1_500_000_000 });
    expect(outcomes).toEqual([{ ok: true, value: answer }]);
  });

  test.each<[Params]>([[{}], [{ thread_id: '' }]])("budget_ops %j about the hook's own thread", (params) => {
    const one = bench();
    call(one, 'budget_ops', { operation: 'check_remaining', ...params });
    expect(one.ops).toMatchObject([{ type: 'budget', asker: 1, threadId: 'thread-1' }]);
  });

  test('budget_ops reserve with success false when it does not fit', () => {
    const one = bench();
    const { outcomes } = call(one, 'budget_ops', { operation: 'reserve', thread_id: 'thread-1', amount: 9 });
    one.answer({ type: 'budget', granted: false, amount: 0, over: 0, remaining: 1_000_000_000 });
    expect(outcomes).toEqual([{ ok: true, value: { success: false, reserved: 0, remaining: 1 } }]);
  });

  test('budget_ops report_actual, and says in the log that it was more than there was', () => {
    const one = bench();
    call(one, 'budget_ops', { operation: 'report_actual', thread_id: 'thread-1', amount: 3 });
    one.answer({ type: 'budget', granted: true, amount: 3_000_000_000, over: 1_000_000_000, remaining: 0 });
    expect(one.events()).toMatchObject([{ event_type: 'budget_overspend', payload: { reserved: 2, actual: 3 } }]);
    expect(one.thread.suspendRequest).toMatchObject({ reason: 'budget', ask: { askedBy: 'demo/task, ledger' } });
  });
});

describe('An internal tool refuses', () => {
  test.each<[string, Params, string]>([
    ['control', { action: 'explode' }, 'tool_input_invalid'],
    ['control', {}, 'tool_input_invalid'],
    ['control', { action: 'continue', errr: '' }, 'tool_input_invalid'],
    ['emitter', { event_type: 'thread_completed' }, 'hook_failed'],
    ['emitter', { event_type: 'warning', payload: { code: 'x' } }, 'tool_input_invalid'],
    ['emitter', { event_type: 'warning', criticality: 'important' }, 'tool_input_invalid'],
    ['limit_checker', { limit_type: 'turns', current_value: 'many', max_value: 3 }, 'tool_input_invalid'],
    ['budget_ops', { operation: 'reserve', thread_id: 'thread-1' }, 'tool_input_invalid'],
    ['budget_ops', { operation: 'reserve', thread_id: 'thread-1', amount: -1 }, 'tool_input_invalid'],
    ['budget_ops', { operation: 'report_actual', thread_id: 'thread-1', amount: 1e300 }, 'tool_input_invalid'],
    ['budget_ops', { operation: 'spend', thread_id: 'thread-1' }, 'tool_input_invalid'],
    ['budget_ops', { operation: 'reserve', amount: '' }, 'tool_input_invalid'],
    ['budget_ops', { operation: 'reserve', amount: 1, key: '' }, 'tool_input_invalid'],
    ['limit_checker', { limit_type: 'turns', current_value: '', max_value: 3 }, 'tool_input_invalid'],
    ['cost_tracker', { thread_id: 'thread-2' }, 'tool_input_invalid'],
  ])('%s %j', (name, params, code) => {
    expect(call(bench(), name, params).outcomes).toMatchObject([{ ok: false, failure: { code } }]);
  });

  test('budget_ops says what kept the ledger from answering', () => {
    const one = bench();
    const { outcomes } = call(one, 'budget_ops', { operation: 'check_remaining', thread_id: 'thread-1' });
    one.answer({ type: 'failed', failure: { code: 'store_corrupt', message: 'no such node' } });
    expect(outcomes).toMatchObject([{ ok: false, failure: { code: 'store_corrupt' } }]);
  });
});

test('An event that is emitted as critical is on disk without waiting for the next step', () => {
  const one = bench();
  const payload = { code: 'x', message: 'y' };
  call(one, 'emitter', { event_type: 'warning', payload });
  one.ticks.endAll();
  expect(one.steps).toEqual([]);
  call(one, 'emitter', { event_type: 'warning', payload, criticality: 'critical' });
  one.ticks.endAll();
  expect(one.steps).toMatchObject([{ lastSequence: 2 }]);
});

function bench(): ThreadBench {
  const made = createThreadBench();
  Object.assign(made.thread, { turns: 3, spend: 500_000_000 });
  return made;
}

function call(
  { thread, services }: ThreadBench,
  name: string,
  params: Params = {},
): { readonly outcomes: ToolOutcome[] } {
  const outcomes: ToolOutcome[] = [];
  const tool = services.internalTools.get(`${FOLDER}${name}`);
  if (!tool) throw new Error(`There is no ${name}`);
  const input = tool.read(params);
  if (input.ok) tool.run({ thread, services, input: input.value }, (outcome) => outcomes.push(outcome));
  else outcomes.push(input);
  return { outcomes };
}

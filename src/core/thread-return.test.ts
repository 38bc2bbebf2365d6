import { describe, expect, test } from 'vitest';
import { asyncReturn, syncReturn, type WaitedFor } from './thread-return.ts';

const ID = 'thread-00000000000000000000000000000001';
const COST = { turns: 2, input_tokens: 30, output_tokens: 4, spend: 0.5 };

const ended = (
  status: string,
  more: Partial<NonNullable<WaitedFor<string, number>['ending']>>,
): WaitedFor<string, number> => ({
  status,
  ending: { outputs: undefined, text: '', error: undefined, cost: 0.5, ...more },
});

describe('What thread_directive gives of a thread', () => {
  test('that runs on is how to wait for it, cancel it and ask for it', () => {
    expect(asyncReturn(ID, 'ops/check')).toEqual({
      success: true,
      thread_id: ID,
      status: 'running',
      directive: 'ops/check',
      control: {
        wait: `orchestrator.wait_threads(['${ID}'])`,
        cancel: `state_store.request_cancel('${ID}')`,
        status: `registry.get_status('${ID}')`,
      },
    });
  });

  test.each<[string, WaitedFor<string, number>, Readonly<Record<string, unknown>>]>([
    [
      'completed with outputs is these',
      ended('completed', { outputs: { a: 1 }, text: 'said' }),
      { success: true, status: 'completed', result: { a: 1 }, outputs: { a: 1 }, cost: COST, error: null },
    ],
    [
      'completed without outputs is its text',
      ended('completed', { text: 'said' }),
      { success: true, status: 'completed', result: 'said', outputs: null, cost: COST, error: null },
    ],
    [
      'failed is the error, and what it cost',
      ended('error', { error: { code: 'turns_exceeded', message: 'too long' } }),
      { success: false, status: 'error', result: '', outputs: null, cost: COST, error: 'too long' },
    ],
    [
      'is not over yet is what it cost so far',
      { status: 'timeout', ending: undefined, cost: 0.5 },
      { success: false, status: 'timeout', result: null, cost: COST, error: null },
    ],
    [
      'is suspended is why, and what it cost so far',
      { status: 'suspended', ending: undefined, cost: 0.5, suspendReason: 'limit' },
      { success: false, status: 'suspended', result: null, cost: COST, error: 'suspended: limit' },
    ],
    [
      'nobody knows is not found',
      { status: 'not_found', ending: undefined },
      { success: false, status: 'not_found', result: null, error: null },
    ],
  ])('that %s', (_name, waited, given) => {
    expect(syncReturn(ID, waited, (spend) => ({ ...COST, spend }))).toEqual({ thread_id: ID, ...given });
  });
});

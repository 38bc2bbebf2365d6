import { expect, test } from 'vitest';
import { createThreadBench } from '../../../test/fixtures/thread-bench.ts';
import { OPERATION_BOUNDS } from '../../core/operation-bounds.ts';
import type { OperationResult } from '../../core/operations.ts';
import { renderOutcome } from '../../tools/render-outcome.ts';
import { orchestrator } from './orchestrator-tool.ts';

const { forModel } = OPERATION_BOUNDS.children;

test.each<[string, callId: string | undefined, limit: number | undefined, asked: number | undefined]>([
  ['a model, of too many', 'call-1', 1_000, forModel],
  ['a model, of fewer', 'call-1', 7, 7],
  ['a model that names no number', 'call-1', undefined, undefined],
  ['a hook', undefined, 1_000, 1_000],
])('A page of children for %s', (_, callId, limit, asked) => {
  const { thread, services, reports } = createThreadBench();
  const input = { operation: 'list_children', thread_id: 'a', ...(limit !== undefined && { limit }) };
  const call = { thread, services, input, maxWaitMs: undefined, waits: () => undefined };
  orchestrator.run({ ...call, ...(callId !== undefined && { callId }) }, () => undefined);
  const given = { thread_id: 'a', ...(asked !== undefined && { limit: asked }) };
  expect(reports).toMatchObject([{ operation: 'list_children', input: given }]);
});

test('As many children as a model may list have room in what it gets of a result', () => {
  const tokens = 1_234_567_890;
  const child = {
    thread_id: `thread-${'0'.repeat(32)}`,
    directive: 'd'.repeat(OPERATION_BOUNDS.id),
    status: 'suspended',
    cost: {
      turns: 12_345,
      input_tokens: tokens,
      output_tokens: tokens,
      spend: 1_234.567_890_123,
      cache_read_tokens: tokens,
      cache_write_tokens: tokens,
    },
  } as const;
  const children = Array.from({ length: forModel }, () => child);
  const { thread_id: next } = child;
  const value: OperationResult<'list_children'> = { success: true, thread_id: next, children, next };
  expect(renderOutcome({ ok: true, value })).toBe(JSON.stringify(value));
});

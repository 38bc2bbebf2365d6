import { describe, expect, test } from 'vitest';
import type { ThreadId } from '../../core/ids.ts';
import { NO_COST } from '../../core/limits.ts';
import type { ThreadOutcome } from '../../core/operations.ts';
import type { WaitedThread } from '../../core/protocol.ts';
import { ok } from '../../core/result.ts';
import { renderOutcome } from '../../tools/render-outcome.ts';
import { aggregatedOutcome, waitedOutcome } from './waited-outcome.ts';

function ended(id: number, { text = '', outputs }: { text?: string; outputs?: Record<string, unknown> }): WaitedThread {
  const ending = { status: 'completed', outputs, text, error: undefined, cost: NO_COST } as const;
  return { threadId: `thread-${id}` as ThreadId, status: 'completed', ending };
}

function failed(id: number, { text, message }: { text: string; message: string }): WaitedThread {
  const error = { code: 'provider_failed', message } as const;
  const ending = { status: 'error', outputs: undefined, text, error, cost: NO_COST } as const;
  return { threadId: `thread-${id}` as ThreadId, status: 'error', ending };
}

const shown = (waited: readonly WaitedThread[]): string => renderOutcome(waitedOutcome(ok(waited), undefined));

describe('What a model gets of threads it has waited for', () => {
  test('has result and outputs of each (contracts, `wait_threads`), but of a child that was spawned the result alone', () => {
    const waited = [ended(1, { outputs: { n: 7 } }), ended(2, { text: 'said' })];
    const { results } = JSON.parse(shown(waited));
    expect(results).toMatchObject([
      { result: { n: 7 }, outputs: { n: 7 } },
      { result: 'said', outputs: null },
    ]);
    const child = JSON.parse(renderOutcome(waitedOutcome(ok(waited), 'child')));
    expect(child).toMatchObject({ result: { n: 7 } });
    expect(child).not.toHaveProperty('outputs');
  });

  test('is whole if it fits', () => {
    const long = 'x'.repeat(95_000);
    expect(JSON.parse(shown([ended(1, { text: long })])).results[0].result).toBe(long);
  });

  test.each([
    ['texts', (at: number) => ({ text: `${at} `.repeat(4_000) })],
    ['outputs', (at: number) => ({ outputs: { report: `${at} `.repeat(4_000) } })],
    ['text that is longer in JSON', () => ({ text: '"\n'.repeat(4_000) })],
    [
      'text that is much longer in JSON at its start',
      () => ({ text: `${'\u0001'.repeat(3_000)}${'x'.repeat(9_000)}` }),
    ],
  ])('has something of everyone if it does not fit: %s', (_name, given) => {
    const waited = Array.from({ length: 50 }, (_, at) =>
      at === 7 ? ended(at, { text: 'short' }) : ended(at, given(at)),
    );
    const text = shown(waited);
    expect(text.length).toBeLessThanOrEqual(100_000);
    const { results } = JSON.parse(text);
    expect(results).toHaveLength(50);
    for (const [at, one] of results.entries()) {
      expect(one).toMatchObject({ thread_id: `thread-${at}`, status: 'completed', cost: { spend: 0 }, error: null });
      expect(one).not.toHaveProperty('outputs');
      expect(one.result).toMatch(at === 7 ? /^short$/ : /\n\[cut here: \d+ of \d+ characters are left out\]$/);
    }
    // Little of the room is left over.
    expect(text.length).toBeGreaterThan(75_000);
  });

  test.each([
    ['alone', ''],
    ['beside long texts', 'x'.repeat(3_000)],
  ])('has something of every error if they do not fit: %s', (_name, text) => {
    const waited = Array.from({ length: 50 }, (_, at) =>
      failed(at, { text, message: at === 7 ? 'short' : 'e'.repeat(2_000) }),
    );
    const said = shown(waited);
    expect(said.length).toBeLessThanOrEqual(100_000);
    const { results } = JSON.parse(said);
    expect(results).toHaveLength(50);
    for (const [at, one] of results.entries()) {
      expect(one).toMatchObject({ thread_id: `thread-${at}`, status: 'error', cost: { spend: 0 } });
      expect(one.error).toMatch(at === 7 ? /^short$/ : /^e{500,}\n\[cut here: \d+ of 2000 characters are left out\]$/);
    }
  });

  test.each([
    ['that say nothing', 2_000, (at: number) => ended(at, {})],
    ['with a long text each', 2_000, (at: number) => ended(at, { text: 'x'.repeat(3_000) })],
    ['with an error each', 2_000, (at: number) => failed(at, { text: '', message: 'e'.repeat(70) })],
    [
      'that just have room without their texts',
      500,
      (at: number) => failed(at, { text: 'x'.repeat(90), message: 'e' }),
    ],
    ['with texts that quote much', 700, (at: number) => ended(at, { text: '"'.repeat(1_000) })],
  ])('has the first ones of very many, and how many it lacks: %s', (_name, count, made) => {
    const waited = Array.from({ length: count }, (_, at) => made(at));
    const text = shown(waited);
    expect(text.length).toBeLessThanOrEqual(100_000);
    expect(text.length).toBeGreaterThan(60_000);
    const { results, left_out: leftOut } = JSON.parse(text);
    expect(results.map((one: ThreadOutcome) => one.thread_id)).toEqual(
      waited.slice(0, count - leftOut).map(({ threadId }) => threadId),
    );
    expect(results.at(-1)).toMatchObject({ status: waited[0]?.status, cost: { spend: 0 } });
    expect(leftOut).toBeGreaterThan(0);
  });

  test('of a single child is cut the same way', () => {
    const text = renderOutcome(waitedOutcome(ok([ended(1, { text: 'x'.repeat(200_000) })]), 'child'));
    expect(JSON.parse(text)).toMatchObject({ thread_id: 'thread-1', status: 'completed', directive: 'child' });
  });

  test('is told the same way by aggregate_results, whose refusals stay as they are', () => {
    const one = { success: true, thread_id: 'thread-1', result: { n: 7 }, status: 'completed', error: null } as const;
    const value = { success: true, results: [{ ...one, outputs: { n: 7 } }], total: { spend: 0 } };
    expect(aggregatedOutcome(ok(value))).toEqual(ok(value));
    const long = { ...one, result: 'x'.repeat(60_000), outputs: { n: 'x'.repeat(60_000) } };
    const { results } = JSON.parse(renderOutcome(aggregatedOutcome(ok({ ...value, results: [long] }))));
    expect(results).toEqual([{ ...one, result: long.result }]);
    const many = JSON.parse(
      renderOutcome(aggregatedOutcome(ok({ ...value, results: Array.from({ length: 2_000 }, () => one) }))),
    );
    expect(many).toMatchObject({ success: true, total: { spend: 0 }, left_out: 2_000 - many.results.length });
    const refusal = { success: false, code: 'invalid_argument', error: 'no' };
    expect(aggregatedOutcome(ok(refusal))).toEqual(ok(refusal));
  });
});

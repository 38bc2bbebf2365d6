import { describe, expect, test } from 'vitest';
import { call, type Part } from '../../../test/fixtures/scene.ts';
import { parseCheckpoint } from '../conversation/checkpoint.ts';
import { createWorkerBench, type WorkerBench } from '../../../test/fixtures/worker-bench.ts';
import { decodeEvents } from '../../core/events.ts';
import type { ThreadNo } from '../../core/ids.ts';
import type { Thread } from '../thread.ts';

const SLOW = 10;
const USAGE = { input_tokens: 5_000, output_tokens: 50, cache_read_tokens: 3_000, cache_write_tokens: 1_000 };
const PARTS: Record<string, Part> = {
  // A call with side effects, whose start is on disk before it runs; then a call that fails once.
  risky: {
    says: [
      { ...call('app_risky'), usage: USAGE, delay_ms: SLOW },
      { error: { status_code: 503 }, times: 1, delay_ms: SLOW },
      { text: 'done', delay_ms: SLOW },
    ],
  },
  talk: {
    says: [
      { text: 'first', usage: USAGE, delay_ms: SLOW },
      { text: 'second', delay_ms: SLOW },
    ],
  },
};

const OFF = { pre_turn: false, post_llm: false, post_tools: false, on_error: false };
const ON = { pre_turn: true, post_llm: true, post_tools: true, on_error: true };

describe('Checkpoints are taken', () => {
  test.each([
    ['at every point', ON, ['tool_call_start', 'tool_call_result', 'error_classified']],
    ['at none', OFF, []],
    ['before a turn', { ...OFF, pre_turn: true }, ['tool_call_result']],
    ['after an answer', { ...OFF, post_llm: true }, ['tool_call_start']],
    ['after tool calls', { ...OFF, post_tools: true }, ['tool_call_result']],
    ['after an error', { ...OFF, on_error: true }, ['error_classified']],
    [
      'at every point but before a turn',
      { ...ON, pre_turn: false },
      ['tool_call_start', 'tool_call_result', 'error_classified'],
    ],
  ])('%s that is switched on: %j', (_name, triggers, behind) => {
    using bench = riskyBench(triggers);
    const thread = bench.start('risky');
    for (let round = 0; round < 4; round++) answer(bench);
    expect(bench.said('ended')).toMatchObject([{ thread }]);
    expect(checkpointsOf(bench)).toEqual(behind);
  });

  test('whatever is switched off when a message has come, and when it is said', () => {
    using bench = createWorkerBench(PARTS, { checkpoint: { triggers: OFF } });
    const thread = bench.start('talk');
    bench.host.receive({ type: 'send', ref: 1, thread, text: 'one more thing' });
    answer(bench);
    const inboxes = bench.steps.flatMap(({ checkpoint }) =>
      checkpoint ? [parseCheckpoint(checkpoint.state).inbox] : [],
    );
    expect(inboxes).toEqual([['one more thing'], []]);
  });

  test('whatever is switched off where a thread is suspended, and where it is resumed', () => {
    using bench = createWorkerBench(PARTS, { checkpoint: { triggers: OFF } });
    const thread = bench.start('talk');
    bench.host.receive({ type: 'suspend', thread, reason: 'user', now: true });
    bench.commit();
    bench.resume(thread);
    bench.settle();
    const written = bench.steps.filter(({ checkpoint }) => checkpoint);
    expect(written.map(({ status }) => status?.to)).toEqual(['suspended', 'running']);
  });
});

test.each([
  ['with', ON],
  ['without', OFF],
])(
  'A thread that is killed %s checkpoints has spent what it has spent, and knows how long its conversation is',
  (_name, triggers) => {
    using bench = riskyBench(triggers);
    const thread = bench.start('risky');
    answer(bench);
    const { contextTokens: length, ...counters } = stateOf(bench, thread);
    const cached = { cacheReadTokens: 3_000, cacheWriteTokens: 1_000 };
    expect(counters).toMatchObject({ turns: 1, inputTokens: 5_000, outputTokens: 50, ...cached });
    bench.resume(thread);
    bench.commit();
    const { contextTokens, ...after } = stateOf(bench, thread);
    expect(after).toEqual(counters);
    // What no provider has counted yet is estimated from above.
    expect(contextTokens).toBeGreaterThanOrEqual(length ?? 0);
    expect(contextTokens).toBeLessThan((length ?? 0) + 10);
  },
);

function stateOf(bench: WorkerBench, thread: ThreadNo): Partial<Thread> {
  const { turns, inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, spend, contextTokens, messages } =
    bench.host.get(thread) ?? {};
  const tokens = { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, contextTokens };
  // A thread's numbers and messages are plain data.
  return structuredClone({ turns, ...tokens, spend, messages }) as Partial<Thread>;
}

function riskyBench(triggers: typeof ON): WorkerBench {
  const bench = createWorkerBench(PARTS, { checkpoint: { triggers } });
  bench.services.tools.add([
    {
      id: 'app/risky',
      description: 'Changes the world',
      inputSchema: { type: 'object' },
      idempotent: false,
      run(_input, _caller, done) {
        done({ ok: true, value: 'changed' });
        return undefined;
      },
    },
  ]);
  return bench;
}

/** The last event that each checkpoint covers; each is in a step of its own. */
function checkpointsOf({ steps }: WorkerBench): (string | undefined)[] {
  return steps
    .filter(({ checkpoint }) => checkpoint)
    .map(
      ({ lines }) => decodeEvents(lines).findLast(({ event_type: type }) => type !== 'checkpoint_saved')?.event_type,
    );
}

function answer(bench: WorkerBench): void {
  bench.clock.advance(SLOW);
  bench.settle();
  // A retry waits longer.
  bench.clock.advance(5_000);
  bench.settle();
}

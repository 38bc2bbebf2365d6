import { describe, expect, test } from 'vitest';
import { call, NEVER } from '../../../test/fixtures/scene.ts';
import { createWorkerBench, type WorkerBench } from '../../../test/fixtures/worker-bench.ts';
import type { ThreadNo } from '../../core/ids.ts';
import { ok } from '../../core/result.ts';
import type { Tool } from '../../core/tool.ts';

const SLOW = 10;
/** Shorter than hooks are waited for. */
const DURATION = 20_000;
const WAIVES = {
  id: 'waives',
  event: 'limit',
  action: { primary: 'execute', item_id: 'rye/agent/threads/internal/control', params: { action: 'continue' } },
};

/** A worker whose thread has made two calls, which are done; a hook of the host looks at each. */
function looking(): { readonly bench: WorkerBench; readonly thread: ThreadNo } {
  const calls = [1, 2].flatMap((n) => call('app_quick', { n }).tool_calls ?? []);
  const parts = {
    task: {
      limits: { duration_seconds: DURATION / 1000 },
      hooks: '<hook id="looks" event="after_tool"><action function="look"/></hook>',
      says: [{ tool_calls: calls, delay_ms: SLOW }, NEVER],
    },
  };
  const bench = createWorkerBench(parts, {}, { hooks: [WAIVES] });
  const tool = { description: 'Is done at once', inputSchema: {}, idempotent: true } as const;
  const run: Tool['run'] = (_input, _caller, done) => {
    done(ok('secret'));
    return undefined;
  };
  bench.services.tools.add([{ ...tool, id: 'app/quick', run }]);
  const thread = bench.start('task');
  bench.clock.advance(SLOW);
  bench.settle();
  return { bench, thread };
}

/** The host answers a question of the hook. */
function answer(bench: WorkerBench, at: number, value: unknown): void {
  bench.host.receive({ type: 'answer', ref: bench.said('hostCall')[at]?.ref ?? 0, value });
  bench.settle();
}

/** Inputs of the calls that the hook was asked about, oldest first. */
function asked(bench: WorkerBench): unknown[] {
  return bench.said('hostCall').map(({ input }) => (input as { context: { input: { n: number } } }).context.input.n);
}

const cuts: readonly (readonly [string, (bench: WorkerBench, thread: ThreadNo) => void])[] = [
  [
    'a suspension',
    (bench, thread) => {
      bench.host.receive({ type: 'suspend', thread, reason: 'user', now: true });
      bench.commit();
      bench.resume(thread);
      bench.settle();
    },
  ],
  ['a limit that is waived', (bench) => (bench.clock.advance(DURATION), bench.settle())],
];

describe('Hooks that look at what a call gave, and are cut off', () => {
  test.each(cuts)('by %s, are asked again, before the model hears of it', (_what, cutOff) => {
    const { bench, thread } = looking();
    using _ = bench;
    answer(bench, 0, {});
    expect(asked(bench)).toEqual([1, 2]);
    cutOff(bench, thread);
    expect([asked(bench), bench.host.stateOf(thread)]).toEqual([[1, 2, 2], 'running.acting']);
    answer(bench, 2, {});
    expect(bench.host.stateOf(thread)).toBe('running.calling');
    const results = bench.log(thread).filter(({ event_type: type }) => type === 'tool_call_result');
    expect(results).toHaveLength(2);
  });

  test('by the end of their runtime, are asked again about all that its last checkpoint does not know', () => {
    const { bench, thread } = looking();
    using _ = bench;
    answer(bench, 0, {});
    bench.resume(thread);
    bench.settle();
    expect([asked(bench), bench.host.stateOf(thread)]).toEqual([[1, 2, 1, 2], 'running.acting']);
  });

  test('may still end the thread', () => {
    const { bench, thread } = looking();
    using _ = bench;
    cuts[0]?.[1](bench, thread);
    answer(bench, 3, { action: 'fail', error: 'secret in output' });
    expect(bench.log(thread).at(-1)).toMatchObject({
      event_type: 'thread_error',
      payload: { error: { message: 'secret in output' } },
    });
  });

  test('ask a person about each call, one after the other, and those after them are asked as well', () => {
    const { bench, thread } = looking();
    using _ = bench;
    answer(bench, 0, { action: 'suspend' });
    bench.clock.advance(1);
    bench.resume(thread);
    bench.settle();
    expect(asked(bench)).toEqual([1, 2, 1, 2]);
    const questions = bench.log(thread).flatMap((event) => {
      return event.event_type === 'approval_requested' ? [event.payload.message] : [];
    });
    expect(questions).toEqual(['Hook looks asks at after_tool: app/quick {"n":1}']);
  });
});

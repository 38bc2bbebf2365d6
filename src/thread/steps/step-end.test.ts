import { expect, test } from 'vitest';
import { call, NEVER, SPAWN, THREAD_TOOLS, type Part } from '../../../test/fixtures/scene.ts';
import { createWorkerBench, type WorkerBench } from '../../../test/fixtures/worker-bench.ts';
import type { ThreadNo } from '../../core/ids.ts';
import { ok } from '../../core/result.ts';
import type { Tool } from '../../core/tool.ts';

const SLOW = 10;
const DURATION = 60_000;
const WAIVES = {
  id: 'waives',
  event: 'limit',
  action: { primary: 'execute', item_id: 'rye/agent/threads/internal/control', params: { action: 'continue' } },
};
const PARTS: Record<string, Part> = {
  task: {
    limits: { duration_seconds: DURATION / 1000 },
    hooks: '<hook id="looks" event="after_step"><action function="look"/></hook>',
    says: [{ ...call('app_send'), delay_ms: SLOW }, NEVER],
  },
  parent: {
    tools: THREAD_TOOLS,
    hooks: '<hook id="looks" event="after_step"><action function="look"/></hook>',
    says: [
      { ...call(SPAWN, { directive_name: 'task', async_exec: true }), delay_ms: SLOW },
      { text: 'done', delay_ms: SLOW },
    ],
  },
};

function suspend(bench: WorkerBench, thread: ThreadNo): void {
  bench.host.receive({ type: 'suspend', thread, reason: 'user', now: true });
  bench.commit();
  bench.resume(thread);
}

test.each<[string, (bench: WorkerBench, thread: ThreadNo) => void]>([
  ['a suspension', suspend],
  ['a limit that a hook has waived', (bench) => bench.clock.advance(DURATION)],
])('after_step comes once for a turn whose tools were cut off by %s', (_what, cutOff) => {
  using bench = createWorkerBench(PARTS, {}, { hooks: [WAIVES] });
  const tool = { description: 'Sends', inputSchema: {}, idempotent: false } as const;
  bench.services.tools.add([{ ...tool, id: 'app/send', run: () => ({ abort: () => undefined }) }]);
  const thread = bench.start('task');
  bench.clock.advance(SLOW);
  bench.settle();
  expect([bench.host.stateOf(thread), bench.said('hostCall')]).toEqual(['running.acting', []]);
  cutOff(bench, thread);
  bench.settle();
  expect([bench.host.stateOf(thread), bench.said('hostCall').length]).toEqual(['running.afterStep', 1]);
  bench.host.receive({ type: 'answer', ref: bench.said('hostCall')[0]?.ref ?? 0, value: {} });
  bench.settle();
  expect(bench.host.stateOf(thread)).toBe('running.calling');
  suspend(bench, thread);
  bench.settle();
  expect([bench.host.stateOf(thread), bench.said('hostCall').length]).toEqual(['running.calling', 1]);
});

test('after_step hooks that were cut off are asked again, and those that have decided are not', () => {
  using bench = createWorkerBench(PARTS);
  const run: Tool['run'] = (_input, _caller, done) => {
    done(ok('sent'));
    return undefined;
  };
  bench.services.tools.add([{ id: 'app/send', description: 'Sends', inputSchema: {}, idempotent: true, run }]);
  const thread = bench.start('task');
  bench.clock.advance(SLOW);
  for (const times of [1, 2]) {
    bench.settle();
    expect([bench.host.stateOf(thread), bench.said('hostCall').length]).toEqual(['running.afterStep', times]);
    if (times === 1) suspend(bench, thread);
  }
  bench.host.receive({ type: 'answer', ref: bench.said('hostCall')[1]?.ref ?? 0, value: {} });
  bench.settle();
  suspend(bench, thread);
  bench.settle();
  expect([bench.host.stateOf(thread), bench.said('hostCall').length]).toEqual(['running.calling', 2]);
});

test('after_step hooks that have decided are in a checkpoint though their thread only waits for its children', () => {
  using bench = createWorkerBench(PARTS, { child_policy: { on_parent_complete: 'wait' } });
  bench.start('parent');
  bench.clock.advance(SLOW);
  bench.settle();
  bench.host.receive({ type: 'answer', ref: bench.said('spawn')[0]?.ref ?? 0, value: { threadId: 'thread-x' } });
  bench.settle();
  decide(bench);
  bench.clock.advance(SLOW);
  bench.settle();
  expect([bench.said('join').length, steppedAt(bench)]).toEqual([0, 1]);
  decide(bench);
  expect([bench.said('join').length, steppedAt(bench)]).toEqual([1, undefined]);
});

/** Answers the hook that was asked last. */
function decide(bench: WorkerBench): void {
  bench.host.receive({ type: 'answer', ref: bench.said('hostCall').at(-1)?.ref ?? 0, value: {} });
  bench.settle();
}

/** The last turn whose hooks have decided, by the newest checkpoint; undefined: all have. */
function steppedAt(bench: WorkerBench): unknown {
  const { state } = bench.steps.findLast(({ checkpoint }) => checkpoint)?.checkpoint ?? {};
  return (JSON.parse(state ?? '{}') as { readonly steppedAt?: number }).steppedAt;
}

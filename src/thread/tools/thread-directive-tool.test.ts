import { expect, test } from 'vitest';
import { call, NEVER, SPAWN, THREAD_TOOLS } from '../../../test/fixtures/scene.ts';
import { createWorkerBench } from '../../../test/fixtures/worker-bench.ts';

test.each([
  ['suspend', 'thread_suspended'],
  ['fail', 'thread_error'],
  ['abort', 'thread_cancelled'],
])('A thread that a child_started hook has stopped (%s) waits for no child', (action, last) => {
  const control = `<execute item_id="rye/agent/threads/internal/control"><param name="action" value="${action}"/></execute>`;
  const hooks = `<hook id="stops" event="child_started">${control}</hook>`;
  const says = [{ ...call(SPAWN, { directive_name: 'leaf' }), delay_ms: 1 }, NEVER];
  using bench = createWorkerBench({ leaf: { says: [NEVER] }, parent: { tools: THREAD_TOOLS, hooks, says } });
  const thread = bench.start('parent');
  bench.clock.advance(1);
  bench.commit();
  const { threadId } = bench.lineage(bench.admitChild(thread, 'leaf'));
  const [asked] = bench.said('spawn');
  bench.host.receive({ type: 'answer', ref: asked?.ref ?? 0, value: { threadId } });
  bench.commit();
  expect(bench.log(thread).at(-1)?.event_type).toBe(last);
  expect([bench.said('wait'), bench.services.host.open(), bench.host.size()]).toEqual([[], 0, 0]);
});

import { afterEach, beforeEach, expect, test } from 'vitest';
import { createItemBench, type ItemBench } from './fixtures/item-bench.ts';
import { runAction, type ActionClient } from './run-action.ts';
import type { WrittenAction } from './primary-request.ts';

let bench: ItemBench;
beforeEach(() => {
  bench = createItemBench();
});
afterEach(() => bench[Symbol.dispose]());

const run = (action: WrittenAction, rest: Partial<ActionClient> = {}) => {
  const client = { callId: 'cli', projectPath: bench.projectPath, allows: () => true, ...rest };
  return runAction(bench.services.dispatcher, action, client);
};

test('An action of a client has no thread, and the rights the client gives it', async () => {
  expect(await run({ item_id: 'test/echo' })).toMatchObject({ status: 'success' });
  expect(await run({ item_id: 'test/echo' }, { allows: () => false })).toMatchObject({ code: 'permission_denied' });
});

test('It can be cancelled, before it has begun and while it runs', async () => {
  const cancelled = { status: 'error', code: 'cancelled' };
  expect(await run({ item_id: 'test/slow' }, { signal: AbortSignal.abort() })).toMatchObject(cancelled);
  expect(bench.slow.calls).toEqual([]);
  const controller = new AbortController();
  const running = run({ item_id: 'test/slow' }, { signal: controller.signal });
  controller.abort();
  expect(await running).toMatchObject(cancelled);
  expect(bench.slow.aborted).toEqual([0]);
});

test('One that is done in the same tick, or is done, leaves nothing at the signal', async () => {
  const controller = new AbortController();
  expect(await run({ item_id: 'test/echo' }, { signal: controller.signal })).toMatchObject({ status: 'success' });
  const running = run({ item_id: 'test/slow' }, { signal: controller.signal });
  bench.slow.finish(0);
  await running;
  controller.abort();
  expect(bench.slow.aborted).toEqual([]);
});

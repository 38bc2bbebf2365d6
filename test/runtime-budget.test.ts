import { expect, test } from 'vitest';
import { call, NEVER, refusal, scene, startOn, until, type Scene } from './fixtures/scene.ts';

const USD = 1_000_000_000;

/** A hook of a project that uses `budget_ops` on its own thread. */
function budgetHook(id: string, event: string, params: Readonly<Record<string, unknown>>): object {
  const item = { item_type: 'tool', item_id: 'rye/agent/threads/internal/budget_ops' };
  const action = { primary: 'execute', ...item, params: { thread_id: '${thread_id}', ...params } };
  return { id, event, layer: 2, action };
}

const RELEASE = {
  budget_ledger_schema: { operations: { release: { on_status: ['completed', 'cancelled', 'error', 'suspended'] } } },
};

const FAIL_AT_LIMITS = { limits: { enforcement: { on_exceed: 'fail' } } };

function family(config: Readonly<Record<string, unknown>>): Promise<Scene> {
  const busy = { limits: { turns: 1 }, says: [call('nothing')] };
  return scene({ root: { says: [NEVER] }, busy, endless: { says: [NEVER] } }, { config });
}

test('where suspensions release, a suspended thread makes room, and goes on only when its budget fits again', async () => {
  await using it = await family(RELEASE);
  const root = await it.runtime.spawn('root', {}, { limits: { spend: 1 } });
  await until(root, 'thread_started');
  const child = await it.runtime.spawn('busy', {}, { parent: root.id, limits: { spend: 0.6 } });
  await until(child, 'thread_suspended');
  await child.suspend();
  expect(it.project.ledger(root.id)).toMatchObject({ committed: 0 });
  const other = await it.runtime.spawn('endless', {}, { parent: root.id, limits: { spend: 0.7 } });
  expect(await refusal(() => child.resume())).toMatchObject({ code: 'budget_refused' });
  expect(await child.status()).toMatchObject({ status: 'suspended' });
  await other.cancel();
  await child.resume(undefined, { limits: { turns: 5 } });
  expect(it.project.ledger(root.id)).toMatchObject({ committed: 0.6 * USD });
  await root.cancel();
  await child.result;
  expect(it.project.ledger(root.id)).toMatchObject({ committed: 0, status: 'released' });
});

test('elsewhere a suspended thread keeps what was reserved for it', async () => {
  await using it = await family({});
  const root = await it.runtime.spawn('root', {}, { limits: { spend: 1 } });
  await until(root, 'thread_started');
  const child = await it.runtime.spawn('busy', {}, { parent: root.id, limits: { spend: 0.6 } });
  await until(child, 'thread_suspended');
  expect(it.project.ledger(root.id)).toMatchObject({ committed: 0.6 * USD });
});

test('a hook reserves, reports and releases money of its thread, once for each key', async () => {
  const hooks = [
    budgetHook('reserve', 'before_step', { operation: 'reserve', amount: 0.5, key: 'once' }),
    budgetHook('report', 'after_step', { operation: 'report_actual', amount: 0.125, key: 'turn ${turn}' }),
  ];
  await using it = await scene(
    { task: { says: [call('nothing'), call('nothing'), { text: 'done' }] } },
    { config: { hooks: { hooks } } },
  );
  const handle = await it.runtime.spawn('task', {}, { limits: { spend: 1 } });
  expect(await handle.result).toMatchObject({ status: 'completed' });
  const row = { actual: 0.375 * USD, extra: 0, committed: 0.375 * USD, status: 'released' };
  expect(it.project.ledger(handle.id)).toMatchObject(row);
});

test.each(['before_step', 'after_step'])(
  'what a hook reports beyond the budget at %s suspends the thread before its next call',
  async (event) => {
    const report = budgetHook('report', event, { operation: 'report_actual', amount: 1.5, key: 'turn ${turn}' });
    await using it = await scene(
      { task: { says: [call('nothing'), NEVER] } },
      { config: { hooks: { hooks: [report] }, resilience: FAIL_AT_LIMITS } },
    );
    const handle = await it.runtime.spawn('task', {}, { limits: { spend: 1 } });
    await until(handle, 'thread_suspended', ({ payload }) => payload.suspend_reason === 'budget');
    const log = it.project.log(handle.id);
    const told = log.filter(({ event_type: type }) => type === 'budget_overspend' || type === 'approval_requested');
    expect(told).toMatchObject([
      { payload: { reserved: 1, actual: 1.5 } },
      { payload: { suspend_reason: 'budget', asked_by: expect.stringContaining('ledger') } },
    ]);
    expect(it.project.ledger(handle.id)).toMatchObject({ actual: 1.5 * USD, reserved: 0 });
  },
);

test('whoever lets a thread go on that has spent too much is asked for more than was spent', async () => {
  const report = budgetHook('report', 'before_step', { operation: 'report_actual', amount: 5, key: 'once' });
  await using it = await scene({ task: { says: [{ text: 'done' }] } }, { config: { hooks: { hooks: [report] } } });
  const handle = await it.runtime.spawn('task', {}, { limits: { spend: 1 } });
  await until(handle, 'thread_suspended', ({ payload }) => payload.suspend_reason === 'budget');
  await handle.resume();
  const { payload } = await until(handle, 'approval_requested', (asked) => asked.payload.suspend_reason === 'limit');
  expect(payload).toMatchObject({ current_value: 5, current_max: 1, suggested: 6 });
});

test('a runtime that starts moves old trees into the archive, where they are found by their ids', async () => {
  const parts = { task: { says: [{ text: 'done' }] } };
  await using it = await scene(parts, { config: { resilience: { cleanup: { archive_after_days: 0 } } } });
  const handle = await it.runtime.spawn('task');
  await handle.result;
  const log = it.project.log(handle.id);
  await it.runtime.close();
  // A millisecond and a half.
  const cleanup = { archive_after_days: 1.7e-8, vacuum_interval_days: 1 };
  await using next = await startOn(it.project, parts, { config: { resilience: { cleanup } } });
  await expect.poll(() => next.list().length, { timeout: 8_000 }).toBe(0);
  expect(await next.thread(handle.id).status()).toMatchObject({ status: 'completed' });
  expect(await next.thread(handle.id).result).toMatchObject({ text: 'done' });
  expect(it.project.log(handle.id)).toEqual(log);
});

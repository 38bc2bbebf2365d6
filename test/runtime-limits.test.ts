import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { LimitOverrides, Runtime, ThreadHandle } from '../src/index.ts';
import { call, eventsOf, NEVER, refusal, scene, starterOf, until, type Part, type Scene } from './fixtures/scene.ts';
import { pricedModel } from './fixtures/priced-model.ts';

/** 10 cents for a call with 1,000 tokens of output; input is free, so that prompts may change. */
const PRICED = pricedModel({ output: 100 });
const CALL_USD = 0.1;

const USAGE = { input_tokens: 100, output_tokens: 100 };
const PARTS: Record<string, Part> = {
  busy: { says: [{ ...call('app_echo'), usage: USAGE }] },
  three: { says: [call('app_echo'), call('app_echo'), { text: 'done' }].map((rule) => ({ ...rule, usage: USAGE })) },
  endless: { says: [NEVER] },
  frugal: { limits: { turns: 2 }, says: [call('app_echo')] },
};

describe('A limit', () => {
  let it: Scene;
  beforeAll(async () => {
    it = await scene(PARTS, { config: { agent: PRICED } });
    await addEcho(it.runtime);
  });
  afterAll(() => it[Symbol.asyncDispose]());

  test('is hit before the call that would pass it, never after', async () => {
    const handle = await it.runtime.spawn('busy', {}, { limits: { turns: 3, spend: 5 } });
    await until(handle, 'thread_suspended');
    await handle.suspend();
    expect((await handle.status()).usage.turns).toBe(3);
    const calls = it.project.log(handle.id).filter(({ event_type }) => event_type === 'cognition_out');
    expect(calls).toHaveLength(3);
  });

  test('is not checked any more once the thread has ended', async () => {
    const handle = await it.runtime.spawn('three', {}, { limits: { turns: 3, spend: 5 } });
    expect(await handle.result).toMatchObject({ status: 'completed', cost: { turns: 3 } });
  });

  test('of the directive holds, and its caller may raise it', async () => {
    const own = await it.runtime.spawn('frugal', {}, { limits: { spend: 5 } });
    await until(own, 'thread_suspended');
    await own.cancel();
    expect((await own.result).cost.turns).toBe(2);
    const raised = await it.runtime.spawn('frugal', {}, { limits: { turns: 4, spend: 5 } });
    await until(raised, 'thread_suspended');
    await raised.cancel();
    expect((await raised.result).cost.turns).toBe(4);
  });

  test.each([
    ['turns', { turns: 1 }, { turns: 10 }],
    ['tokens', { tokens: 150 }, { tokens: 10_000 }],
    ['spend', { spend: CALL_USD }, { spend: 5 }],
  ])('of %s that was hit can be raised: the thread goes on where it stopped', async (_name, low, high) => {
    const handle = await it.runtime.spawn('three', {}, { limits: { spend: 5, ...low } });
    await until(handle, 'thread_suspended');
    await handle.suspend();
    await handle.resume(undefined, { limits: high });
    expect(await handle.result).toMatchObject({ status: 'completed', text: 'done', cost: { turns: 3 } });
  });

  test('that is not raised is hit again after a resume', async () => {
    const handle = await it.runtime.spawn('three', {}, { limits: { spend: 5, turns: 1 } });
    await until(handle, 'thread_suspended');
    await handle.suspend();
    await handle.resume();
    await until(handle, 'thread_suspended', ({ sequence = 0 }) => sequence > firstSuspension(it, handle));
    await handle.suspend();
    expect(await handle.status()).toMatchObject({ status: 'suspended', usage: { turns: 1 } });
  });

  test('of 0 USD that a thread is resumed with pays for no call', async () => {
    const resilience = { concurrency: { max_total_threads: 1 } };
    await using own = await scene(PARTS, { config: { agent: PRICED, resilience } });
    const first = await own.runtime.spawn('endless', {}, { limits: { spend: 5 } });
    await until(first, 'thread_started');
    // In line behind it.
    const handle = await own.runtime.spawn('three', {}, { limits: { spend: 5 } });
    await handle.suspend();
    await handle.resume(undefined, { limits: { spend: 0 } });
    await first.cancel();
    const { payload } = await until(
      handle,
      'thread_suspended',
      ({ payload: { suspend_reason: why } }) => why === 'limit',
    );
    expect(payload.message).toContain('spend_exceeded: 0 of 0');
    expect(own.project.ledger(handle.id)).toMatchObject({ max: 0, reserved: 0 });
  });

  test('of time ends a call that hangs', async () => {
    const handle = await it.runtime.spawn('endless', {}, { limits: { duration_seconds: 1, spend: 5 } });
    await until(handle, 'thread_suspended');
    const log = it.project.log(handle.id);
    expect(log.find(({ event_type }) => event_type === 'usage')?.payload).toMatchObject({ interrupted: true });
  });

  test('of time is not hit by a thread that is through in time', async () => {
    const handle = await it.runtime.spawn('three', {}, { limits: { duration_seconds: 600, spend: 5 } });
    await handle.result;
    const types = (await eventsOf(handle)).map(({ event_type }) => event_type);
    expect(types).not.toContain('limit_escalation_requested');
  });

  test('in resume must be one', async () => {
    const handle = await it.runtime.spawn('three', {}, { limits: { spend: 5, turns: 1 } });
    await until(handle, 'thread_suspended');
    await handle.suspend();
    const limits = { speed: 3 } as LimitOverrides;
    expect(await refusal(() => handle.resume(undefined, { limits }))).toMatchObject({ code: 'invalid_argument' });
    expect(await handle.status()).toMatchObject({ status: 'suspended' });
  });
});

describe('Money', () => {
  let it: Scene;
  beforeAll(async () => {
    it = await scene(PARTS, { config: { agent: PRICED } });
    await addEcho(it.runtime);
  });
  afterAll(() => it[Symbol.asyncDispose]());

  test('is counted exactly, in the result, the usage and the ledger', async () => {
    const handle = await it.runtime.spawn('three', {}, { limits: { spend: 5 } });
    const { cost } = await handle.result;
    expect(cost).toMatchObject({ turns: 3, inputTokens: 300, outputTokens: 300, spend: 0.03 });
    expect(await handle.usage()).toEqual({ own: cost, tree: { spend: 0.03 } });
    expect(it.project.ledger(handle.id)).toMatchObject({
      reserved: 0,
      actual: 30_000_000,
      committed: 30_000_000,
      status: 'released',
    });
  });

  test('for the worst case of a call is reserved before it is made', async () => {
    const handle = await it.runtime.spawn('endless', {}, { limits: { spend: 5 } });
    await until(handle, 'thread_started');
    expect(it.project.ledger(handle.id)).toMatchObject({ reserved: CALL_USD * 1e9, actual: 0 });
    await handle.cancel();
  });

  test('that does not cover the worst case of the first call lets no call be made', async () => {
    const handle = await it.runtime.spawn('three', {}, { limits: { spend: CALL_USD - 0.000_001 } });
    await until(handle, 'thread_suspended');
    await handle.cancel();
    expect(await handle.result).toMatchObject({ status: 'cancelled', cost: { turns: 0, spend: 0 } });
  });

  test('that just covers it does', async () => {
    const handle = await it.runtime.spawn('three', {}, { limits: { spend: CALL_USD + 0.02 } });
    expect(await handle.result).toMatchObject({ status: 'completed' });
  });

  test('beyond what was reserved is recorded in full, and the thread is suspended for it', async () => {
    const dear: Part = { says: [{ ...call('app_echo'), usage: { output_tokens: 5_000 } }] };
    await using own = await scene({ dear }, { config: { agent: PRICED } });
    await addEcho(own.runtime);
    const handle = await own.runtime.spawn('dear', {}, { limits: { spend: 5 } });
    const overspend = await until(handle, 'budget_overspend');
    expect(overspend.payload).toEqual({ reserved: 0.1, actual: 0.5 });
    await until(handle, 'thread_suspended', ({ payload }) => payload.suspend_reason === 'budget');
    expect(own.project.ledger(handle.id)).toMatchObject({ actual: 500_000_000, reserved: 0 });
    await handle.cancel();
  });
});

describe('A limit that a hook waives', () => {
  const hooks = { hooks: [{ id: 'waives', event: 'limit', action: { function: 'waive' } }] };
  const WAIVED: Record<string, Part> = {
    waived: {
      says: [call('app_echo'), call('app_echo'), { text: 'done' }].map((rule) => ({ ...rule, usage: USAGE })),
    },
    over: starterOf(['slow'], { text: 'over' }),
    // It has no more time than its parent; its call is made once more.
    slow: { says: [{ text: 'slept', delay_ms: 1_500 }] },
  };
  const WAIT = { resilience: { child_policy: { on_parent_complete: 'wait' } } };
  let own: Scene;
  const asked: string[] = [];
  let waives: readonly string[] = [];
  beforeAll(async () => {
    own = await scene(WAIVED, { config: { agent: PRICED, hooks, ...WAIT } });
    await addEcho(own.runtime);
    own.runtime.registerHook('waive', ({ context }) => {
      const code = String(context['limit_code']);
      asked.push(code);
      return { action: waives.includes(code) ? 'continue' : 'fail' };
    });
  });
  afterAll(() => own[Symbol.asyncDispose]());

  test.each([
    ['is the only one that is: the next one is held', ['turns_exceeded'], ['turns_exceeded', 'tokens_exceeded']],
    [
      'is waived for a turn, with others',
      ['turns_exceeded', 'tokens_exceeded'],
      ['turns_exceeded', 'tokens_exceeded', 'turns_exceeded', 'tokens_exceeded'],
    ],
  ])('%s', async (_name, those, expected) => {
    asked.length = 0;
    waives = those;
    const handle = await own.runtime.spawn('waived', {}, { limits: { turns: 1, tokens: 200, spend: 5 } });
    const { status, cost } = await handle.result;
    expect(asked).toEqual(expected);
    expect([status, cost.turns]).toEqual(those.length === 2 ? ['completed', 3] : ['error', 1]);
  });

  test('is not hit by a thread that is done, only by the child that it waits for', async () => {
    asked.length = 0;
    waives = ['duration_seconds_exceeded'];
    const handle = await own.runtime.spawn('over', {}, { limits: { duration_seconds: 0.7, spend: 5 } });
    expect(await handle.result).toMatchObject({ status: 'completed', text: 'over', cost: { turns: 2 } });
    expect(asked).toEqual(['duration_seconds_exceeded']);
    expect(own.project.log(handle.id).map(({ event_type }) => event_type)).toContain('child_thread_ended');
  });
});

async function addEcho(runtime: Runtime): Promise<void> {
  const input = z.object({});
  await runtime.registerTool({ id: 'app/echo', description: 'does nothing', input, idempotent: true, run: () => 'ok' });
}

function firstSuspension({ project }: Scene, handle: ThreadHandle<unknown>): number {
  return project.log(handle.id).find(({ event_type }) => event_type === 'thread_suspended')?.sequence ?? 0;
}

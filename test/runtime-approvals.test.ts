import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { Approval, LimitOverrides, Runtime, ThreadHandle } from '../src/index.ts';
import { echoTool } from './fixtures/echo-tool.ts';
import { call, give, refusal, scene, type Part, type Scene } from './fixtures/scene.ts';
import { pricedModel } from './fixtures/priced-model.ts';

const USAGE = { input_tokens: 100, output_tokens: 100 };
const PRICED = pricedModel({ output: 100 });

const decides = (event: string, how: string): string =>
  `<hook id="gate" event="${event}"><action function="${how}"/></hook>`;
const twoTurns: Part['says'] = [
  { ...call('app_echo', { text: 'x' }), usage: USAGE },
  { text: 'done', usage: USAGE },
];

/** What happens once in these threads, and what happens around each turn. */
const THROUGH = ['before_tool', 'after_tool', 'error', 'directive_return'] as const;
const AROUND = ['before_step', 'after_step'] as const;
/** Where all hooks are asked again after a suspension. */
const GUARDED = ['before_step', 'after_step', 'before_tool', 'directive_return'] as const;
const HOWS = ['suspend', 'escalate'] as const;

const PARTS: Record<string, Part> = {
  two: { says: twoTurns },
  ...Object.fromEntries(
    [...THROUGH, ...AROUND].flatMap((event) =>
      HOWS.map((how) => [
        `${event}_${how}`,
        {
          hooks: decides(event, how),
          says: saysFor(event),
          ...(event === 'directive_return' && { outputs: ['n:integer'] }),
        },
      ]),
    ),
  ),
  gentle: { hooks: decides('limit', 'suspend'), says: twoTurns },
  ...Object.fromEntries(
    GUARDED.map((event) => [
      `guarded_${event}`,
      {
        hooks: `${decides(event, 'suspend')}<hook id="guard" event="${event}"><action function="refuse"/></hook>`,
        says: saysFor(event),
        ...(event === 'directive_return' && { outputs: ['n:integer'] }),
      },
    ]),
  ),
  still: { limits: { turns: 5, spend: 0.5 }, says: [{ text: 'late', delay_ms: 600_000 }] },
};

function saysFor(event: string): Part['says'] {
  if (event === 'error')
    return [{ error: { type: 'Odd', message: 'no', status_code: 400 }, times: 1 }, { text: 'done' }];
  if (event === 'directive_return') return [give({ n: 1 })];
  return twoTurns;
}

let it: Scene;
beforeAll(async () => {
  it = await scene(PARTS, { config: { agent: PRICED } });
  await it.runtime.registerTool(echoTool());
  for (const action of HOWS) {
    it.runtime.registerHook(action, () => ({ action }));
  }
  it.runtime.registerHook('refuse', () => ({ action: 'fail', error: 'not here' }));
});
afterAll(() => it[Symbol.asyncDispose]());

/** A thread that is suspended, and what it asks. */
async function waiting(
  directive: string,
  limits: LimitOverrides = {},
): Promise<{ readonly handle: ThreadHandle; readonly request: Approval }> {
  const handle = await it.runtime.spawn(directive, {}, { limits: { spend: 5, ...limits } });
  await it.runtime.waitAll([handle.id]);
  return { handle, request: await requestOf(handle) };
}

async function requestOf({ id }: ThreadHandle<unknown>, runtime: Runtime = it.runtime): Promise<Approval> {
  const [request] = await runtime.approvals.list({ thread: id });
  if (!request) throw new Error(`${id} asks nothing: ${JSON.stringify(it.project.log(id).slice(-2))}`);
  return request;
}

describe('A request for approval', () => {
  test.each<[string, string, LimitOverrides, Partial<Approval>, object]>([
    ['two', 'turns_exceeded', { turns: 1 }, { currentValue: 1, currentMax: 1, suggested: 2 }, { turns: 9 }],
    [
      'two',
      'tokens_exceeded',
      { tokens: 150 },
      { currentValue: 200, currentMax: 150, suggested: 300 },
      { tokens: 999 },
    ],
    ['two', 'spend_exceeded', { spend: 0.105 }, { currentMax: 0.105, suggested: 0.21 }, { spend: 2 }],
  ])('of %s at %s has all that is needed to decide, and its grant lets the thread finish', async (...row) => {
    const [directive, limitCode, limits, values, grant] = row;
    const { handle, request } = await waiting(directive, limits);
    const askedBy = 'two, hook default_escalate_limit';
    expect(request).toMatchObject({ status: 'pending', reason: 'limit', limitCode, askedBy, directive, ...values });
    const granted = await it.runtime.approvals.grant(request.approvalId, { ...grant, by: 'ann' });
    expect(granted).toMatchObject({ status: 'granted', decidedBy: 'ann', granted: grant });
    expect(await handle.result).toMatchObject({ status: 'completed', text: 'done', cost: { turns: 2 } });
  });

  test('comes from a limit hook that suspends, too, without a suggestion', async () => {
    const { handle, request } = await waiting('gentle', { turns: 1 });
    expect(request).toMatchObject({ reason: 'limit', limitCode: 'turns_exceeded', askedBy: 'gentle, hook gate' });
    expect(request.suggested).toBeUndefined();
    await it.runtime.approvals.grant(request.approvalId, { turns: 5 });
    expect((await handle.result).status).toBe('completed');
  });

  test.each(THROUGH.flatMap((event) => HOWS.map((how) => [event, how] as const)))(
    'of a hook on %s that decides %s is granted once, and the thread goes on past it',
    async (event, how) => {
      const { handle, request } = await waiting(`${event}_${how}`);
      const reason = event === 'error' ? 'error' : 'approval';
      expect(request).toMatchObject({ reason, askedBy: `${event}_${how}, hook gate` });
      expect(request.limitCode).toBeUndefined();
      await it.runtime.approvals.grant(request.approvalId);
      expect((await handle.result).status).toBe('completed');
    },
  );

  test.each(GUARDED)('of one hook on %s is no grant for the others: a guard after it still decides', async (event) => {
    const { handle, request } = await waiting(`guarded_${event}`);
    await it.runtime.approvals.grant(request.approvalId);
    expect(await handle.result).toMatchObject({ status: 'error', error: { code: 'hook_failed', message: 'not here' } });
  });

  test.each(AROUND.flatMap((event) => HOWS.map((how) => [event, how] as const)))(
    'of a hook on %s that decides %s is granted for this turn, and asked again at the next',
    async (event, how) => {
      const { handle, request } = await waiting(`${event}_${how}`);
      await it.runtime.approvals.grant(request.approvalId);
      await vi.waitUntil(() => it.project.log(handle.id).some(({ event_type }) => event_type === 'thread_resumed'), {
        timeout: 10_000,
      });
      await it.runtime.waitAll([handle.id]);
      const requests = await it.runtime.approvals.list({ thread: handle.id });
      expect(requests.map(({ status }) => status)).toEqual(['pending', 'granted']);
      expect((await handle.status()).usage.turns).toBe(event === 'before_step' ? 1 : 2);
      await handle.cancel();
    },
  );

  test('is closed when its thread is cancelled, and says so', async () => {
    const heard: [string, string][] = [];
    const { approvals } = it.runtime;
    const stops = (['requested', 'resolved'] as const).map((what) =>
      approvals.on(what, ({ status, threadId }) => heard.push([`${what} ${status}`, threadId])),
    );
    const { handle, request } = await waiting('two', { turns: 1 });
    await handle.cancel();
    for (const stop of stops) stop();
    expect(heard).toEqual([
      ['requested pending', handle.id],
      ['resolved cancelled', handle.id],
    ]);
    expect(await refusal(() => approvals.grant(request.approvalId, { turns: 5 }))).toMatchObject({
      code: 'thread_ended',
    });
  });

  test('is settled by a plain resumption', async () => {
    const { handle, request } = await waiting('two', { turns: 1 });
    await handle.resume(undefined, { limits: { turns: 5 } });
    expect(await it.runtime.approvals.get(request.approvalId)).toMatchObject({
      status: 'granted',
      decidedBy: 'resume',
    });
    expect((await handle.result).status).toBe('completed');
  });
});

describe('An answer', () => {
  test('that comes through two doors at once counts once', async () => {
    const { handle, request } = await waiting('two', { turns: 1 });
    const { approvals } = it.runtime;
    const answers = await Promise.allSettled([
      approvals.grant(request.approvalId, { turns: 5, by: 'ann' }),
      approvals.grant(request.approvalId, { turns: 7, by: 'bob' }),
      approvals.deny(request.approvalId),
    ]);
    expect(answers.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected']);
    for (const answer of answers.slice(1)) {
      expect(answer).toMatchObject({ reason: { code: 'approval_settled' } });
    }
    expect((await handle.result).status).toBe('completed');
    const resolved = it.project.log(handle.id).filter(({ event_type }) => event_type === 'approval_resolved');
    expect(resolved.map(({ payload }) => payload)).toMatchObject([{ by: 'ann', granted: true }]);
  });

  test('that is a denial ends the thread with the code of its limit, once', async () => {
    const { handle, request } = await waiting('two', { turns: 1 });
    const { approvals } = it.runtime;
    expect(await approvals.deny(request.approvalId, { by: 'ann', message: 'no more' })).toMatchObject({
      status: 'denied',
    });
    expect(await handle.result).toMatchObject({ status: 'error', error: { code: 'turns_exceeded' } });
    const types = it.project.log(handle.id).map(({ event_type }) => event_type);
    expect(types.slice(-3)).toEqual(['thread_suspended', 'approval_resolved', 'thread_error']);
    expect(await refusal(() => approvals.deny(request.approvalId))).toMatchObject({ code: 'approval_settled' });
  });

  test.each<[string, object, string]>([
    ['nothing', {}, 'invalid_argument'],
    ['as much as there is', { turns: 1 }, 'invalid_argument'],
    ['something else', { tokens: 900_000 }, 'invalid_argument'],
    ['more of one and less of another', { turns: 5, tokens: 10 }, 'invalid_argument'],
    ['no number', { turns: 'five' }, 'invalid_argument'],
  ])('that grants %s is refused, and the request stays', async (_, grant, code) => {
    const { handle, request } = await waiting('two', { turns: 1 });
    expect(await refusal(() => it.runtime.approvals.grant(request.approvalId, grant))).toMatchObject({ code });
    expect(await requestOf(handle)).toEqual(request);
    await handle.cancel();
  });

  test('to nobody is refused', async () => {
    const unknown = await refusal(() => it.runtime.approvals.get('approval-nobody'));
    expect(unknown).toMatchObject({ code: 'approval_not_found' });
  });

  test('gives a child no more than its parent has', async () => {
    const { runtime } = it;
    const parent = await runtime.spawn('still');
    const handle = await runtime.spawn('two', {}, { parent: parent.id, limits: { turns: 1, spend: 0.2 } });
    await runtime.waitAll([handle.id]);
    const { approvalId } = await requestOf(handle);
    const tooMany = await refusal(() => runtime.approvals.grant(approvalId, { turns: 6 }));
    expect(tooMany).toMatchObject({ code: 'invalid_argument', message: expect.stringContaining('at most 5') });
    const tooDear = await refusal(() => runtime.approvals.grant(approvalId, { turns: 5, spend: 3 }));
    expect(tooDear).toMatchObject({ code: 'budget_refused', detail: { remaining: expect.any(Number) } });
    expect(await requestOf(handle)).toMatchObject({ status: 'pending' });
    expect(it.project.ledger(handle.id)?.max).toBe(200_000_000);
    await runtime.approvals.grant(approvalId, { turns: 5 });
    expect((await handle.result).status).toBe('completed');
    await parent.cancel();
  });
});

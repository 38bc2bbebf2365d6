import { describe, expect, test } from 'vitest';
import { call, give, NEVER, scene, SPAWN, THREAD_TOOLS, until, type Part, type Scene } from './fixtures/scene.ts';

/** What ships for the default model: 0.16 USD is reserved for an answer of the greatest length, and a child has 0.09 USD. */
const PRICE = { input: 2, output: 10, cache_read: 0.1, cache_write: 2.5 };
const agentWith = (model: object = {}): object => ({
  models: {
    main: { provider: 'scripted', context_window: 1_000_000, max_output_tokens: 16_384, price: PRICE, ...model },
  },
});

const usage = (output_tokens: number) => ({ usage: { input_tokens: 200, output_tokens } });
const LEAF: Part = { outputs: ['n:integer'], says: [{ ...give({ n: 7 }), ...usage(50) }] };

function start(parts: Readonly<Record<string, Part>>, model?: object): Promise<Scene> {
  return scene(parts, { config: { agent: agentWith(model) } });
}

describe('A budget below the worst case of a call', () => {
  test('pays for the calls of children that name no spend', async () => {
    const parent: Part = {
      tools: THREAD_TOOLS,
      says: [
        { ...call(SPAWN, { directive_name: 'leaf' }), ...usage(50) },
        { text: 'done', ...usage(50) },
      ],
    };
    await using it = await start({ parent, leaf: LEAF });
    const handle = await it.runtime.spawn('parent');
    expect(await handle.result).toMatchObject({ status: 'completed' });
    expect(it.runtime.list().map(({ status }) => status)).toEqual(['completed', 'completed']);
  });

  test('pays for the calls of their children too, if the root has more than what ships', async () => {
    const parent = (child: string): Part => ({
      tools: THREAD_TOOLS,
      says: [
        { ...call(SPAWN, { directive_name: child }), ...usage(50) },
        { text: 'done', ...usage(50) },
      ],
    });
    await using it = await start({ top: parent('middle'), middle: parent('leaf'), leaf: LEAF });
    const handle = await it.runtime.spawn('top', {}, { limits: { spend: 5 } });
    expect(await handle.result).toMatchObject({ status: 'completed' });
    expect(it.runtime.list().map(({ status }) => status)).toEqual(['completed', 'completed', 'completed']);
    for (const { id } of it.runtime.list()) expect(it.project.ledger(id)).toMatchObject({ reserved: 0 });
  });

  test('is reserved whole, but for what a token costs', async () => {
    await using it = await start({ small: { says: [NEVER] } });
    const handle = await it.runtime.spawn('small', {}, { limits: { spend: 0.05 } });
    const reserved = (): number => it.project.ledger(handle.id)?.reserved ?? 0;
    await expect.poll(reserved).toBeGreaterThan(50_000_000 - PRICE.output * 1_000);
    expect(reserved()).toBeLessThanOrEqual(50_000_000);
  });

  test('is short where it pays for less than 1,024 tokens: nothing is sent, and a person is asked for the whole call', async () => {
    await using it = await start(
      { small: { says: [{ text: 'done' }] } },
      { price: { ...PRICE, input: 0, cache_write: 0, cache_read: 0 } },
    );
    const enough = await it.runtime.spawn('small', {}, { limits: { spend: 0.010_24 } });
    expect(await enough.result).toMatchObject({ status: 'completed' });
    const short = await it.runtime.spawn('small', {}, { limits: { spend: 0.010_239 } });
    await until(short, 'thread_suspended');
    await short.suspend();
    expect(it.project.log(short.id).filter(({ event_type: type }) => type === 'usage')).toEqual([]);
    expect(await it.runtime.approvals.list()).toMatchObject([
      { message: 'spend_exceeded: 0 of 0.010239, and the next call may cost 0.16384', suggested: 0.16384 },
    ]);
  });

  test('does not pass off as done what it has cut off: the thread goes on, and a person is asked', async () => {
    const says = [
      { text: 'Once upon', finish_reason: 'length', ...usage(4_900) },
      { text: 'Once.', ...usage(100) },
    ] as const;
    await using it = await start({ tale: { says } });
    const handle = await it.runtime.spawn('tale', {}, { limits: { spend: 0.05 } });
    await until(handle, 'thread_suspended');
    await handle.suspend();
    expect(it.project.log(handle.id).map(({ event_type: type, payload }) => ({ type, payload }))).toContainEqual({
      type: 'cognition_in',
      payload: expect.objectContaining({ text: expect.stringContaining('cut off') }),
    });
    await handle.resume(undefined, { limits: { spend: 1 } });
    expect(await handle.result).toMatchObject({ status: 'completed', text: 'Once.', cost: { turns: 2 } });
  });

  test('lets the model hear of a call that it has cut off, and a person is asked', async () => {
    const says = [
      { ...give({ n: 7 }), break: { how: 'cut_tool' }, ...usage(4_900) },
      { ...give({ n: 7 }), ...usage(50) },
    ] as const;
    await using it = await start({ tale: { outputs: ['n:integer'], says } });
    const handle = await it.runtime.spawn('tale', {}, { limits: { spend: 0.05 } });
    await until(handle, 'thread_suspended');
    await handle.suspend();
    const heard = it.project.log(handle.id).find(({ event_type: type }) => type === 'tool_call_result');
    expect(heard?.payload).toMatchObject({ error: expect.stringContaining('cut off') });
    await handle.resume(undefined, { limits: { spend: 1 } });
    expect(await handle.result).toMatchObject({ status: 'completed', outputs: { n: 7 }, cost: { turns: 2 } });
  });

  test('is not what ended an answer of the model’s own greatest length', async () => {
    const says = [{ text: 'Once upon', finish_reason: 'length', ...usage(16_384) }] as const;
    await using it = await start({ tale: { says } });
    const handle = await it.runtime.spawn('tale', {}, { limits: { spend: 1 } });
    expect(await handle.result).toMatchObject({ status: 'completed', text: 'Once upon', cost: { turns: 1 } });
  });

  test('is what a resumption makes less of it', async () => {
    const says = [
      { ...call('nothing'), ...usage(1_000) },
      { text: 'done', ...usage(16_000) },
    ];
    await using it = await start({ tale: { limits: { turns: 1 }, says } });
    const handle = await it.runtime.spawn('tale', {}, { limits: { spend: 1 } });
    await until(handle, 'thread_suspended');
    await handle.suspend();
    await handle.resume(undefined, { limits: { turns: 9, spend: 0.012 } });
    await until(handle, 'approval_requested', ({ payload }) => payload.limit_code === 'spend_exceeded');
    await handle.suspend();
    expect(it.project.ledger(handle.id)).toMatchObject({ actual: 10_400_000, max: 12_000_000 });
  });

  test('is what its children leave of it', async () => {
    const parent: Part = {
      tools: THREAD_TOOLS,
      says: [
        { ...call(SPAWN, { directive_name: 'holder', async_exec: true }), ...usage(50) },
        { text: 'done', ...usage(50) },
      ],
    };
    const holder: Part = { limits: { spend: 0.14 }, says: [NEVER] };
    await using it = await start({ parent, holder });
    const handle = await it.runtime.spawn('parent', {}, { limits: { spend: 0.2 } });
    expect(await handle.result).toMatchObject({ status: 'completed', cost: { turns: 2 } });
  });
});

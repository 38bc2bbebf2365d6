import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { EventPayloads } from '../src/core/events.ts';
import type { ThreadHandle } from '../src/index.ts';
import {
  call,
  eventsOf,
  give,
  NEVER,
  ORCHESTRATE,
  refusal,
  scene,
  SPAWN,
  starterOf,
  THREAD_TOOLS,
  until,
  type Part,
  type Project,
  type Rule,
  type Scene,
  type SceneOptions,
} from './fixtures/scene.ts';

/** A directive that spawns these directives in one message and ends when they have. */
function parentOf(...children: readonly string[]): Part {
  const calls = children.map((directive_name) => ({ name: SPAWN, input: { directive_name } }));
  return { tools: THREAD_TOOLS, says: [{ tool_calls: calls }, { text: 'parent done' }] };
}

/** Directives of the shared runtime. */
const SHARED: Record<string, Part> = {};
let sharedScene: Scene;

beforeAll(async () => {
  sharedScene = await scene(SHARED, slots(500));
});
afterAll(() => sharedScene[Symbol.asyncDispose]());

const LEAF: Part = { outputs: ['n:integer'], says: [give({ n: 7 })] };
const ENDLESS: Part = { says: [NEVER] };
/** Waits for the threads of the last message. */
const WAIT_FOR_ALL = (timeout?: number): Omit<Rule, 'directive'> => ({
  collect: { ids: { over: '${last.results}', as: 'one', value: '${one.thread_id}' } },
  ...call(ORCHESTRATE, {
    operation: 'wait_threads',
    thread_ids: '${collected.ids}',
    ...(timeout !== undefined && { timeout }),
  }),
});

describe('A child thread', () => {
  test(
    'is waited for, and its result comes back as S2 says, key for key',
    onShared(
      () => ({ parent: parentOf('leaf'), leaf: LEAF }),
      async (it) => {
        const handle = await it.spawn('parent');
        expect(await handle.result).toMatchObject({ status: 'completed', text: 'parent done' });
        const [child] = it.runtime.list({ parent: handle.id });
        expect(resultsIn(it.project, handle.id)).toEqual([
          {
            success: true,
            thread_id: child?.id,
            directive: it.id('leaf'),
            status: 'completed',
            result: { n: 7 },
            cost: { turns: 1, input_tokens: expect.any(Number), output_tokens: expect.any(Number), spend: 0 },
            error: null,
          },
        ]);
      },
    ),
  );

  test(
    'is told of in the log of its parent, and knows its parent',
    onShared(
      () => ({ parent: parentOf('leaf'), leaf: LEAF }),
      async (it) => {
        const handle = await it.spawn('parent');
        const events = await eventsOf(handle);
        const [child] = it.runtime.list({ parent: handle.id });
        expect(events.find(({ event_type }) => event_type === 'child_thread_started')?.payload).toEqual({
          child_thread_id: child?.id,
          child_directive: it.id('leaf'),
          parent_thread_id: handle.id,
        });
        expect(events.find(({ event_type }) => event_type === 'child_thread_ended')?.payload).toMatchObject({
          child_thread_id: child?.id,
          status: 'completed',
          cost: { turns: 1 },
        });
        expect(it.project.log(child?.id ?? '')[0]?.payload).toMatchObject({ parent_thread_id: handle.id });
      },
    ),
  );

  test(
    'is told of while its parent still waits for it',
    onShared(
      () => ({ parent: parentOf('endless'), endless: ENDLESS }),
      async (it) => {
        const handle = await it.spawn('parent');
        const event = await until(handle, 'child_thread_started');
        expect(it.project.log(handle.id).map(({ event_type }) => event_type)).toContain('child_thread_started');
        expect(event.payload.child_thread_id).toBe(it.runtime.list({ parent: handle.id })[0]?.id);
      },
    ),
  );

  test(
    'that is not waited for returns its id at once',
    onShared(
      () => ({ parent: starterOf(['endless'], { text: 'gone' }), endless: ENDLESS }),
      async (it) => {
        const handle = await it.spawn('parent');
        await handle.result;
        const [child] = it.runtime.list({ parent: handle.id });
        expect(resultsIn(it.project, handle.id)).toEqual([
          {
            success: true,
            thread_id: child?.id,
            status: 'running',
            directive: it.id('endless'),
            control: expect.objectContaining({
              wait: expect.any(String),
              cancel: expect.any(String),
              status: expect.any(String),
            }),
          },
        ]);
      },
    ),
  );

  test(
    'that fails is a result with success false, and the parent goes on',
    onShared(
      () => {
        const broken: Part = { says: [{ error: { status_code: 400, message: 'bad' } }] };
        return { parent: parentOf('broken'), broken };
      },
      async (it) => {
        const handle = await it.spawn('parent');
        expect(await handle.result).toMatchObject({ status: 'completed' });
        expect(resultsIn(it.project, handle.id)).toEqual([
          expect.objectContaining({ success: false, status: 'error', error: expect.stringContaining('bad') }),
        ]);
      },
    ),
  );

  test(
    'of a directive that does not exist is an error to the model',
    onShared(
      () => ({ parent: parentOf('no/such') }),
      async (it) => {
        const handle = await it.spawn('parent');
        expect(errorsIn(it.project, await ended(handle))).toEqual([expect.stringContaining('[item_not_found]')]);
      },
    ),
  );

  test(
    'may do no more than its parent, whatever it declares',
    onShared(
      () => {
        const greedy: Part = { tools: ['*'], says: [call('rye_file_system_ls', { path: '.' }), { text: 'tried' }] };
        return { parent: parentOf('greedy'), greedy };
      },
      async (it) => {
        const handle = await it.spawn('parent');
        await handle.result;
        const [child] = it.runtime.list({ parent: handle.id });
        expect(errorsIn(it.project, child?.id ?? '')).toEqual([
          expect.stringMatching(/permission_denied|tool_unknown/),
        ]);
      },
    ),
  );

  test(
    'has no more of any limit than its parent, and one level less',
    onShared(
      () => {
        const asking: Part = {
          ...LEAF,
          limits: { turns: 1000, tokens: 9_000_000, depth: 50, duration_seconds: 9_999 },
        };
        return { parent: parentOf('asking'), asking };
      },
      async (it) => {
        const limits = { turns: 7, tokens: 70_000, depth: 3, duration_seconds: 77, spend: 2, spawns: 4 };
        const handle = await it.spawn('parent', {}, { limits });
        await handle.result;
        const [child] = it.runtime.list({ parent: handle.id });
        expect(it.project.log(child?.id ?? '')[0]?.payload).toMatchObject({
          limits: { turns: 7, tokens: 70_000, depth: 2, duration_seconds: 77 },
        });
      },
    ),
  );

  test('is paid for by its parent: the spend of a tree is visible at its root', async () => {
    const price = { input: 0, output: 100, cache_read: 0, cache_write: 0 };
    const models = { main: { provider: 'scripted', context_window: 200_000, max_output_tokens: 100, price } };
    const usage = { input_tokens: 0, output_tokens: 100 };
    const paid = (part: Part): Part => ({ ...part, says: part.says.map((rule) => ({ ...rule, usage })) });
    await using it = await scene(
      { top: paid(parentOf('middle')), middle: paid(parentOf('leaf')), leaf: paid(LEAF) },
      { config: { agent: { models } } },
    );
    const handle = await it.runtime.spawn('top', {}, { limits: { spend: 10 } });
    await handle.result;
    expect(await handle.usage()).toMatchObject({ own: { spend: 0.02 }, tree: { spend: 0.05 } });
    for (const { id } of it.runtime.list()) expect(it.project.ledger(id)).toMatchObject({ reserved: 0 });
    expect(it.project.ledger(handle.id)).toMatchObject({ actual: 50_000_000, committed: 50_000_000 });
  });
});

describe('A child spawned by the host', () => {
  const parts = { parent: ENDLESS, leaf: LEAF, endless: ENDLESS };

  test(
    'has its parent’s limits, and its parent is told of it',
    onShared(
      () => parts,
      async (it) => {
        const parent = await it.spawn('parent', {}, { limits: { turns: 3, depth: 2 } });
        await until(parent, 'thread_started');
        const child = await it.spawn('leaf', {}, { parent: parent.id });
        expect(await child.result).toMatchObject({ status: 'completed', outputs: { n: 7 } });
        expect(it.project.log(child.id)[0]?.payload).toMatchObject({
          parent_thread_id: parent.id,
          limits: { turns: 3, depth: 1 },
        });
        expect(it.runtime.list({ parent: parent.id }).map(({ id }) => id)).toEqual([child.id]);
        await parent.cancel();
        const told = it.project.log(parent.id).map(({ event_type }) => event_type);
        expect(told).toEqual(expect.arrayContaining(['child_thread_started', 'child_thread_ended']));
      },
    ),
  );

  test(
    'may do no more than its parent',
    onShared(
      () => {
        const tools: Part = { tools: ['*'], says: [call('rye_file_system_ls', { path: '.' }), { text: 'tried' }] };
        return { parent: { ...ENDLESS, tools: THREAD_TOOLS }, tools };
      },
      async (it) => {
        const parent = await it.spawn('parent');
        await until(parent, 'thread_started');
        const child = await it.spawn('tools', {}, { parent: parent.id });
        await child.result;
        expect(errorsIn(it.project, child.id)).toEqual([expect.stringMatching(/permission_denied|tool_unknown/)]);
      },
    ),
  );

  test(
    'is cancelled with its parent',
    onShared(
      () => parts,
      async (it) => {
        const parent = await it.spawn('parent');
        await until(parent, 'thread_started');
        const child = await it.spawn('endless', {}, { parent: parent.id });
        await parent.cancel();
        expect(await child.result).toMatchObject({ status: 'cancelled' });
      },
    ),
  );

  test(
    'is refused below a parent that has ended',
    onShared(
      () => parts,
      async (it) => {
        const parent = await it.spawn('parent');
        await until(parent, 'thread_started');
        await parent.cancel();
        expect(await refusal(() => it.spawn('leaf', {}, { parent: parent.id }))).toMatchObject({
          code: expect.stringMatching(/thread_ended|invalid_argument/),
        });
      },
    ),
  );
});

describe('Limits of a tree', () => {
  test(
    'spawns: one child too many is an error to the model, and the thread goes on',
    onShared(
      () => ({ parent: parentOf('leaf', 'leaf', 'leaf'), leaf: LEAF }),
      async (it) => {
        const handle = await it.spawn('parent', {}, { limits: { spawns: 2 } });
        expect(await handle.result).toMatchObject({ status: 'completed' });
        expect(errorsIn(it.project, handle.id)).toEqual([expect.stringContaining('[spawns_exceeded]')]);
        expect(it.runtime.list({ parent: handle.id })).toHaveLength(2);
      },
    ),
  );

  test(
    'spawns: counts the whole tree below a thread',
    onShared(
      () => ({ top: parentOf('middle', 'middle'), middle: parentOf('leaf'), leaf: LEAF }),
      async (it) => {
        const handle = await it.spawn('top', {}, { limits: { spawns: 3 } });
        expect(await handle.result).toMatchObject({ status: 'completed' });
        expect(it.all()).toHaveLength(1 + 3);
      },
    ),
  );

  test(
    'depth: a child too deep is an error to the model',
    onShared(
      () => ({ top: parentOf('middle'), middle: parentOf('leaf'), leaf: LEAF }),
      async (it) => {
        const handle = await it.spawn('top', {}, { limits: { depth: 1 } });
        expect(await handle.result).toMatchObject({ status: 'completed' });
        const [middle] = it.runtime.list({ parent: handle.id });
        expect(errorsIn(it.project, middle?.id ?? '')).toEqual([expect.stringContaining('[depth_exceeded]')]);
        expect(it.all()).toHaveLength(2);
      },
    ),
  );

  test(
    'spend: a fan-out of ten children works by default, one a turn',
    onShared(
      () => {
        const spawn = call(SPAWN, { directive_name: 'endless', async_exec: true });
        const fan: Part = {
          tools: THREAD_TOOLS,
          says: [...Array.from({ length: 10 }, () => spawn), { text: 'all there' }],
        };
        return { fan, endless: ENDLESS };
      },
      async (it) => {
        const handle = await it.spawn('fan');
        expect(await handle.result).toMatchObject({ status: 'completed' });
        expect(errorsIn(it.project, handle.id)).toEqual([]);
        expect(it.runtime.list({ parent: handle.id })).toHaveLength(10);
      },
    ),
  );

  test(
    'spend: a child that asks for more than is left is refused, and nothing is started',
    onShared(
      () => {
        const costly: Part = { ...LEAF, limits: { spend: 3 } };
        return {
          parent: starterOf(['endless', 'costly'], { text: 'done' }),
          endless: ENDLESS,
          costly,
        };
      },
      async (it) => {
        const handle = await it.spawn('parent', {}, { limits: { spend: 2 } });
        await handle.result;
        const node = it.project.ledger(handle.id);
        expect(node?.committed).toBeLessThanOrEqual(node?.max ?? 0);
      },
    ),
  );
});

describe('Slots', () => {
  const deep: Record<string, Part> = {
    d0: parentOf('d1'),
    d1: parentOf('d2'),
    d2: parentOf('d3'),
    d3: parentOf('leaf'),
    leaf: LEAF,
  };

  test.each([1, 2])('%d are enough for a tree of depth 4 in which everybody waits for a child', async (max) => {
    await using it = await scene(deep, slots(max));
    const handle = await it.runtime.spawn('d0');
    expect(await handle.result).toMatchObject({ status: 'completed' });
    expect(it.runtime.list({ status: ['completed'] })).toHaveLength(5);
    expect((await it.runtime.view()).running).toBe(0);
  });

  test.each([1, 2])('%d are enough for two trees at once', async (max) => {
    await using it = await scene(deep, slots(max));
    const handles = await Promise.all([it.runtime.spawn('d0'), it.runtime.spawn('d0')]);
    for (const handle of handles) expect(await handle.result).toMatchObject({ status: 'completed' });
  });

  test('one is enough for a parent that waits for several children of one message', async () => {
    await using it = await scene({ parent: parentOf('leaf', 'leaf', 'leaf'), leaf: LEAF }, slots(1));
    const handle = await it.runtime.spawn('parent');
    expect(await handle.result).toMatchObject({ status: 'completed' });
  });

  test('one is enough for a parent that starts children and waits for them later', async () => {
    const parent = starterOf(['leaf', 'leaf', 'leaf'], WAIT_FOR_ALL(), { text: 'done' });
    await using it = await scene({ parent, leaf: LEAF }, slots(1));
    const handle = await it.runtime.spawn('parent');
    expect(await handle.result).toMatchObject({ status: 'completed' });
    expect(resultsIn(it.project, handle.id).at(-1)).toMatchObject({ success: true });
  });

  test('one is enough for a parent that must end after its children', async () => {
    const config = { child_policy: { on_parent_complete: 'wait' } };
    await using it = await scene({ parent: starterOf(['leaf'], { text: 'done' }), leaf: LEAF }, slots(1, config));
    const handle = await it.runtime.spawn('parent');
    expect(await handle.result).toMatchObject({ status: 'completed' });
  });

  test('are never exceeded: a parent that does not wait keeps its own', async () => {
    const parent = starterOf(['endless'], NEVER);
    await using it = await scene({ parent, endless: ENDLESS }, slots(1));
    const handle = await it.runtime.spawn('parent');
    // Its second call is in flight once the results of the first are on disk.
    await until(handle, 'tool_call_result');
    const { running, queued, workers } = await it.runtime.view();
    expect({ running, queued, threads: workers[0]?.threads }).toEqual({ running: 1, queued: 1, threads: 1 });
  });

  test('go on being used after a waiting parent was cancelled', async () => {
    const parent = starterOf(['endless'], WAIT_FOR_ALL(0.02), { text: 'done' });
    await using it = await scene({ parent, endless: ENDLESS, leaf: LEAF }, slots(1));
    const first = started(it, 'endless', 1);
    const handle = await it.runtime.spawn('parent');
    // The child has the slot now; the parent's wait times out, and it stands in line to go on.
    await first;
    const child = childOf(it, handle);
    await it.runtime.waitAll([child.id], { timeoutMs: 60 });
    await handle.cancel();
    expect(await child.result).toMatchObject({ status: 'cancelled' });
    const next = await it.runtime.spawn('leaf');
    expect(await next.result).toMatchObject({ status: 'completed' });
    expect((await it.runtime.view()).running).toBe(0);
  });

  test('of children are at most max_concurrent_children, and that many are used', async () => {
    const child: Part = { says: [call('app_meet'), { text: 'done' }] };
    const parent = { ...parentOf(...Array.from({ length: 6 }, () => 'child')), tools: ['*'] };
    const options = slots(20, { concurrency: { max_concurrent_children: 2, max_total_threads: 20 } });
    await using it = await scene({ parent, child }, options);
    let present = 0;
    let most = 0;
    let meeting = Promise.withResolvers<void>();
    await it.runtime.registerTool({
      id: 'app/meet',
      description: 'waits for a second one',
      input: z.object({}),
      async run() {
        present++;
        const { promise } = meeting;
        if (present === 2) {
          // Whoever else is let in arrives before this answer does.
          await it.runtime.view();
          most = Math.max(most, present);
          meeting.resolve();
          meeting = Promise.withResolvers();
          present = 0;
        }
        await promise;
      },
    });
    const handle = await it.runtime.spawn('parent');
    expect(await handle.result).toMatchObject({ status: 'completed' });
    expect(most).toBe(2);
  });

  test('hold back roots beyond max_total_threads, which start as others end', async () => {
    await using it = await scene({ leaf: LEAF, endless: ENDLESS }, slots(1));
    const first = await it.runtime.spawn('endless');
    await until(first, 'thread_started');
    const second = await it.runtime.spawn('leaf');
    expect(await second.status()).toMatchObject({ status: 'created', state: 'queued' });
    expect(await it.runtime.view()).toMatchObject({ running: 1, queued: 1 });
    await first.cancel();
    expect(await second.result).toMatchObject({ status: 'completed' });
  });

  test('are not needed to cancel a thread that stands in line', async () => {
    await using it = await scene({ leaf: LEAF, endless: ENDLESS }, slots(1));
    const first = await it.runtime.spawn('endless');
    const second = await it.runtime.spawn('leaf');
    const third = await it.runtime.spawn('leaf');
    await second.cancel('no longer wanted');
    expect(await second.result).toMatchObject({ status: 'cancelled', cost: { turns: 0 } });
    expect(it.project.log(second.id).map(({ event_type }) => event_type)).toEqual(['thread_cancelled']);
    await first.cancel();
    expect(await third.result).toMatchObject({ status: 'completed' });
  });

  test('are not needed to suspend a thread that stands in line', async () => {
    await using it = await scene({ leaf: LEAF, endless: ENDLESS }, slots(1));
    const first = await it.runtime.spawn('endless');
    const second = await it.runtime.spawn('leaf');
    await second.suspend();
    expect(await second.status()).toMatchObject({ status: 'suspended', suspendReason: 'user' });
    await second.resume();
    await first.cancel();
    expect(await second.result).toMatchObject({ status: 'completed', outputs: { n: 7 } });
  });
});

describe('Waiting for threads', () => {
  test(
    'gives results in the order asked, and success only if all completed',
    onShared(
      () => {
        const broken: Part = { says: [{ error: { status_code: 400 } }] };
        const parent = starterOf(['leaf', 'broken', 'leaf'], WAIT_FOR_ALL(), { text: 'done' });
        return { parent, leaf: LEAF, broken };
      },
      async (it) => {
        const handle = await it.spawn('parent');
        await handle.result;
        const waited = resultsIn(it.project, handle.id).at(-1) as { success: boolean; results: { status: string }[] };
        expect(waited.success).toBe(false);
        expect(waited.results.map(({ status }) => status)).toEqual(['completed', 'error', 'completed']);
      },
    ),
  );

  test(
    'has one deadline for all of them',
    onShared(
      () => {
        const parent = starterOf(['endless', 'endless', 'leaf'], WAIT_FOR_ALL(0.05), { text: 'done' });
        return { parent, endless: ENDLESS, leaf: LEAF };
      },
      async (it) => {
        const handle = await it.spawn('parent');
        expect(await handle.result).toMatchObject({ status: 'completed' });
        const waited = resultsIn(it.project, handle.id).at(-1) as { results: { status: string }[] };
        expect(waited.results.map(({ status }) => status).slice(0, 2)).toEqual(['timeout', 'timeout']);
      },
    ),
  );

  test('for too many at once is an error that names the number', async () => {
    const parent = starterOf(['leaf', 'leaf', 'leaf'], WAIT_FOR_ALL(), { text: 'done' });
    await using it = await scene({ parent, leaf: LEAF }, slots(20, { coordination: { max_wait_thread_ids: 2 } }));
    const handle = await it.runtime.spawn('parent');
    await handle.result;
    expect(errorsIn(it.project, handle.id)).toEqual([expect.stringContaining('2')]);
  });

  test('with fail_fast is over with the first failure', async () => {
    const broken: Part = { says: [{ error: { status_code: 400 } }] };
    const parent = starterOf(['endless', 'broken'], WAIT_FOR_ALL(), { text: 'done' });
    await using it = await scene(
      { parent, endless: ENDLESS, broken },
      slots(20, { coordination: { fail_fast: true } }),
    );
    const handle = await it.runtime.spawn('parent');
    expect(await handle.result).toMatchObject({ status: 'completed' });
  });

  test(
    'for a thread that does not exist says so',
    onShared(
      () => {
        const ids = ['thread-00000000000000000000000000000000'];
        const wait = call(ORCHESTRATE, { operation: 'wait_threads', thread_ids: ids });
        return { parent: { tools: THREAD_TOOLS, says: [wait, { text: 'done' }] } };
      },
      async (it) => {
        const handle = await it.spawn('parent');
        await handle.result;
        expect(resultsIn(it.project, handle.id).at(-1)).toMatchObject({
          success: false,
          results: [{ status: 'not_found' }],
        });
      },
    ),
  );

  test(
    'hears of a child that is suspended, instead of waiting for a person',
    onShared(
      () => {
        const stuck: Part = { limits: { turns: 1 }, says: [call(ORCHESTRATE, { operation: 'list_active' })] };
        return { parent: parentOf('stuck'), stuck };
      },
      async (it) => {
        const handle = await it.spawn('parent');
        expect(await handle.result).toMatchObject({ status: 'completed' });
        expect(resultsIn(it.project, handle.id)).toEqual([
          expect.objectContaining({
            success: false,
            status: 'suspended',
            error: 'suspended: limit',
            cost: expect.objectContaining({ turns: 1 }),
          }),
        ]);
      },
    ),
  );
});

describe('The orchestrator', () => {
  test(
    'tells status, cancels, and lists what runs',
    onShared(
      () => {
        const ask = (operation: string): Omit<Rule, 'directive'> =>
          call(ORCHESTRATE, { operation, thread_id: `\${all.${SPAWN}.0.thread_id}` });
        const says = [ask('get_status'), ask('list_active'), ask('cancel_thread'), { text: 'done' }];
        return { parent: starterOf(['endless'], ...says), endless: ENDLESS };
      },
      async (it) => {
        const handle = await it.spawn('parent');
        await handle.result;
        const [child] = it.runtime.list({ parent: handle.id });
        const [, status, active, cancelled] = resultsIn(it.project, handle.id);
        expect(status).toEqual({
          success: true,
          thread_id: child?.id,
          directive: it.id('endless'),
          status: expect.stringMatching(/created|running/),
          cost: { turns: 0, input_tokens: 0, output_tokens: 0, spend: 0 },
          tree_spend: 0,
          parent_thread_id: handle.id,
        });
        // What others run beside it is none of its business.
        expect(active).toEqual({ success: true, count: 1, active_threads: [child?.id] });
        expect(cancelled).toEqual({ success: true, cancelled: child?.id });
        expect(await it.runtime.thread(child?.id ?? '').result).toMatchObject({ status: 'cancelled' });
      },
    ),
  );

  test.each(['get_status', 'cancel_thread'])(
    'answers %s of an unknown thread with success false',
    async (operation) => {
      const says = [call(ORCHESTRATE, { operation, thread_id: 'thread-no' }), { text: 'done' }];
      await using it = await scene({ parent: { tools: THREAD_TOOLS, says } });
      const handle = await it.runtime.spawn('parent');
      await handle.result;
      expect(resultsIn(it.project, handle.id)).toEqual([expect.objectContaining({ success: false })]);
    },
  );
});

describe('Cancelling a tree', () => {
  test(
    'takes everybody below, and every ending is on disk',
    onShared(
      () => ({ top: parentOf('middle', 'endless'), middle: parentOf('endless'), endless: ENDLESS }),
      async (it) => {
        const all = started(it, it.id('endless'), 2);
        const handle = await it.spawn('top');
        await all;
        await handle.cancel('all of it');
        for (const { id } of it.all()) {
          expect(await it.runtime.thread(id).result).toMatchObject({ status: 'cancelled' });
          expect(it.project.log(id).filter(({ event_type }) => event_type === 'thread_cancelled')).toHaveLength(1);
          expect(it.project.ledger(id)).toMatchObject({ status: 'released', reserved: 0 });
        }
        expect(it.all()).toHaveLength(4);
      },
    ),
  );

  test('is no problem, whatever ends first', async () => {
    const hooks = `<hook id="wait" event="before_step"><action function="wait"/></hook>`;
    const parts = { top: parentOf('middle', 'endless'), middle: parentOf('endless'), endless: { ...ENDLESS, hooks } };
    await using it = await scene({ ...parts, leaf: LEAF });
    const problems: unknown[] = [];
    it.runtime.on('problem', (failure) => problems.push(failure));
    const waiting = Promise.withResolvers<void>();
    const both = Promise.withResolvers<void>();
    let asked = 0;
    it.runtime.registerHook('wait', async () => {
      if (++asked === 2) both.resolve();
      await waiting.promise;
    });
    const handle = await it.runtime.spawn('top');
    await both.promise;
    await handle.cancel();
    for (const { id } of it.runtime.list()) await it.runtime.thread(id).result;
    // Their hooks fail after the end; whatever the worker says about that comes before the end of a later thread.
    waiting.reject(new Error('too late'));
    const later = await it.runtime.spawn('leaf');
    expect(await later.result).toMatchObject({ status: 'completed' });
    expect([problems, it.runtime.list({ status: ['cancelled'] }).length]).toEqual([[], 4]);
  });

  test(
    'takes those below a child that has ended before',
    onShared(
      () => {
        const middle = starterOf(['endless'], { text: 'middle done' });
        const top: Part = { ...parentOf('middle'), says: [...parentOf('middle').says.slice(0, 1), NEVER] };
        return { top, middle, endless: ENDLESS };
      },
      async (it) => {
        const handle = await it.spawn('top');
        await until(handle, 'tool_call_result');
        await handle.cancel();
        const [endless] = it.runtime.list({ directive: it.id('endless') });
        expect(await it.runtime.thread(endless?.id ?? '').result).toMatchObject({ status: 'cancelled' });
      },
    ),
  );

  test(
    'leaves a tree beside it alone',
    onShared(
      () => ({ top: parentOf('endless'), endless: ENDLESS }),
      async (it) => {
        const both = started(it, it.id('endless'), 2);
        const [one, other] = await Promise.all([it.spawn('top'), it.spawn('top')]);
        await both;
        await one.cancel();
        expect(await other.status()).toMatchObject({ status: 'running' });
        expect(it.runtime.list({ parent: other.id })[0]).toMatchObject({
          status: expect.stringMatching(/created|running/),
        });
      },
    ),
  );
});

describe('The child policy', () => {
  const parts = { parent: starterOf(['endless'], { text: 'done' }), endless: ENDLESS };

  test('allow lets a child go on after its parent has completed', async () => {
    await using it = await scene(parts, policy({ on_parent_complete: 'allow' }));
    const handle = await it.runtime.spawn('parent');
    await handle.result;
    const child = childOf(it, handle);
    await until(child, 'thread_started');
    expect(await child.status()).toMatchObject({ status: 'running' });
  });

  test('cascade_cancel ends it with its parent', async () => {
    await using it = await scene(parts, policy({ on_parent_complete: 'cascade_cancel' }));
    const handle = await it.runtime.spawn('parent');
    await handle.result;
    expect(await childOf(it, handle).result).toMatchObject({
      status: 'cancelled',
      error: { message: expect.stringContaining(handle.id) },
    });
  });

  test('wait ends the parent after its children', async () => {
    const slow: Part = { says: [{ text: 'child done', delay_ms: 60 }] };
    await using it = await scene(
      { parent: starterOf(['slow', 'slow'], { text: 'done' }), slow },
      policy({ on_parent_complete: 'wait' }),
    );
    const handle = await it.runtime.spawn('parent');
    expect(await handle.result).toMatchObject({ status: 'completed' });
    const types = it.project.log(handle.id).map(({ event_type }) => event_type);
    expect(types.filter((type) => type === 'child_thread_ended')).toHaveLength(2);
    expect(types.at(-1)).toBe('thread_completed');
  });

  test('wait refuses a message to a parent that only waits for its children: it takes no more turns', async () => {
    await using it = await scene(parts, policy({ on_parent_complete: 'wait' }));
    const handle = await it.runtime.spawn('parent');
    await expect.poll(async () => (await handle.status()).state).toBe('running.joining');
    expect(await refusal(() => handle.send('one more thing'))).toMatchObject({
      name: 'SkeinError',
      code: 'thread_ended',
      message: expect.stringContaining('takes no more turns'),
    });
    await childOf(it, handle).cancel();
    expect(await handle.result).toMatchObject({ status: 'completed', text: 'done' });
  });

  test.each([
    ['cascade_cancel', 'cancelled'],
    ['allow', 'created|running'],
  ])('%s for a parent that fails leaves its child %s', async (choice, status) => {
    const failing = starterOf(['endless'], { error: { status_code: 400 } });
    await using it = await scene({ parent: failing, endless: ENDLESS }, policy({ on_parent_error: choice }));
    const handle = await it.runtime.spawn('parent');
    expect(await handle.result).toMatchObject({ status: 'error' });
    const child = childOf(it, handle);
    await it.runtime.waitAll([child.id], { timeoutMs: status === 'cancelled' ? 5_000 : 0 });
    expect(await child.status()).toMatchObject({ status: expect.stringMatching(status) });
  });

  test('allow for a parent that is cancelled leaves its child running', async () => {
    await using it = await scene(
      { parent: parentOf('endless'), endless: ENDLESS },
      policy({ on_parent_cancel: 'allow' }),
    );
    const first = started(it, 'endless', 1);
    const handle = await it.runtime.spawn('parent');
    await first;
    const child = childOf(it, handle);
    await handle.cancel();
    expect(await child.status()).toMatchObject({ status: 'running' });
  });
});

/** Resolves when that many threads of a directive have started. */
function started({ runtime }: Pick<Scene, 'runtime'>, directive: string, count: number): Promise<void> {
  const all = Promise.withResolvers<void>();
  let left = count;
  const stop = runtime.on('thread_started', ({ payload }) => {
    if (payload.directive !== directive || --left > 0) return;
    stop();
    all.resolve();
  });
  return all.promise;
}

/** The runtime that most tests share: each has its own directives on it. */
type SharedScene = Pick<Scene, 'project' | 'runtime'> & {
  readonly spawn: Scene['runtime']['spawn'];
  /** The id under which the test's directive of this name is known. */
  readonly id: (name: string) => string;
  /** All threads of the test. */
  readonly all: () => ReturnType<Scene['runtime']['list']>;
};

/** A test's work on the shared runtime. Its directives are added while tests are collected, before the runtime starts. */
function onShared(
  makeParts: () => Readonly<Record<string, Part>>,
  run: (it: SharedScene) => Promise<void>,
): () => Promise<void> {
  const parts = makeParts();
  const id = (name: string): string => (Object.hasOwn(parts, name) ? `${prefix}/${name}` : name);
  const prefix = `test-${Object.keys(SHARED).length}`;
  for (const [name, part] of Object.entries(parts)) {
    const text = JSON.stringify(part, (key, value: unknown) => (key === 'directive_name' ? id(String(value)) : value));
    SHARED[id(name)] = JSON.parse(text) as Part;
  }
  return () => {
    const { project, runtime } = sharedScene;
    const spawn: SharedScene['spawn'] = (name, inputs, options) => runtime.spawn(id(name), inputs, options);
    const all = (): ReturnType<SharedScene['all']> =>
      runtime.list({ limit: 10_000 }).filter(({ directive }) => directive.startsWith(`${prefix}/`));
    return run({ project, runtime, spawn, id, all });
  };
}

function slots(max: number, resilience: Readonly<Record<string, unknown>> = {}): SceneOptions {
  const concurrency = { max_total_threads: max, max_concurrent_children: 20 };
  return { config: { resilience: { concurrency, ...resilience } } };
}

function policy(childPolicy: Readonly<Record<string, string>>): SceneOptions {
  return { config: { resilience: { child_policy: childPolicy } } };
}

async function ended(handle: ThreadHandle<unknown>): Promise<string> {
  await handle.result;
  return handle.id;
}

function childOf({ runtime }: Pick<Scene, 'runtime'>, { id }: ThreadHandle<unknown>): ThreadHandle {
  return runtime.thread(runtime.list({ parent: id })[0]?.id ?? '');
}

function toolResults(project: Project, id: string): EventPayloads['tool_call_result'][] {
  return project.log(id).flatMap((event) => (event.event_type === 'tool_call_result' ? [event.payload] : []));
}

/** What tools gave back, parsed. */
function resultsIn(project: Project, id: string): unknown[] {
  return toolResults(project, id).flatMap(({ output }) =>
    output === undefined ? [] : [JSON.parse(output) as unknown],
  );
}

function errorsIn(project: Project, id: string): string[] {
  return toolResults(project, id).flatMap(({ error }) => (error === undefined ? [] : [error]));
}

test('a child runs only a directive that its parent may execute', async () => {
  await using it = await scene({ parent: parentOf('leaf'), leaf: LEAF });
  it.project.write(
    '.ai/directives/parent.md',
    '```xml\n<directive name="parent" version="1.0.0"><metadata><description>x</description>' +
      '<permissions><execute><tool>*</tool></execute></permissions></metadata></directive>\n```\n\nGo.\n',
  );
  const handle = await it.runtime.spawn('parent');
  await handle.result;
  const result = it.project.log(handle.id).find(({ event_type }) => event_type === 'tool_call_result');
  expect(result?.payload).toMatchObject({ error: expect.stringContaining('[permission_denied]') });
  expect(it.runtime.list({ parent: handle.id })).toEqual([]);
});

import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { ListedThread, Runtime, ThreadHandle } from '../src/index.ts';
import {
  call,
  NEVER,
  ORCHESTRATE,
  project,
  refusal,
  scene,
  SPAWN,
  startOn,
  type Part,
  type Scene,
  type SceneOptions,
} from './fixtures/scene.ts';

/* Contracts, "Child policy": what becomes of children, and of their children, when a thread ends (S2 §4.4). */

type Choice = 'cascade_cancel' | 'allow' | 'wait';
const ENDS = ['on_parent_cancel', 'on_parent_complete', 'on_parent_error'] as const;
type End = (typeof ENDS)[number];

const TOOLS = ['rye/agent/threads/*', 'app/*'];
const spawns = (...directives: readonly string[]): Pick<Part['says'][number], 'tool_calls'> => ({
  tool_calls: directives.map((directive_name) => ({ name: SPAWN, input: { directive_name, async_exec: true } })),
});

/** Starts one child of every kind, waits until the test lets it go on, and ends as its directive's name says. */
const parent = (end: Part['says'][number]): Part => ({
  tools: TOOLS,
  limits: { spawns: 20 },
  says: [spawns('stuck', 'middle', 'endless', 'endless'), call('app_gate'), end],
});

const PARTS: Readonly<Record<string, Part>> = {
  on_parent_cancel: parent(NEVER),
  on_parent_complete: parent({ text: 'done' }),
  on_parent_error: parent({ error: { status_code: 400, message: 'broken' } }),
  stuck: { tools: TOOLS, limits: { turns: 1 }, says: [call(ORCHESTRATE, { operation: 'list_active' })] },
  middle: { tools: TOOLS, says: [spawns('endless'), NEVER] },
  endless: { says: [NEVER] },
};

/** The same choice for every end, and two slots for the children of one parent: its last child is queued. */
const withChoice = (choice: Choice): SceneOptions => ({
  config: {
    resilience: {
      child_policy: Object.fromEntries(ENDS.map((end) => [end, choice])),
      concurrency: { max_total_threads: 20, max_concurrent_children: 2 },
    },
  },
});

const STATUS = { on_parent_cancel: 'cancelled', on_parent_complete: 'completed', on_parent_error: 'error' } as const;

const HELD = {
  on_parent_cancel: 'running.ending',
  on_parent_complete: 'running.joining',
  on_parent_error: 'running.ending',
} as const;

/** Below the parent: a suspended child, one with a child of its own, one that runs, one that is queued. */
const BELOW = ['endless created', 'endless running', 'endless running', 'middle running', 'stuck suspended'];

describe('For running, suspended and queued children and those below them', () => {
  test.each(ENDS)('%s: cascade_cancel ends them with their parent', async (end) => {
    await using it = await scene(PARTS, withChoice('cascade_cancel'));
    const { handle } = await ended(it, end);
    expect(await handle.result).toMatchObject({ status: STATUS[end] });
    await it.runtime.waitAll(ids(it, handle));
    expect(below(it, handle)).toEqual(BELOW.map((one) => one.replace(/ .*/, ' cancelled')));
  });

  test.each(ENDS)('%s: allow leaves them as they are', async (end) => {
    await using it = await scene(PARTS, withChoice('allow'));
    const { handle } = await ended(it, end);
    expect(await handle.result).toMatchObject({ status: STATUS[end] });
    expect(below(it, handle)).toEqual(BELOW);
  });

  test.each(ENDS)('%s: wait ends their parent after them, and takes no slot for it', async (end) => {
    await using it = await scene(PARTS, withChoice('wait'));
    const { handle, cancelled } = await ended(it, end);
    await expect.poll(async () => (await handle.status()).state).toBe(HELD[end]);
    // A child, its own child, and another child.
    await expect.poll(async () => (await it.runtime.view()).running).toBe(3);
    expect(below(it, handle)).toEqual(BELOW);
    await endAllBelow(it, handle);
    await cancelled;
    expect(await handle.result).toMatchObject({ status: STATUS[end] });
    expect(it.project.row(handle.id)?.status).toBe(STATUS[end]);
    expect(endingsIn(it, handle)).toEqual([4, `thread_${STATUS[end]}`]);
  });
});

describe('wait', () => {
  test('holds for a child that is cancelled as well: it ends after its own', async () => {
    await using it = await scene(PARTS, withChoice('wait'));
    const { handle } = await grown(it, 'on_parent_cancel');
    const middle = only(it, 'middle');
    const cancelled = middle.cancel();
    await expect.poll(async () => (await middle.status()).state).toBe('running.ending');
    expect(await handle.status()).toMatchObject({ status: 'running' });
    await it.runtime.thread(it.runtime.list({ parent: middle.id })[0]?.id ?? '').cancel();
    await cancelled;
    expect(await middle.status()).toMatchObject({ status: 'cancelled' });
  });

  test('holds for a suspended parent that is cancelled: it is not resumed meanwhile', async () => {
    const stalled: Part = { tools: TOOLS, limits: { turns: 1 }, says: [spawns('endless')] };
    await using it = await scene({ ...PARTS, stalled }, withChoice('wait'));
    const handle = await it.runtime.spawn('stalled');
    await expect.poll(async () => (await handle.status()).status).toBe('suspended');
    const cancelled = handle.cancel('enough');
    expect(await refusal(() => handle.resume())).toMatchObject({ message: expect.stringContaining('being cancelled') });
    await endAllBelow(it, handle);
    await cancelled;
    expect(await handle.result).toMatchObject({ status: 'cancelled', error: { message: 'enough' } });
    expect(endingsIn(it, handle)).toEqual([1, 'thread_cancelled']);
  });

  test('makes no model call of the parent after it was cancelled, and refuses messages to it', async () => {
    await using it = await scene(PARTS, withChoice('wait'));
    const { handle, open } = await grown(it, 'on_parent_cancel');
    const cancelled = handle.cancel();
    open();
    await expect.poll(async () => (await handle.status()).state).toBe('running.ending');
    const { usage } = await handle.status();
    expect(await refusal(() => handle.send('go on'))).toMatchObject({ code: 'thread_ended' });
    await endAllBelow(it, handle);
    await cancelled;
    expect((await handle.result).cost.turns).toBe(usage.turns);
  });

  test('is no obstacle to kill_thread, which takes the whole subtree', async () => {
    await using it = await scene(PARTS, withChoice('wait'));
    const { handle } = await grown(it, 'on_parent_cancel');
    expect(await it.runtime.orchestrator.killThread(handle.id)).toMatchObject({ success: true, threads: 6 });
    expect(await handle.result).toMatchObject({ status: 'cancelled' });
    expect(endingsIn(it, handle)).toEqual([4, 'thread_cancelled']);
  });

  test('outlives the runtime: a thread that had failed does not go on with its work when it is resumed', async () => {
    using made = project(PARTS);
    const first = await startOn(made, PARTS, withChoice('wait'));
    const { handle, open } = await grown({ project: made, runtime: first }, 'on_parent_error');
    open();
    await expect.poll(async () => (await handle.status()).state).toBe('running.ending');
    const { usage } = await handle.status();
    await first.close({ graceMs: 0 });
    expect(made.row(handle.id)?.status).toBe('suspended');
    await using next: Runtime = await startOn(made, PARTS, withChoice('wait'));
    const again = next.thread(handle.id);
    await again.resume();
    await expect.poll(async () => (await again.status()).state).toBe('running.ending');
    await endAllBelow({ project: made, runtime: next }, again);
    expect(await again.result).toMatchObject({
      status: 'error',
      error: { code: 'provider_failed' },
      cost: { turns: usage.turns },
    });
  });

  test('needs no slot: one is enough for a parent that was cancelled while it waited for its child', async () => {
    const parts: Record<string, Part> = {
      top: { tools: TOOLS, says: [{ tool_calls: [{ name: SPAWN, input: { directive_name: 'slow' } }] }, NEVER] },
      slow: { tools: TOOLS, says: [call('app_gate'), { text: 'slow done' }] },
    };
    const { config } = withChoice('wait');
    const resilience = { ...(config?.['resilience'] as object), concurrency: { max_total_threads: 1 } };
    await using it = await scene(parts, { config: { resilience } });
    const gate = await addGate(it.runtime);
    const handle = await it.runtime.spawn('top');
    await gate.reached;
    const cancelled = handle.cancel();
    await expect.poll(async () => (await handle.status()).state).toBe('running.ending');
    gate.open();
    await cancelled;
    expect(await only(it, 'slow').result).toMatchObject({ status: 'completed', text: 'slow done' });
    expect(await handle.result).toMatchObject({ status: 'cancelled' });
    expect((await it.runtime.view()).running).toBe(0);
  });
});

type Tree = Pick<Scene, 'project' | 'runtime'>;

/** A tool that waits until the test opens it. */
async function addGate(runtime: Runtime): Promise<{ readonly reached: Promise<void>; readonly open: () => void }> {
  const reached = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  await runtime.registerTool({
    id: 'app/gate',
    description: 'waits for the test',
    input: z.object({}),
    async run() {
      reached.resolve();
      await gate.promise;
    },
  });
  return { reached: reached.promise, open: gate.resolve };
}

/** A parent with all its children in the states of {@link BELOW}; it goes on once it is let. */
async function grown(it: Tree, end: End): Promise<{ readonly handle: ThreadHandle; readonly open: () => void }> {
  const gate = await addGate(it.runtime);
  const handle = await it.runtime.spawn(end);
  await gate.reached;
  await expect.poll(() => below(it, handle), { timeout: 5_000 }).toEqual(BELOW);
  return { handle, open: gate.open };
}

/** A parent that is ending, with all its children; `cancelled`: the answer to its cancellation, if it was cancelled. */
async function ended(
  it: Tree,
  end: End,
): Promise<{ readonly handle: ThreadHandle; readonly cancelled: Promise<void> }> {
  const { handle, open } = await grown(it, end);
  open();
  return { handle, cancelled: end === 'on_parent_cancel' ? handle.cancel() : Promise.resolve() };
}

/** Everything below a thread. */
function under({ runtime }: Pick<Tree, 'runtime'>, id: string): ListedThread[] {
  const children = runtime.list({ parent: id });
  return children.flatMap((child) => [child, ...under({ runtime }, child.id)]);
}

function ids(it: Tree, { id }: ThreadHandle): ListedThread['id'][] {
  return under(it, id).map((one) => one.id);
}

/** Directive and status of everything below a thread. */
function below(it: Tree, { id }: ThreadHandle): string[] {
  return under(it, id)
    .map(({ directive, status }) => `${directive} ${status}`)
    .toSorted();
}

/** Cancels one after the other, the deepest first. */
async function endAllBelow(it: Tree, { id }: ThreadHandle): Promise<void> {
  for (const one of under(it, id).toReversed()) await it.runtime.thread(one.id).cancel();
}

function only({ runtime }: Pick<Tree, 'runtime'>, directive: string): ThreadHandle {
  return runtime.thread(runtime.list({ directive })[0]?.id ?? '');
}

/** How many endings of children a thread's log tells of before its last event, and that event. */
function endingsIn(it: Tree, { id }: ThreadHandle): [number, string | undefined] {
  const types = it.project.log(id).map(({ event_type }) => event_type);
  return [types.filter((type) => type === 'child_thread_ended').length, types.at(-1)];
}

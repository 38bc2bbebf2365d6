import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Runtime, ThreadHandle } from '../src/index.ts';
import type { PathAnswer } from '../src/inspect/api.ts';
import { stateName } from '../src/thread/state-name.ts';
import { serve, type Served } from './fixtures/dashboard.ts';
import { echoTool } from './fixtures/echo-tool.ts';
import { receive, type Receiver } from './fixtures/inspector-receiver.ts';
import {
  call,
  NEVER,
  project,
  scene,
  SPAWN,
  startOn,
  THREAD_TOOLS,
  until,
  type Part,
  type Scene,
} from './fixtures/scene.ts';

const DONE = { text: 'done' } as const;
const gate = (event: string, how: string): string =>
  `<hook id="gate" event="${event}"><action function="${how}"/></hook>`;
const PARTS: Readonly<Record<string, Part>> = {
  asks: { hooks: gate('before_tool', 'suspend'), says: [call('app_echo', { text: 'x' }), DONE] },
  slow: { hooks: gate('thread_started', 'wait'), says: [DONE] },
  patient: { tools: THREAD_TOOLS, says: [call(SPAWN, { directive_name: 'endless' }), DONE] },
  endless: { says: [NEVER] },
  talks: { says: [{ ...call('app_echo', { text: 'x' }), delay_ms: 500 }, DONE] },
  broken: { says: [{ text: 'abcdef', chunks: 3, break: { how: 'end', after_chunks: 2 } }] },
};
const SOON = { timeout: 20_000 };

let it: Scene;
let served: Served;
let receiver: Receiver;
beforeAll(async () => {
  it = await scene(PARTS, { inspect: true });
  it.runtime.registerHook('suspend', () => ({ action: 'suspend' }));
  await it.runtime.registerTool(echoTool());
  served = await serve(it.project.path);
  receiver = await look(it.runtime);
});
afterAll(async () => {
  await served[Symbol.asyncDispose]();
  await it[Symbol.asyncDispose]();
});

async function look({ inspector }: Runtime): Promise<Receiver> {
  const looking = receive(inspector?.url ?? '');
  await looking.until('supervisor');
  return looking;
}

/** A thread whose call waits for a person, who grants it. */
async function granted(): Promise<ThreadHandle<unknown>> {
  const handle = await it.runtime.spawn('asks');
  await it.runtime.waitAll([handle.id]);
  const [request] = await it.runtime.approvals.list({ thread: handle.id });
  await it.runtime.approvals.grant(request?.approvalId ?? '');
  return handle;
}

/** A thread that was suspended while it waited for its child, and goes on to wait. */
async function interrupted(): Promise<ThreadHandle<unknown>> {
  const handle = await it.runtime.spawn('patient');
  const { payload } = await until(handle, 'child_thread_started');
  await it.runtime.orchestrator.suspendThread(handle.id);
  await it.runtime.orchestrator.resumeThread(handle.id);
  await it.runtime.thread(payload.child_thread_id).cancel();
  return handle;
}

/** A thread that was suspended when its call of the model was answered. */
async function paused(): Promise<ThreadHandle<unknown>> {
  const handle = await it.runtime.spawn('talks');
  await until(handle, 'model_call_started');
  await handle.suspend();
  await handle.resume();
  return handle;
}

/** The states that a thread's machine was in, by what the machine says itself. */
function seen(id: string, { told }: Receiver): readonly string[] {
  const sessions = new Set(
    told.flatMap((event) => (event.type === '@xstate.actor' && event.name === id ? [event.sessionId] : [])),
  );
  return told.flatMap((event) => {
    if (event.type === '@xstate.event' || !sessions.has(event.sessionId)) return [];
    // The type of the protocol is XState's own snapshot; what is sent is plain.
    return stateName((event.snapshot as { value?: unknown }).value) ?? [];
  });
}

/** The states of a thread's path, once it has ended so. */
async function pathOf(id: string, from: Served, end = 'completed'): Promise<readonly string[]> {
  const read = async (): Promise<readonly string[]> =>
    (await from.get<PathAnswer>(`/threads/${id}/path`)).steps.map(({ state }) => state);
  await expect.poll(async () => (await read()).at(-1), SOON).toBe(end);
  return read();
}

/** States of a path that a machine was not in, or not in this order. */
function strays(path: readonly string[], way: readonly string[]): readonly string[] {
  const on = way.values();
  return path.filter((state) => !on.some((one) => one === state));
}

test.each([
  ['granted', granted, ['suspended', 'running.askingHooks'], 'completed'],
  ['suspended between two steps', paused, ['suspended', 'running.checkpointing'], 'completed'],
  ['suspended while it waited', interrupted, ['suspended', 'running.askingHooks'], 'completed'],
  ['cut off in its answers', () => it.runtime.spawn('broken'), ['running.calling', 'running.backingOff'], 'error'],
])(
  'The path of a thread that was %s is a part of the way that its machine went',
  async (_, run, [state, next], end) => {
    const { id, result } = await run();
    expect((await result).status).toBe(end);
    await expect.poll(() => seen(id, receiver).at(-1), SOON).toBe(end);
    const path = await pathOf(id, served, end);
    expect(path[path.indexOf(state ?? '') + 1]).toBe(next);
    expect(strays(path, seen(id, receiver))).toEqual([]);
  },
);

test('The path of a thread whose runtime ended before its first message starts over, as its machine does', async () => {
  using own = project(PARTS);
  const hook = Promise.withResolvers<void>();
  const first = await startOn(own, PARTS);
  first.registerHook('wait', async () => {
    hook.resolve();
    await new Promise(() => undefined);
  });
  const { id } = await first.spawn('slow');
  await hook.promise;
  await first.close({ graceMs: 0 });
  await using second = await startOn(own, PARTS, { inspect: true });
  second.registerHook('wait', () => undefined);
  const looking = await look(second);
  await using alone = await serve(own.path);
  await second.orchestrator.resumeThread(id);
  expect((await second.thread(id).result).status).toBe('completed');
  await expect.poll(() => seen(id, looking).at(-1), SOON).toBe('completed');
  const path = await pathOf(id, alone);
  expect(path.slice(0, 3)).toEqual(['running.starting', 'suspended', 'running.starting']);
  expect(strays(path.slice(2), seen(id, looking))).toEqual([]);
});

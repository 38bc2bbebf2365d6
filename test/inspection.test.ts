import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { WebSocket } from 'ws';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { StatelyActorEvent } from '@statelyai/inspect';
import type { InspectOptions, Inspector, Runtime, ThreadHandle } from '../src/index.ts';
import { receive, type Receiver } from './fixtures/inspector-receiver.ts';
import {
  call,
  give,
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

const SECRET = 'hunter2-hunter2-hunter2';
const PARTS: Readonly<Record<string, Part>> = {
  leaf: { outputs: ['text'], says: [give({ text: 'done' })] },
  loops: { limits: { turns: 1 }, says: [{ tool_calls: [{ name: 'nothing', input: {} }] }, NEVER] },
  endless: { says: [NEVER] },
  waiter: { tools: THREAD_TOOLS, says: [call(SPAWN, { directive_name: 'endless' }), NEVER] },
  keeper: {
    tools: THREAD_TOOLS,
    says: [
      call(SPAWN, { directive_name: 'endless', async_exec: true }),
      { ...call('nothing'), delay_ms: 2_000 },
      call('nothing'),
      NEVER,
    ],
  },
};

/** What comes of 60 leaves, 40 loops, 40 endless ones, and 30 waiters with a child each. */
const STATES = { completed: 60, suspended: 40, 'running.calling': 70, 'running.waitingForChildren': 30 };
const WAIT = { timeout: 20_000, interval: 50 } as const;

function start(inspect: Parameters<typeof scene>[1], workers = 2): Promise<Scene> {
  return scene(PARTS, {
    workers,
    config: { resilience: { concurrency: { max_total_threads: 300, max_concurrent_children: 300 } } },
    env: { PATH: process.env['PATH'], OPENAI_API_KEY: SECRET },
    ...inspect,
  });
}

function inspectorOf({ inspector }: Runtime): Inspector {
  if (!inspector) throw new Error('The runtime was started without inspect');
  return inspector;
}

async function spawnAll(
  runtime: Runtime,
  counts: Readonly<Record<string, number>>,
): Promise<readonly [ThreadHandle, ...ThreadHandle[]]> {
  const names = Object.entries(counts).flatMap(([name, count]) => Array.from({ length: count }, () => name));
  const [first, ...others] = await Promise.all(names.map((name) => runtime.spawn(name)));
  if (!first) throw new Error('Nothing was to be spawned');
  return [first, ...others];
}

/** All threads of the project and the states that they are in. */
async function statesOf(runtime: Runtime): Promise<Readonly<Record<string, string>>> {
  const ids = runtime.list({ limit: 1_000 }).map(({ id }) => id);
  const states = await Promise.all(ids.map((id) => runtime.thread(id).status()));
  return Object.fromEntries(states.map(({ id, status, state }) => [id, state === 'ended' ? status : state]));
}

/** The same, as whoever looks on has seen them. */
function seenStates(receiver: Receiver): Readonly<Record<string, string | undefined>> {
  const threads = [...receiver.actors()].filter(([name]) => name.startsWith('thread-'));
  return Object.fromEntries(threads.map(([name, { state }]) => [name, state]));
}

describe('A run of 200 threads on two workers, looked at with the receiver of @statelyai/inspect', () => {
  let it: Scene;
  let receiver: Receiver;
  let states: Readonly<Record<string, string>>;

  beforeAll(async () => {
    it = await start({ inspect: true });
    receiver = receive(inspectorOf(it.runtime).url);
    await receiver.until('supervisor');
    await spawnAll(it.runtime, { leaf: 60, loops: 40, endless: 40, waiter: 30 });
    await vi.waitFor(async () => {
      states = await statesOf(it.runtime);
      const counts = Object.groupBy(Object.values(states), (state) => state);
      const missing = Object.entries(STATES).filter(([state, count]) => counts[state]?.length !== count);
      if (missing.length > 0) throw new Error(`There are not as many: ${missing.join('; ')}`);
    }, WAIT);
  });
  afterAll(() => it[Symbol.asyncDispose]());

  test('has the state of every thread as its status says', async () => {
    await expect.poll(() => seenStates(receiver)).toEqual(states);
    expect(Object.keys(states)).toHaveLength(200);
  });

  test('shows what a thread is, and what it has used', async () => {
    const id = Object.keys(states).find((each) => states[each] === 'completed') ?? '';
    expect(receiver.actors().get(id)?.context).toMatchObject({ threadId: id, directive: 'leaf', turns: 1 });
  });

  test('has ids that no two actors share, each with the place it is from once', () => {
    const actors = receiver.told.filter((event): event is StatelyActorEvent => event.type === '@xstate.actor');
    const threads = actors.filter(({ name }) => name.startsWith('thread-'));
    expect(new Set(threads.map(({ sessionId }) => sessionId)).size).toBe(200);
    const ids = receiver.told
      .filter(({ sessionId }) => sessionId !== 'relay')
      .flatMap((event) => [
        event.sessionId,
        event.rootId,
        'parentId' in event && event.parentId,
        'sourceId' in event && event.sourceId,
      ])
      .filter((id) => typeof id === 'string');
    expect(ids.filter((id) => !/^(?:worker-[01]|host):x:\w+$/.test(id))).toEqual([]);
    expect(new Set(threads.map(({ parentId }) => parentId?.split(':')[0]))).toEqual(new Set(['worker-0', 'worker-1']));
  });

  test('has every thread below the actor of its worker, and each machine with its chart', () => {
    const actors = receiver.actors();
    for (const { actor } of actors.values()) {
      if (!actor.name.startsWith('thread-')) continue;
      const above = [...actors.values()].find(({ actor: { sessionId } }) => sessionId === actor.parentId);
      expect([above?.actor.name, actor.rootId]).toEqual([expect.stringMatching(/^worker [01]$/), actor.parentId]);
    }
    const charts = ['supervisor', ...Object.keys(states).slice(0, 1)].map((name) => {
      const { id, states: inside } = JSON.parse(actors.get(name)?.actor.definition ?? '') as {
        id: string;
        states: object;
      };
      return [id, Object.keys(inside).length];
    });
    expect(charts).toEqual([
      ['supervisor', 4],
      ['thread', 7],
    ]);
  });

  test('is told every event before what it leads to', () => {
    const id = Object.keys(states).find((each) => states[each] === 'completed') ?? '';
    const { sessionId } = receiver.actors().get(id)?.actor ?? {};
    const own = receiver.told.filter((event) => event.sessionId === sessionId && event.type !== '@xstate.actor');
    const steps = own.map((event) => [event.type, 'event' in event ? event.event.type : '']);
    expect(steps.slice(0, 4)).toEqual([
      ['@xstate.event', 'START'],
      ['@xstate.snapshot', 'START'],
      ['@xstate.event', 'READY'],
      ['@xstate.snapshot', 'READY'],
    ]);
    expect(steps.at(-1)).toEqual(['@xstate.snapshot', 'CONCLUDED']);
  });

  test('shows a late receiver all that is there, as it is', async () => {
    const late = receive(inspectorOf(it.runtime).url);
    const live = Object.entries(states).filter(([, state]) => state.startsWith('running'));
    await expect.poll(() => seenStates(late)).toEqual(Object.fromEntries(live));
    expect(late.actors().get('supervisor')?.state).toBe('accepting');
  });

  test('is told by the supervisor which directives and how they ended, and nothing that threads were given or give', () => {
    const events = receiver.told.flatMap((event) =>
      event.type === '@xstate.event' && event.sessionId.startsWith('host:') ? [event.event as object] : [],
    );
    expect(events).toContainEqual({ type: 'SPAWN', directive: 'leaf' });
    expect(events).toContainEqual({ type: 'ENDED', thread: expect.any(Number), status: 'completed' });
    const keys = new Set(events.flatMap((event) => Object.keys(event)));
    expect([...keys].toSorted()).toEqual(['directive', 'reason', 'status', 'thread', 'type']);
  });

  test('drops nothing while it is read', () => {
    expect(inspectorOf(it.runtime).counts()).toMatchObject({ dropped: 0, sent: expect.any(Number) });
  });
});

describe('Of a runtime with inspect', () => {
  let it: Scene;
  let inspector: Inspector;
  beforeAll(async () => {
    it = await start({ inspect: { directives: ['wait*'] } }, 1);
    inspector = inspectorOf(it.runtime);
  });
  afterAll(() => it[Symbol.asyncDispose]());

  /** Directives of the threads that are seen, once this many are. */
  async function seen(receiver: Receiver, count: number): Promise<readonly unknown[]> {
    await expect.poll(() => Object.keys(seenStates(receiver)).length, { timeout: 10_000 }).toBe(count);
    return [...receiver.actors().values()].flatMap(({ context }) => context['directive'] ?? []);
  }

  test('nothing is looked at when the last viewer has left', async () => {
    const viewer = new WebSocket(inspector.url);
    await once(viewer, 'message');
    viewer.close();
    await expect.poll(() => inspector.counts().viewers).toBe(0);
    const { sent } = inspector.counts();
    await until(await it.runtime.spawn('waiter'), 'child_thread_started');
    expect(inspector.counts()).toEqual({ viewers: 0, sent, dropped: 0 });
  });

  test('threads on some directives are seen, and what else happens is not', async () => {
    const receiver = receive(inspector.url);
    await receiver.until('supervisor');
    const [first] = await spawnAll(it.runtime, { waiter: 2, leaf: 5 });
    await until(first, 'child_thread_started');
    expect(await seen(receiver, 3)).toEqual(['waiter', 'waiter', 'waiter']);
    const about = receiver.told.filter((event) => event.type === '@xstate.event' && event.sessionId.startsWith('host'));
    expect(about.map((event) => 'event' in event && event.event.type)).not.toContain('SPAWN');
  });

  test('others can be chosen while they run: one, or all below one', async () => {
    const waiter = await it.runtime.spawn('waiter');
    const leaf = await it.runtime.spawn('endless');
    await until(waiter, 'child_thread_started');
    inspector.attach({ threads: [leaf.id] });
    expect(await seen(receive(inspector.url), 1)).toEqual(['endless']);
    inspector.attach({ subtrees: [waiter.id] });
    const receiver = receive(inspector.url);
    expect(new Set(await seen(receiver, 2))).toEqual(new Set(['waiter', 'endless']));
    expect(receiver.actors().has(leaf.id)).toBe(false);
  });

  test('all below one that hands over is seen below the one that takes over, and that one itself', async () => {
    const keeper = await it.runtime.spawn('keeper');
    const { payload } = await until(keeper, 'child_thread_started');
    inspector.attach({ subtrees: [keeper.id] });
    const early = receive(inspector.url);
    expect(new Set(await seen(early, 2))).toEqual(new Set(['keeper', 'endless']));
    await keeper.suspend();
    const answer = await it.runtime.orchestrator.handoffThread(keeper.id);
    const heir = answer.success ? String(answer.successor) : '';
    const both = { [heir]: 'running.calling', [payload.child_thread_id]: 'running.calling' };
    await expect.poll(() => seenStates(early), WAIT).toMatchObject(both);
    const late = receive(inspector.url);
    await expect.poll(() => seenStates(late), WAIT).toEqual(both);
    await it.runtime.orchestrator.killThread(heir);
  });

  test('a sample of trees is seen, each as a whole', async () => {
    inspector.attach({ sample: 0.5 });
    const receiver = receive(inspector.url);
    await receiver.until('supervisor');
    const waiters = await spawnAll(it.runtime, { waiter: 20 });
    await Promise.all(waiters.map((waiter) => until(waiter, 'child_thread_started')));
    await expect
      .poll(() => new Set([...receiver.actors().values()].map(({ state }) => state)).has('running.starting'))
      .toBe(false);
    const parents = (): unknown =>
      new Set([...receiver.actors().values()].flatMap(({ context }) => context['parentId'] ?? []));
    const roots = [...receiver.actors()]
      .filter(([, { context }]) => context['directive'] === 'waiter')
      .map(([id]) => id);
    await expect.poll(parents, WAIT).toEqual(new Set(roots));
    expect(roots.length).toBeGreaterThan(5);
    expect(roots.length).toBeLessThan(15);
  });

  test('secrets are in nothing that is told', async () => {
    inspector.attach({});
    const receiver = receive(inspector.url);
    await receiver.until('supervisor');
    const thread = await it.runtime.spawn('endless');
    await until(thread, 'thread_started');
    await thread.cancel(`since ${SECRET} is known`);
    await expect.poll(() => receiver.actors().get(thread.id)?.state).toBe('cancelled');
    const text = JSON.stringify(receiver.told);
    expect(text).toContain('since [redacted] is known');
    expect(text).not.toContain(SECRET);
  });
});

describe('A runtime', () => {
  test('that gets no port for its viewers leaves nothing open, and the next one starts', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const { port } = taken.address() as AddressInfo;
    using own = project(PARTS);
    const ports = (): number => process.getActiveResourcesInfo().filter((name) => name === 'MessagePort').length;
    const before = ports();
    await expect(startOn(own, PARTS, { workers: 3, inspect: { port } })).rejects.toMatchObject({
      code: 'invalid_argument',
    });
    taken.close();
    expect(ports()).toBeLessThanOrEqual(before);
    await using runtime = await startOn(own, PARTS);
    const leaf = await runtime.spawn('leaf');
    expect(await leaf.result).toMatchObject({ status: 'completed' });
  });

  test.each<[string, InspectOptions, string]>([
    ['an option that is none', { sampel: 1 } as never, 'createRuntime inspect has no option "sampel"'],
    ['a port that is none', { port: 70_000 }, 'inspect.port is 70000; a number up to 65535 is expected'],
    ['a page that is no page', { stately: 'yes' as never }, 'inspect.stately is "yes"; true or false is expected'],
    ['a list that is none', { threads: 'a' as never }, 'inspect.threads is "a"; a list of texts is expected'],
    ['a sample of what is none', { sampleOf: 'trees' as never }, 'inspect.sampleOf is "trees"; "roots" or "children"'],
    ['a sample of nothing', { sample: 0 }, 'inspect.sample is 0; a number above 0 and up to 1 is expected'],
  ])('refuses %s', async (_, inspect, message) => {
    await expect(start({ inspect }, 1)).rejects.toMatchObject({
      code: 'invalid_argument',
      message: expect.stringContaining(message),
    });
  });
});

import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { loadConfig } from '../src/config/load.ts';
import type { StoredEvent } from '../src/core/events.ts';
import type { Failure, Runtime, ThreadEvent } from '../src/index.ts';
import { compilePayloadCheck } from '../src/thread/services/event-check.ts';
import { echoTool } from './fixtures/echo-tool.ts';
import {
  call,
  eventsOf,
  give,
  NEVER,
  refusal,
  scene,
  SPAWN,
  until,
  type Part,
  type Scene,
  type SceneOptions,
} from './fixtures/scene.ts';
import { pricedModel } from './fixtures/priced-model.ts';

const systemDir = fileURLToPath(new URL('../config', import.meta.url));
const { events: SHIPPED } = loadConfig({ systemDir }).config;

const emit = (event_type: string, payload: object): object => ({
  primary: 'execute',
  item_type: 'tool',
  item_id: 'rye/agent/threads/internal/emitter',
  params: { event_type, payload },
});

/** A project with an event type of its own, which a hook emits after every turn. */
const REVIEWING = {
  events: {
    event_types: {
      review_done: {
        category: 'review',
        criticality: 'critical',
        payload_schema: { type: 'object', required: ['turn'], properties: { turn: { type: 'integer' } } },
      },
    },
  },
  hooks: { hooks: [{ id: 'review', event: 'after_step', action: emit('review_done', { turn: '${turn}' }) }] },
};

describe('Every event', () => {
  let it: Scene;
  let events: readonly ThreadEvent[];
  let log: readonly StoredEvent[];
  beforeAll(async () => {
    const parts = {
      talk: { says: [{ text: 'a b c d', chunks: 4, delay_ms: 20, ...call('app_echo') }, { text: 'done' }] },
    };
    it = await scene(parts, { config: REVIEWING });
    const handle = await it.runtime.spawn('talk');
    events = await eventsOf(handle);
    log = it.project.log(handle.id);
  });
  afterAll(() => it[Symbol.asyncDispose]());

  test('has the envelope of S2 §7.2, and nothing else in it', () => {
    const shownOnly = new Set(['cognition_out_delta', 'model_call_started', 'hook_ran']);
    const isShownOnly = ({ event_type }: ThreadEvent): boolean => shownOnly.has(event_type);
    const keys = ['criticality', 'event_type', 'payload', 'thread_id', 'timestamp'];
    expect(events.some(isShownOnly)).toBe(true);
    for (const event of events) {
      expect(Object.keys(event).toSorted()).toEqual([...keys, ...(isShownOnly(event) ? [] : ['sequence'])].toSorted());
      expect(event.thread_id).toMatch(/^thread-[0-9a-f]{32}$/);
      expect(event.timestamp).toBe(new Date(event.timestamp).toISOString());
      expect(typeof event.payload).toBe('object');
    }
  });

  test('has the criticality that events.yaml gives its type', () => {
    const own = events.filter(({ event_type }) => event_type in SHIPPED.eventTypes);
    for (const { event_type, criticality } of own) {
      expect([event_type, criticality]).toEqual([event_type, SHIPPED.eventTypes[event_type]?.criticality]);
    }
    expect(new Set(own.map(({ criticality }) => criticality))).toEqual(new Set(['critical', 'droppable']));
  });

  test('that is stored is numbered without gaps in its thread, in the order of its time', () => {
    const stored = events.filter(({ sequence }) => sequence !== undefined);
    expect(stored.map(({ sequence }) => sequence)).toEqual(stored.map((_, index) => index + 1));
    expect(stored.map(({ event_type }) => event_type)).toEqual(log.map(({ event_type }) => event_type));
    const times = log.map(({ time }) => time);
    expect(times).toEqual(times.toSorted((a, b) => a - b));
  });

  test('of a type of the project is there too, with its hook’s values', () => {
    const own = events.filter(({ event_type }) => (event_type as string) === 'review_done');
    expect(own).toMatchObject([
      { criticality: 'critical', payload: { turn: 1 } },
      { criticality: 'critical', payload: { turn: 2 } },
    ]);
  });
});

/** 1,000 tokens of output are a cent; the window is that of the scripted model. */
const PRICED = pricedModel({ output: 10 });

/** A call after which the model reports so many tokens. */
const echo = (text: string, usage: object) => ({ ...call('app_echo', { text }), usage });
const WIDE = { tokens: 10_000_000, spend: 100, spawns: 2 };

/** Between them, every event there is. */
const EVERYTHING: Readonly<Record<string, Part>> = {
  outer: {
    limits: { turns: 1 },
    hooks: ['build_system_prompt', 'thread_started']
      .map((event) => `<hook id="${event}" event="${event}"><action function="say"/></hook>`)
      .join(''),
    says: [call(SPAWN, { directive_name: 'inner', async_exec: true }), NEVER],
  },
  inner: { limits: { turns: 1 }, says: [echo('a', {})] },
  failing: { says: [{ error: { status_code: 422 }, text: 'half' }] },
  // An old spelling is a warning.
  giving: { limits: { max_turns: 3 }, outputs: ['n:integer'], says: [give({ n: 1 })] },
  // 110,000 tokens are too many for the window not to be compacted, 120,000 for the thread to go on.
  long: {
    limits: WIDE,
    says: [...[50_000, 110_000, 120_000].map((tokens) => echo('x', { input_tokens: tokens })), { text: 'done' }],
  },
  tiered: {
    context: 'assembly="tiered"',
    says: [call('rye_agent_threads_context_select_files', { paths: ['answers.md'] }), { text: 'done' }],
  },
  dear: { limits: WIDE, says: [echo('a', { output_tokens: 5_000 }), { text: 'done' }] },
};

test('Every event of events.yaml is emitted, and all that worker, host and store emit fits it', async () => {
  const thought = {
    id: 'thought',
    event: 'after_step',
    action: emit('cognition_reasoning', { text: 'So far, so good.' }),
  };
  await using it = await scene(EVERYTHING, {
    rules: [{ directive: 'rye/agent/threads/default_compaction', ...give({ summary: 'It said x.' }) }],
    config: { agent: PRICED, hooks: { hooks: [thought] } },
  });
  const { runtime, project } = it;
  const input = z.object({ text: z.string() });
  const run = ({ text }: z.infer<typeof input>): string => text.repeat(1_000);
  await runtime.registerTool({ id: 'app/echo', description: 'says it again', input, idempotent: true, run });
  runtime.registerHook('say', () => 'Be brief.');
  const seen: ThreadEvent[] = [];
  runtime.on('event', (event) => seen.push(event));

  project.write('answers.md', 'All of them.');
  const parent = await runtime.spawn('outer');
  const { payload } = await until(parent, 'child_thread_started');
  const child = runtime.thread(payload.child_thread_id);
  const dear = await runtime.spawn('dear');
  const others = [
    dear,
    ...(await Promise.all(['failing', 'giving', 'long', 'tiered'].map((name) => runtime.spawn(name)))),
  ];
  await runtime.waitAll([parent.id, child.id, ...others.map(({ id }) => id)]);
  const [request] = await runtime.approvals.list({ thread: dear.id });
  await runtime.approvals.grant(request?.approvalId ?? '');
  await dear.result;
  await child.cancel();
  await parent.resume('go on', { limits: { turns: 5 } });
  await parent.cancel();
  await parent.result;

  const check = compilePayloadCheck(SHIPPED);
  const logs = [parent, child, ...others].flatMap(({ id }) => project.log(id));
  for (const events of [logs, seen]) {
    expect(events.flatMap(({ event_type: type, payload: given }) => check(type, given))).toEqual([]);
  }
  const types = new Set(seen.map(({ event_type: type }) => type));
  expect(types).toEqual(new Set(Object.keys(SHIPPED.eventTypes)));
});

describe('A listener finds its thread where the event says that it is', () => {
  const parts: Readonly<Record<string, Part>> = {
    asks: { limits: { turns: 1 }, says: [echo('a', {}), { text: 'done' }] },
    ends: { says: [{ text: 'done' }] },
    hands_over: { limits: WIDE, says: [echo('a', { input_tokens: 120_000 }), { text: 'done' }] },
  };
  let it: Scene;
  beforeAll(async () => {
    it = await scene(parts);
    await it.runtime.registerTool(echoTool());
  });
  afterAll(() => it[Symbol.asyncDispose]());

  const statusOf = (id: string) => it.runtime.list().find((one) => one.id === id)?.status;
  const resume = (id: string) => it.runtime.thread(id).resume(undefined, { limits: { turns: 5 } });
  const isThread = { id: expect.stringContaining('thread-') };

  test.each<[string, string, (runtime: Runtime, hear: (answer: unknown) => void) => () => void, object]>([
    [
      'grants what it asks',
      'asks',
      (runtime, hear) =>
        runtime.on('approval_requested', ({ payload }) =>
          hear(runtime.approvals.grant(payload.approval_id, { turns: 5 })),
        ),
      { status: 'granted' },
    ],
    [
      'denies what it asks',
      'asks',
      (runtime, hear) =>
        runtime.on('approval_requested', ({ payload }) => hear(runtime.approvals.deny(payload.approval_id))),
      { status: 'denied' },
    ],
    [
      'resumes one that is suspended',
      'asks',
      (runtime, hear) => runtime.on('thread_suspended', ({ thread_id: id }) => hear(resume(id))),
      isThread,
    ],
    [
      'has a successor go on from one that has completed',
      'ends',
      (runtime, hear) => runtime.on('thread_completed', ({ thread_id: id }) => hear(resume(id))),
      isThread,
    ],
    [
      'lists one that has completed',
      'ends',
      (runtime, hear) => runtime.on('thread_completed', ({ thread_id: id }) => hear({ status: statusOf(id) })),
      { status: 'completed' },
    ],
    [
      'takes the successor of one that has handed over',
      'hands_over',
      (runtime, hear) =>
        runtime.on('thread_continued', ({ thread_id: id, payload: { successor } }) =>
          hear({ status: statusOf(id), isItself: runtime.thread(successor).id === successor }),
        ),
      { status: 'continued', isItself: true },
    ],
    [
      'lists one that the host has ended',
      'asks',
      (runtime, hear) => {
        runtime.on('thread_cancelled', ({ thread_id: id }) => hear({ status: statusOf(id) }));
        return runtime.on('thread_suspended', ({ thread_id: id }) => void runtime.thread(id).cancel());
      },
      { status: 'cancelled' },
    ],
  ])('who %s', async (_, directive, listen, expected) => {
    const heard = Promise.withResolvers<unknown>();
    const stop = listen(it.runtime, heard.resolve);
    await it.runtime.spawn(directive);
    expect(await heard.promise).toMatchObject(expected);
    stop();
  });
});

/** A project that asks for more than the runtime writes. */
const MOODY = {
  events: { event_types: { cognition_out: { payload_schema: { required: ['text', 'mood'] } } } },
};

describe('createRuntime({validateEvents})', () => {
  const misfit = {
    code: 'event_invalid',
    message: 'An event cognition_out does not fit its payload_schema: mood is required',
  };

  test.each<[string, SceneOptions, 'error' | 'completed', object]>([
    ['outside of production', {}, 'error', { cognition_out: 1 }],
    ['in production', { env: { NODE_ENV: 'production' } }, 'completed', { cognition_out: 1 }],
    ['that is error', { env: { NODE_ENV: 'production' }, validateEvents: 'error' }, 'error', { cognition_out: 1 }],
    ['that is count', { validateEvents: 'count' }, 'completed', { cognition_out: 1 }],
    ['that is off', { validateEvents: 'off' }, 'completed', {}],
  ])('%s %j: a thread with a wrong payload ends as %s', async (_, options, status, counted) => {
    await using it = await scene({ task: { says: [{ text: 'done' }] } }, { ...options, config: MOODY });
    const problems: Failure[] = [];
    it.runtime.on('problem', (failure) => problems.push(failure));
    const handle = await it.runtime.spawn('task');
    const ending = await handle.result;
    expect(ending).toMatchObject(status === 'error' ? { status, error: misfit } : { status });
    expect(problems).toMatchObject(status === 'error' ? [misfit] : []);
    expect((await it.runtime.view()).workers.map(({ invalidEvents }) => invalidEvents)).toEqual([counted]);
    expect(it.project.log(handle.id).map(({ event_type }) => event_type)).toContain('cognition_out');
  });

  test.each([
    ['another word', { validateEvents: 'loud' as never }, { code: 'invalid_argument' }],
    [
      'a payload_schema that is no JSON Schema',
      { config: { events: { event_types: { usage: { payload_schema: { properties: { spend: { type: 7 } } } } } } } },
      {
        code: 'invalid_config',
        where: { file: 'overrides.events', path: expect.stringContaining('usage.payload_schema') },
      },
    ],
  ])('refuses %s', async (_, options: SceneOptions, failure) => {
    expect(await refusal(() => scene({}, options))).toMatchObject(failure);
  });
});

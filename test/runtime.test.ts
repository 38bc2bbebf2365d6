import { once } from 'node:events';
import type { StandardSchemaV1 } from '@standard-schema/spec';
import { afterAll, beforeAll, describe, expect, expectTypeOf, test } from 'vitest';
import { z } from 'zod';
import * as mini from 'zod/mini';
import type { FunctionCaller, HostHook, ThreadEvent, ThreadHandle } from '../src/index.ts';
import { echoTool } from './fixtures/echo-tool.ts';
import { call, eventsOf, give, NEVER, refusal, scene, until, type Part, type Scene } from './fixtures/scene.ts';
import { importSkein } from './fixtures/skein.ts';

const PARTS: Record<string, Part> = {
  greet: {
    inputs: ['who', 'times:integer?'],
    outputs: ['greeting', 'count:integer?'],
    body: 'Greet {input:who}.',
    says: [{ match: '(?P<who>Ada|Bob)', ...give({ greeting: 'Hello ${captures.who}', count: 2 }) }],
  },
  plain: { says: [{ text: 'just text' }] },
  free: { says: [give({ count: 3, extra: true })] },
  wrong: { says: [give({ count: 'three' })] },
  silent: { outputs: ['greeting'], says: [{ text: 'first' }, { text: 'second' }] },
  forgetful: { outputs: ['greeting'], says: [{ text: 'first' }, give({ greeting: 'late' })] },
  hasty: { outputs: ['n:integer'], says: [give({ n: 'one' }), give({ n: 1 })] },
  guessing: { says: [give({ count: 3 }), give({ count: 9 })] },
  endless: { says: [NEVER] },
  talking: { says: [{ text: 'word '.repeat(200), chunks: 1000, delay_ms: 600_000 }] },
  broken: { says: [{ error: { type: 'invalid_request_error', message: 'bad request', status_code: 400 } }] },
  denied: {
    tools: ['rye/file-system/ls'],
    says: [call('rye_file_system_read', { path: 'x' }), { text: 'I could not' }],
  },
  unknown: { says: [call('no_such_tool'), { text: 'there is none' }] },
  steps: { says: [call('app_echo', { text: 'one' }), call('app_echo', { text: 'two' }), { text: 'done' }] },
  cached: {
    says: [
      {
        ...call('app_echo', { text: 'one' }),
        usage: { input_tokens: 900, cache_read_tokens: 600, cache_write_tokens: 200 },
      },
      NEVER,
    ],
  },
  bad_input: { says: [call('app_echo', { text: 7 }), { text: 'done' }] },
  throwing: { says: [call('app_throw'), { text: 'done' }] },
  module: { says: [call('sample_add', { a: 2 }), { text: 'done' }] },
  slow: { says: [call('app_gate'), { text: 'heard: ${last.text}' }] },
  many: {
    says: [
      { tool_calls: [3, 1, 2].map((ms) => ({ name: 'app_echo', input: { text: `call ${ms}` } })) },
      { text: 'done' },
    ],
  },
  gated: {
    hooks: `<hook id="gate" event="before_step"><action function="gate"><param name="seen" value="\${turn}"/></action></hook>`,
    says: [call('app_echo', { text: 'x' }), { text: 'done' }],
  },
  ending: {
    hooks: `<hook id="after" event="after_complete"><action function="after"/></hook>`,
    says: [{ text: 'done' }],
  },
};

let it: Scene;
/** Opens when `app/gate` is called; each call takes the next one. */
let gates: PromiseWithResolvers<string>[] = [];

beforeAll(async () => {
  it = await scene(PARTS, {
    config: { resilience: { concurrency: { max_total_threads: 100 } } },
    tools: [new URL('../src/tools/fixtures/module-tools-sample.ts', import.meta.url)],
  });
  await it.runtime.registerTool(echoTool(({ text }) => ({ echo: text })));
  await it.runtime.registerTool({
    id: 'app/throw',
    description: 'throws',
    input: z.object({}),
    run: () => {
      throw new Error('the tool is broken');
    },
  });
  await it.runtime.registerTool({
    id: 'app/gate',
    description: 'answers when it is told to',
    input: z.object({}),
    run: () => gates.shift()?.promise,
  });
  it.runtime.registerHook('gate', () => undefined);
  it.runtime.registerHook('after', () => undefined);
});

afterAll(() => it[Symbol.asyncDispose]());

describe('A spawned thread', () => {
  test('runs its directive to a result', async () => {
    const handle = await it.runtime.spawn('greet', { who: 'Ada' });
    expect(handle.id).toMatch(/^thread-[0-9a-f]{32}$/);
    expect(await handle.result).toEqual({
      status: 'completed',
      outputs: { greeting: 'Hello Ada', count: 2 },
      text: '',
      error: undefined,
      cost: { turns: 1, inputTokens: expect.any(Number), outputTokens: expect.any(Number), spend: 0 },
    });
  });

  test('without outputs ends with the text of its model', async () => {
    const handle = await it.runtime.spawn('plain');
    expect(await handle.result).toMatchObject({ status: 'completed', outputs: undefined, text: 'just text' });
  });

  test('gives the same result to everybody, also after its end', async () => {
    const handle = await it.runtime.spawn('plain');
    const [first, second] = await Promise.all([handle.result, handle.result]);
    expect(first).toEqual(second);
    expect(await it.runtime.thread(handle.id).result).toEqual(first);
  });

  test('says how it stands, and what it has used', async () => {
    const handle = await it.runtime.spawn('plain');
    const { cost } = await handle.result;
    expect(await handle.status()).toEqual({
      id: handle.id,
      status: 'completed',
      state: 'ended',
      suspendReason: undefined,
      usage: cost,
    });
    expect(await handle.usage()).toEqual({ own: cost, tree: { spend: 0 } });
  });

  test('says what of that came from the cache of its provider, while it runs and when it has ended', async () => {
    const handle = await it.runtime.spawn('cached');
    await until(handle, 'tool_call_result');
    const cached = { cacheReadTokens: 600, cacheWriteTokens: 200 };
    expect(await handle.status()).toMatchObject({ usage: cached });
    await handle.cancel();
    const { cost } = await handle.result;
    expect(cost).toMatchObject(cached);
    expect(await handle.status()).toMatchObject({ usage: cost });
    expect(await handle.usage()).toMatchObject({ own: cost });
    expect(await it.runtime.orchestrator.aggregateResults([handle.id])).toMatchObject({
      results: [{ cost: cached }],
      total: cached,
    });
  });

  test('says in which state of its machine it is', async () => {
    const handle = await it.runtime.spawn('endless');
    await until(handle, 'thread_started');
    expect(await handle.status()).toMatchObject({ status: 'running', state: 'running.calling' });
    await handle.cancel();
  });

  test('never rejects: a failed one resolves to an ending with its error', async () => {
    const handle = await it.runtime.spawn('broken');
    expect(await handle.result).toMatchObject({
      status: 'error',
      outputs: undefined,
      error: { code: 'provider_failed', message: expect.stringContaining('bad request') },
    });
  });
});

describe('Outputs', () => {
  const count = z.object({ count: z.number().int(), extra: z.boolean() });

  test('have the type of the schema they are checked with', async () => {
    const handle = await it.runtime.spawn('free', {}, { output: count });
    expectTypeOf(handle).toEqualTypeOf<ThreadHandle<{ count: number; extra: boolean }>>();
    const { outputs, status } = await handle.result;
    expectTypeOf(outputs).toEqualTypeOf<{ count: number; extra: boolean } | undefined>();
    expect([status, outputs]).toEqual(['completed', { count: 3, extra: true }]);
  });

  test('are what the schema makes of them', async () => {
    const doubled = z.object({ count: z.number() }).transform(({ count: n }) => n * 2);
    const handle = await it.runtime.spawn('free', {}, { output: standard(doubled) });
    const { outputs } = await handle.result;
    expectTypeOf(outputs).toEqualTypeOf<number | undefined>();
    expect(outputs).toBe(6);
  });

  test('are what a zod schema with a transform makes of them', async () => {
    const texts = z.object({ count: z.number().transform((n) => `${n} times`) });
    const handle = await it.runtime.spawn('free', {}, { output: texts });
    expect(await handle.result).toMatchObject({ status: 'completed', outputs: { count: '3 times' } });
  });

  test('may leave out what a schema has a default for', async () => {
    const noted = z.object({ count: z.number(), note: z.string().default('none') });
    const handle = await it.runtime.spawn('free', {}, { output: noted });
    expect(await handle.result).toMatchObject({ status: 'completed', outputs: { count: 3, note: 'none' } });
  });

  test.each([
    ['may all be left out', z.object({ note: z.string().optional() }), {}],
    ['all have defaults', z.object({ note: z.string().default('none') }), { note: 'none' }],
    ['may be none, as their object', z.object({ note: z.string().optional() }).optional(), undefined],
  ])('that %s need not be given', async (_what, output, outputs) => {
    const handle = await it.runtime.spawn('plain', {}, { output });
    expect(await handle.result).toMatchObject({ status: 'completed', outputs, text: 'just text' });
  });

  test('with a pattern that only the schema itself can check end their thread as any others', async () => {
    const output = z.object({ count: z.number(), time: z.iso.duration().optional() });
    const handle = await it.runtime.spawn('free', {}, { output });
    expect(await handle.result).toMatchObject({ status: 'completed', outputs: { count: 3 } });
  });

  test('checked by a schema that throws make an error: the result does not reject', async () => {
    const broken = {
      '~standard': {
        version: 1,
        vendor: 'test',
        validate: (): never => {
          throw new Error('the schema is broken');
        },
      },
    } as const;
    const handle = await it.runtime.spawn('free', {}, { output: broken });
    expect(await handle.result).toMatchObject({
      status: 'error',
      error: { code: 'invalid_output', message: expect.stringContaining('the schema is broken') },
    });
  });

  test('of a type without schema are a record', async () => {
    const handle = await it.runtime.spawn('free');
    expectTypeOf((await handle.result).outputs).toEqualTypeOf<Readonly<Record<string, unknown>> | undefined>();
  });

  test.each([
    ['zod', count],
    ['zod/mini', mini.object({ count: mini.int() })],
  ])('that do not fit the schema (%s) go back to the model', async (_of, output) => {
    const handle = await it.runtime.spawn<unknown>('wrong', {}, { output, limits: { turns: 2 } });
    const result = await until(handle, 'tool_call_result');
    expect(result.payload.error).toContain('count');
    await handle.cancel();
  });

  const above = z.number().refine((n) => n > 5, 'must be over 5');
  test.each<[string, StandardSchemaV1]>([
    ['zod, in code', z.object({ count: above })],
    ['zod, in code that is awaited', z.object({ count: z.number().refine(async (n) => n > 5, 'must be over 5') })],
    ['another library', standard(z.object({ count: above }))],
  ])('that only their schema (%s) can check go back to the model as well', async (_of, output) => {
    const handle = await it.runtime.spawn('guessing', {}, { output });
    const events = await eventsOf(handle);
    const refused = events.find(({ event_type }) => event_type === 'tool_call_result');
    expect(refused?.payload).toMatchObject({ error: expect.stringContaining('count must be over 5') });
    expect(await handle.result).toMatchObject({ status: 'completed', outputs: { count: 9 } });
    expect(await it.runtime.thread(handle.id).result).toMatchObject({ status: 'completed', outputs: { count: 9 } });
  });

  test('that were never given make the result an error, if only their schema wants them', async () => {
    const handle = await it.runtime.spawn('plain', {}, { output: standard(z.object({ count: above })) });
    expect(await handle.result).toMatchObject({
      status: 'error',
      outputs: undefined,
      error: { code: 'invalid_output' },
    });
  });

  test('that do not fit the directive go back to the model with the reason', async () => {
    const handle = await it.runtime.spawn('hasty');
    const events = await eventsOf(handle);
    const refused = events.find(({ event_type }) => event_type === 'tool_call_result');
    expect(refused?.payload).toMatchObject({ error: expect.stringContaining('"n"') });
    expect(await handle.result).toMatchObject({ status: 'completed', outputs: { n: 1 } });
  });

  test('that are missing are asked for once', async () => {
    const handle = await it.runtime.spawn('forgetful');
    expect(await handle.result).toMatchObject({
      status: 'completed',
      outputs: { greeting: 'late' },
      cost: { turns: 2 },
    });
    const asked = it.project.log(handle.id).filter(({ event_type }) => event_type === 'cognition_in');
    expect(asked).toHaveLength(2);
  });

  test('of which there are several kinds are told to the model, and asked for once', async () => {
    const output = z.union([z.object({ greeting: z.string() }), z.object({ refusal: z.string() })]);
    const parts = { either: { says: [{ text: 'hello' }, give({ greeting: 'late' })] } };
    await using own = await scene(parts);
    const handle = await own.runtime.spawn('either', {}, { output });
    expect(await handle.result).toMatchObject({
      status: 'completed',
      outputs: { greeting: 'late' },
      cost: { turns: 2 },
    });
  });

  test('that are still missing after the reminder end the thread with outputs_missing', async () => {
    const handle = await it.runtime.spawn('silent');
    expect(await handle.result).toMatchObject({
      status: 'error',
      text: 'second',
      error: { code: 'outputs_missing', message: expect.stringContaining('greeting') },
      cost: { turns: 2 },
    });
  });
});

test('A thread has what it was asked for with, whatever becomes of that in the same moment', async () => {
  await using own = await scene({ echo: { inputs: ['basket'], says: [{ text: 'done' }] } });
  const inputs = { basket: '' };
  const limits = { turns: 0 };
  const handles = await Promise.all(
    ['tea', 'milk', 'bread'].map((basket, at) => {
      inputs.basket = basket;
      limits.turns = at + 1;
      return own.runtime.spawn('echo', inputs, { limits });
    }),
  );
  const started = await Promise.all(handles.map((handle) => until(handle, 'thread_started')));
  expect(started.map(({ payload }) => [payload.inputs?.['basket'], payload.limits['turns']])).toEqual([
    ['tea', 1],
    ['milk', 2],
    ['bread', 3],
  ]);
});

describe('A spawn is refused', () => {
  test.each([
    ['an unknown directive', 'no/such', {}, 'item_not_found'],
    ['an id that leaves its space', '../../etc/passwd', {}, 'item_id_refused'],
    ['a missing input', 'greet', {}, 'missing_input'],
    ['an input of the wrong type', 'greet', { who: 'Ada', times: 'often' }, 'invalid_input'],
  ])('for %s', async (_name, directive, inputs, code) => {
    const { SkeinError } = await importSkein();
    const thrown = await refusal(() => it.runtime.spawn(directive, inputs));
    expect(thrown).toBeInstanceOf(SkeinError);
    expect(thrown).toMatchObject({ code, message: expect.stringMatching(/\S/) });
  });

  test.each([
    ['an unknown limit', { limits: { speed: 3 } as never }, 'invalid_argument'],
    ['a limit without sense', { limits: { turns: 0 } }, 'invalid_argument'],
    ['an unknown model', { model: 'nobody:nothing' }, 'invalid_config'],
    ['a parent that does not exist', { parent: 'thread-0' as const }, 'thread_not_found'],
  ])('for %s', async (_name, options, code) => {
    expect(await refusal(() => it.runtime.spawn('plain', {}, options))).toMatchObject({ code });
  });

  test.each<[string, Readonly<Record<string, unknown>>]>([
    ['a function', { f: () => 1 }],
    ['a big integer', { n: 10n }],
    ['a circle', circle()],
  ])('for inputs that cannot be stored: %s', async (_name, inputs) => {
    await using own = await scene({ plain: PARTS['plain'] as Part });
    expect(await refusal(() => own.runtime.spawn('plain', inputs))).toMatchObject({
      name: 'SkeinError',
      code: expect.stringMatching(/^invalid_(?:input|argument)$/),
    });
    expect(await (await own.runtime.spawn('plain')).result).toMatchObject({ status: 'completed' });
  });

  test('for malformed XML, naming file and line', async () => {
    it.project.write('.ai/directives/malformed.md', '# x\n```xml\n<directive name="x">\n<inputs>\n</directive>\n```\n');
    expect(await refusal(() => it.runtime.spawn('malformed'))).toMatchObject({
      code: 'invalid_item',
      where: { file: expect.stringContaining('malformed.md'), line: expect.any(Number) },
    });
  });

  test('and leaves no row behind', async () => {
    const before = it.runtime.list({ limit: 1000 }).length;
    await refusal(() => it.runtime.spawn('greet', {}));
    expect(it.runtime.list({ limit: 1000 })).toHaveLength(before);
  });
});

describe('The events of a thread', () => {
  test('come gapless from 1, from the first to the only terminal one', async () => {
    const handle = await it.runtime.spawn('steps');
    const events = await eventsOf(handle);
    const stored = events.filter(({ sequence }) => sequence !== undefined);
    expect(stored.map(({ sequence }) => sequence)).toEqual(stored.map((_, index) => index + 1));
    expect(events[0]?.event_type).toBe('thread_started');
    expect(events.filter(isTerminal)).toHaveLength(1);
    expect(events.at(-1)?.event_type).toBe('thread_completed');
  });

  test('have the envelope of S2', async () => {
    const handle = await it.runtime.spawn('plain');
    for (const event of await eventsOf(handle)) {
      expect(event).toMatchObject({
        thread_id: handle.id,
        event_type: expect.any(String),
        timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        payload: expect.any(Object),
        criticality: expect.stringMatching(/^(?:critical|droppable)$/),
      });
    }
  });

  test('are the same for one who listens late as for one who listened from the start', async () => {
    const handle = await it.runtime.spawn('steps');
    const early = await eventsOf(handle);
    const late = await eventsOf(it.runtime.thread(handle.id));
    const stored = (events: readonly ThreadEvent[]): ThreadEvent[] => events.filter(({ sequence }) => sequence);
    expect(stored(late)).toEqual(stored(early));
  });

  test('are what is on disk', async () => {
    const handle = await it.runtime.spawn('steps');
    const events = await eventsOf(handle);
    const onDisk = it.project.log(handle.id);
    expect(onDisk.map(({ event_type, payload }) => ({ event_type, payload }))).toEqual(
      events.filter(({ sequence }) => sequence).map(({ event_type, payload }) => ({ event_type, payload })),
    );
  });

  test('tell what the model was asked, said and called', async () => {
    const handle = await it.runtime.spawn('steps');
    const told = (await eventsOf(handle)).flatMap(({ event_type, payload }) => {
      return 'call_id' in payload ? [`${event_type} ${'output' in payload ? payload.output : ''}`.trim()] : [];
    });
    expect(told).toEqual([
      'tool_call_start',
      'tool_call_result {"echo":"one"}',
      'tool_call_start',
      'tool_call_result {"echo":"two"}',
    ]);
  });

  test('leave the thread alone when nobody wants more of them', async () => {
    const handle = await it.runtime.spawn('steps');
    for await (const event of handle) if (event.event_type === 'thread_started') break;
    expect(await handle.result).toMatchObject({ status: 'completed', text: 'done' });
  });

  test('go to several listeners, each from the first', async () => {
    const handle = await it.runtime.spawn('steps');
    const [one, other] = await Promise.all([eventsOf(handle), eventsOf(handle)]);
    expect(one.length).toBeGreaterThan(5);
    expect(other).toEqual(one);
  });

  test('do not change with being watched', async () => {
    const chunked = { text: 'a b c d', chunks: 4, delay_ms: 8 };
    await using watched = await scene({ chat: { says: [chunked] } });
    const first = await watched.runtime.spawn('chat');
    await first.result;
    const second = await watched.runtime.spawn('chat');
    await eventsOf(second);
    const types = (id: string): string[] => watched.project.log(id).map(({ event_type }) => event_type);
    expect(types(second.id)).toEqual(types(first.id));
  });

  test('show the answer while it comes', async () => {
    const handle = await it.runtime.spawn('talking');
    const delta = await until(handle, 'cognition_out_delta');
    expect(delta.payload.text).toMatch(/^w/);
    expect(delta.sequence).toBeUndefined();
    await handle.cancel();
  });
});

describe('runtime.on', () => {
  test('hears the events of all threads, each under its name and as event', async () => {
    const heard: string[] = [];
    const offs = [
      it.runtime.on('thread_completed', (event) => {
        expectTypeOf(event.payload.cost.turns).toEqualTypeOf<number>();
        heard.push(`completed ${event.thread_id}`);
      }),
      it.runtime.on('event', (event) => {
        if (event.event_type === 'thread_completed') heard.push(`event ${event.thread_id}`);
      }),
    ];
    const handles = await Promise.all([it.runtime.spawn('plain'), it.runtime.spawn('plain')]);
    await Promise.all(handles.map(eventsOf));
    for (const off of offs) off();
    const expected = handles.flatMap(({ id }) => [`completed ${id}`, `event ${id}`]);
    expect(heard.toSorted()).toEqual(expected.toSorted());
  });

  test('hears nothing any more once it was taken back', async () => {
    let heard = 0;
    const off = it.runtime.on('event', () => void heard++);
    off();
    off();
    await eventsOf(await it.runtime.spawn('plain'));
    expect(heard).toBe(0);
  });

  const broken = new Error('listener is broken');

  test.each<[string, () => void]>([
    [
      'throws',
      () => {
        throw broken;
      },
    ],
    ['rejects', async () => Promise.reject(broken)],
  ])('with a listener that %s harms neither threads nor other listeners, and is reported', async (_how, listener) => {
    const problems: string[] = [];
    let heard = 0;
    const offs = [
      it.runtime.on('problem', ({ message }) => problems.push(message)),
      it.runtime.on('event', listener),
      it.runtime.on('event', () => void heard++),
    ];
    const handle = await it.runtime.spawn('plain');
    const events = await eventsOf(handle);
    for (const off of offs) off();
    expect(heard).toBeGreaterThanOrEqual(events.length);
    expect(problems[0]).toContain('listener is broken');
    expect(await handle.result).toMatchObject({ status: 'completed' });
  });
});

describe('A registered tool', () => {
  test('that is a function of the host answers the model', async () => {
    const handle = await it.runtime.spawn('steps');
    expect(await handle.result).toMatchObject({ status: 'completed', cost: { turns: 3 } });
  });

  test('gets no input that does not fit its schema: the model hears why', async () => {
    const events = await eventsOf(await it.runtime.spawn('bad_input'));
    const result = events.find(({ event_type }) => event_type === 'tool_call_result');
    expect(result?.payload).toMatchObject({
      error: expect.stringMatching(/\[tool_input_invalid\].*schema: [a-z]+ \(/),
    });
  });

  test('that throws is an error to the model, and the thread goes on', async () => {
    const handle = await it.runtime.spawn('throwing');
    const result = await until(handle, 'tool_call_result');
    expect(result.payload.error).toContain('the tool is broken');
    expect(await handle.result).toMatchObject({ status: 'completed' });
  });

  test('that throws something odd harms nobody', async () => {
    await it.runtime.registerTool({
      id: 'app/throw',
      description: 'throws an object without a prototype',
      input: z.object({}),
      run: () => Promise.reject(Object.create(null)),
    });
    const handle = await it.runtime.spawn('throwing');
    const result = await until(handle, 'tool_call_result');
    expect(result.payload.error).toContain('[tool_failed]');
    expect(await handle.result).toMatchObject({ status: 'completed' });
  });

  test('that is a function is told of its call, and that nobody waits for it any more', async () => {
    const says = [call('app_wait', { who: 'Ada' })];
    await using own = await scene({ task: { says } });
    const told = Promise.withResolvers<FunctionCaller>();
    await own.runtime.registerTool({
      id: 'app/wait',
      description: '',
      input: { type: 'object', properties: { who: { const: 'Ada' } } },
      run: (_input, caller) => {
        told.resolve(caller);
        return new Promise(() => {});
      },
    });
    const handle = await own.runtime.spawn('task');
    const { threadId, callId, signal } = await told.promise;
    expect([threadId, signal.aborted]).toEqual([handle.id, false]);
    const stopped = once(signal, 'abort');
    await handle.cancel();
    await stopped;
    const started = (await eventsOf(handle)).find(({ event_type }) => event_type === 'tool_call_start');
    expect(started?.payload).toMatchObject({ call_id: callId });
  });

  test('that is a function with a JSON Schema gets no input that does not fit it', async () => {
    await using own = await scene({
      task: { says: [call('app_add', { n: 'three' }), call('app_add'), { text: 'done' }] },
    });
    const input = { type: 'object', properties: { n: { type: 'integer', default: 2 } } };
    await own.runtime.registerTool({ id: 'app/add', description: '', input, run: ({ n }) => Number(n) + 1 });
    const events = await eventsOf(await own.runtime.spawn('task'));
    const results = events.filter((event) => event.event_type === 'tool_call_result').map(({ payload }) => payload);
    expect(results).toMatchObject([{ error: expect.stringContaining('[tool_input_invalid]') }, { output: '3' }]);
  });

  test('that is refused beside one of its id that is not leaves that one', async () => {
    await using own = await scene({ task: { says: [call('app_add'), { text: 'done' }] } });
    const tool = { id: 'app/add', description: '' };
    const bad = refusal(() =>
      own.runtime.registerTool({ ...tool, input: { type: ['object'], minimum: 'x' }, run: () => 1 }),
    );
    await own.runtime.registerTool({ ...tool, input: {}, run: () => 'good' });
    expect(await bad).toMatchObject({ code: 'invalid_argument' });
    const result = await until(await own.runtime.spawn('task'), 'tool_call_result');
    expect(result.payload.output).toBe('good');
  });

  test('that is refused leaves the one that had its id before', async () => {
    await using own = await scene({ task: { says: [call('app_add'), { text: 'done' }] } });
    const tool = { id: 'app/add', description: '' };
    await own.runtime.registerTool({ ...tool, input: z.object({}), run: () => 'before' });
    const input = { type: 'object', properties: { n: { type: 'no type' } } };
    const refused = await refusal(() => own.runtime.registerTool({ ...tool, input, run: () => 'after' }));
    expect(refused).toMatchObject({ code: 'invalid_argument', message: expect.stringContaining('app/add') });
    const result = await until(await own.runtime.spawn('task'), 'tool_call_result');
    expect(result.payload.output).toBe('before');
  });

  test('that returns what JSON can not hold is an error to the model, and harms nobody', async () => {
    await using own = await scene({ task: { says: [call('app_odd'), { text: 'done' }] } });
    const input = z.object({});
    await own.runtime.registerTool({ id: 'app/odd', description: '', input, run: () => ({ n: 1n }) });
    const handle = await own.runtime.spawn('task');
    const result = await until(handle, 'tool_call_result');
    expect(result.payload.error).toContain('[tool_failed]');
    expect(await handle.result).toMatchObject({ status: 'completed' });
  });

  test('of a module runs in the workers', async () => {
    const handle = await it.runtime.spawn('module');
    const result = await until(handle, 'tool_call_result');
    expect(result.payload.output).toBe('3');
  });

  test('of a module can be added later', async () => {
    await using later = await scene({ module: PARTS['module'] as Part });
    const url = new URL('../src/tools/fixtures/module-tools-sample.ts', import.meta.url);
    await later.runtime.registerTool({ module: url });
    const result = await until(await later.runtime.spawn('module'), 'tool_call_result');
    expect(result.payload.output).toBe('3');
  });

  test.each([
    ['a module that is not there', { module: 'file:///no/such/module.js' }],
    ['a module with more than its URL', { module: 'file:///no/such/module.js', idempotent: true }],
    [
      'a misspelt setting',
      { id: 'app/odd', description: '', input: z.object({}), run: (): number => 1, idempotant: true },
    ],
    ['an id that leads out', { id: '../odd', description: '', input: z.object({}), run: () => 1 }],
    [
      'a schema of another library without JSON Schema',
      {
        id: 'app/other',
        description: '',
        input: standard(z.object({})),
        run: () => 1,
      },
    ],
  ])('is refused: %s', async (_name, tool) => {
    expect(await refusal(() => it.runtime.registerTool(tool))).toMatchObject({ code: 'invalid_argument' });
  });

  test('runs beside others of the same message, and their results come back in the order of the calls', async () => {
    const handle = await it.runtime.spawn('many');
    await handle.result;
    const log = it.project.log(handle.id);
    const starts = log.flatMap((event) =>
      event.event_type === 'tool_call_start' ? [event.payload.input['text']] : [],
    );
    expect(starts).toEqual(['call 3', 'call 1', 'call 2']);
    expect(log.filter(({ event_type }) => event_type === 'tool_call_result')).toHaveLength(3);
  });
});

describe('A tool call', () => {
  test('without the capability is denied, and the thread goes on', async () => {
    const handle = await it.runtime.spawn('denied');
    const result = await until(handle, 'tool_call_result');
    expect(result.payload.error).toContain('[permission_denied]');
    expect(await handle.result).toMatchObject({ status: 'completed', text: 'I could not' });
  });

  test('of a tool nobody has is an error to the model', async () => {
    const result = await until(await it.runtime.spawn('unknown'), 'tool_call_result');
    expect(result.payload.error).toContain('[tool_unknown]');
  });
});

describe('A registered hook', () => {
  test('is called by the hook of a directive, with the event, its context and its params', async () => {
    const calls: unknown[] = [];
    it.runtime.registerHook('gate', (given) => void calls.push(given));
    const handle = await it.runtime.spawn('gated');
    expect(await handle.result).toMatchObject({ status: 'completed' });
    expect(calls).toEqual(
      [0, 1].map((turn) => ({
        event: 'before_step',
        context: expect.objectContaining({ thread_id: handle.id, turn, cost: expect.any(Object) }),
        params: { seen: turn },
        threadId: handle.id,
        signal: expect.any(AbortSignal),
      })),
    );
  });

  test.each([
    [
      { action: 'fail', error: 'not today' },
      { status: 'error', error: { code: 'hook_failed', message: 'not today' } },
    ],
    [
      { action: 'abort', error: 'stop' },
      { status: 'cancelled', error: { code: 'cancelled', message: 'stop' } },
    ],
    [{ action: 'continue' }, { status: 'completed' }],
    [{ text: 'text' }, { status: 'completed' }],
    [null, { status: 'completed' }],
  ])('that returns %j decides so', async (control, ending) => {
    it.runtime.registerHook('gate', () => control);
    const handle = await it.runtime.spawn('gated');
    expect(await handle.result).toMatchObject(ending);
  });

  test('that suspends leaves the thread suspended, and it can go on', async () => {
    it.runtime.registerHook('gate', () => ({ action: 'suspend', suspend_reason: 'ask a person' }));
    const handle = await it.runtime.spawn('gated');
    const event = await until(handle, 'thread_suspended');
    expect(event.payload).toEqual({ suspend_reason: 'approval', message: 'ask a person' });
    it.runtime.registerHook('gate', () => undefined);
    await settled(handle);
    await handle.resume();
    expect(await handle.result).toMatchObject({ status: 'completed' });
  });

  test.each<[string, HostHook, string]>([
    ['throws', () => Promise.reject(new Error('hook is broken')), 'hook is broken'],
    ['returns nonsense', () => ({ action: 'nonsense' }), 'no control result'],
    ['returns a text', () => 'fail', 'no control result'],
  ])('before a step that %s is a warning event, and the step is not taken', async (_title, hook, message) => {
    it.runtime.registerHook('gate', hook);
    const handle = await it.runtime.spawn('gated');
    const warning = await until(handle, 'warning');
    const why = expect.stringContaining(message) as string;
    expect(warning.payload).toMatchObject({ code: 'hook_failed', message: why, where: 'hook gate' });
    expect((await until(handle, 'thread_suspended')).payload).toMatchObject({ suspend_reason: 'approval' });
    await handle.cancel();
  });

  test('that returns what cannot travel is a warning event, and harms nobody', async () => {
    const hooks = `<hook id="odd" event="after_step"><action function="odd"/></hook>`;
    await using own = await scene({ task: { hooks, says: [{ text: 'done' }] } });
    own.runtime.registerHook('odd', () => ({ f: () => 1 }));
    const handle = await own.runtime.spawn('task');
    expect(await handle.result).toMatchObject({ status: 'completed' });
    expect(own.project.log(handle.id).map(({ event_type }) => event_type)).toContain('warning');
  });

  test('that nobody registered is a warning event', async () => {
    await using bare = await scene({ gated: { ...(PARTS['gated'] as Part), says: [{ text: 'done' }] } });
    const handle = await bare.runtime.spawn('gated');
    const warning = await until(handle, 'warning');
    expect(warning.payload).toMatchObject({ code: 'hook_failed', message: expect.stringContaining('gate') });
    await handle.cancel();
  });

  test('on after_complete that emits adds nothing to the log, and is reported once a thread', async () => {
    const emit =
      '<action primary="execute" item_type="tool" item_id="rye/agent/threads/internal/emitter">' +
      '<param name="event_type" value="warning"/></action>';
    const hooks = ['one', 'two'].map((id) => `<hook id="${id}" event="after_complete">${emit}</hook>`).join('');
    await using own = await scene({ task: { hooks, says: [{ text: 'done' }] }, endless: { says: [NEVER] } });
    const problems: string[] = [];
    own.runtime.on('problem', ({ code, message }) => problems.push(`${code} ${message}`));
    const handle = await own.runtime.spawn('task');
    await handle.result;
    const other = await own.runtime.spawn('endless');
    await until(other, 'thread_started');
    await other.cancel();
    expect(problems).toEqual([expect.stringContaining(`thread_ended Thread ${handle.id} has ended`)]);
    expect(own.project.log(handle.id).at(-1)?.event_type).toBe('thread_completed');
  });

  test('on after_complete is waited for by a runtime that closes, and so is the one after it', async () => {
    const hooks = ['one', 'two'].map(
      (id) => `<hook id="${id}" event="after_complete"><action function="${id}"/></hook>`,
    );
    await using own = await scene({ task: { hooks: hooks.join(''), says: [{ text: 'done' }] } });
    const gate = Promise.withResolvers<void>();
    const heard: string[] = [];
    own.runtime.registerHook('one', () => gate.promise);
    own.runtime.registerHook('two', ({ event }) => void heard.push(event));
    await (
      await own.runtime.spawn('task')
    ).result;
    const closing = own.runtime.close();
    gate.resolve();
    await closing;
    expect(heard).toEqual(['after_complete']);
  });

  test('on after_complete hears of the end and cannot change it', async () => {
    const heard = Promise.withResolvers<unknown>();
    it.runtime.registerHook('after', ({ context }) => {
      heard.resolve(context);
      return { action: 'fail' };
    });
    const handle = await it.runtime.spawn('ending');
    expect(await heard.promise).toMatchObject({ thread_id: handle.id, status: 'completed' });
    expect(await handle.result).toMatchObject({ status: 'completed' });
    expect(it.project.log(handle.id).at(-1)?.event_type).toBe('thread_completed');
  });
});

describe('Cancelling', () => {
  test('in the middle of a model call ends the thread at once, with one terminal event and nothing after it', async () => {
    const handle = await it.runtime.spawn('endless');
    await until(handle, 'thread_started');
    expect(it.project.ledger(handle.id)).toMatchObject({ status: 'active' });
    await handle.cancel('changed my mind');
    expect(await handle.result).toMatchObject({
      status: 'cancelled',
      error: { code: 'cancelled', message: 'changed my mind' },
    });
    const log = it.project.log(handle.id);
    expect(log.filter(isTerminal)).toHaveLength(1);
    expect(log.at(-1)).toMatchObject({ event_type: 'thread_cancelled', payload: { reason: 'changed my mind' } });
    expect(log.at(-2)).toMatchObject({ event_type: 'usage', payload: { interrupted: true } });
  });

  test('is on disk when it is acknowledged', async () => {
    const handle = await it.runtime.spawn('endless');
    await handle.cancel();
    expect(it.project.row(handle.id)).toMatchObject({ status: 'cancelled' });
  });

  test('releases what the thread had reserved', async () => {
    const price = { input: 100, output: 100, cache_read: 0, cache_write: 0 };
    const models = { main: { provider: 'scripted', context_window: 200_000, max_output_tokens: 100, price } };
    await using paid = await scene({ endless: PARTS['endless'] as Part }, { config: { agent: { models } } });
    const handle = await paid.runtime.spawn('endless', {}, { limits: { spend: 5 } });
    await until(handle, 'thread_started');
    expect(paid.project.ledger(handle.id)?.reserved).toBeGreaterThan(100 * 100_000);
    await handle.cancel();
    const node = paid.project.ledger(handle.id);
    expect(node).toMatchObject({ status: 'released', reserved: 0 });
    expect(node?.committed).toBe(node?.actual);
  });

  test('keeps what the model had said', async () => {
    const handle = await it.runtime.spawn('talking');
    await until(handle, 'cognition_out_delta');
    await handle.cancel();
    const partial = it.project.log(handle.id).find(({ event_type }) => event_type === 'cognition_out');
    expect(partial?.payload).toMatchObject({ is_partial: true, text: expect.stringMatching(/^w/) });
  });

  test('in the middle of a tool call gives the call a result that says so', async () => {
    gates = [Promise.withResolvers<string>()];
    const handle = await it.runtime.spawn('slow');
    await until(handle, 'tool_call_start');
    await handle.cancel('enough');
    const log = it.project.log(handle.id);
    expect(log.find(({ event_type }) => event_type === 'tool_call_result')?.payload).toMatchObject({
      error: expect.stringContaining('enough'),
    });
  });

  test('of a thread that has ended changes nothing', async () => {
    const handle = await it.runtime.spawn('plain');
    await handle.result;
    await handle.cancel();
    expect(await handle.result).toMatchObject({ status: 'completed' });
    expect(it.project.log(handle.id).filter(isTerminal)).toHaveLength(1);
  });

  test('twice is once', async () => {
    const handle = await it.runtime.spawn('endless');
    await Promise.all([handle.cancel('first'), handle.cancel('second')]);
    expect((await handle.result).error?.message).toBe('first');
  });

  test('of a suspended thread ends it', async () => {
    const handle = await it.runtime.spawn('slow');
    await suspendInTool(handle);
    await handle.cancel('not needed');
    expect(await handle.result).toMatchObject({ status: 'cancelled', cost: { turns: 1 } });
    const log = it.project.log(handle.id);
    expect(log.map(({ sequence }) => sequence)).toEqual(log.map((_, index) => index + 1));
  });

  test('of a suspended thread is not undone by a resume that comes at the same time', async () => {
    await using own = await scene({ slow: PARTS['slow'] as Part });
    const handle = await own.runtime.spawn('slow');
    await handle.suspend();
    const [, resumed] = await Promise.all([handle.cancel('first'), refusal(() => handle.resume('second'))]);
    expect(resumed).toMatchObject({ code: expect.stringMatching(/invalid_argument|thread_ended/) });
    expect(await handle.result).toMatchObject({ status: 'cancelled' });
    const log = own.project.log(handle.id);
    expect(log.filter(isTerminal)).toHaveLength(1);
    expect(log.at(-1)?.event_type).toBe('thread_cancelled');
    const next = await own.runtime.spawn('slow');
    await next.cancel();
  });
});

describe('An abort signal', () => {
  test('cancels the thread', async () => {
    const controller = new AbortController();
    const handle = await it.runtime.spawn('endless', {}, { signal: controller.signal });
    await until(handle, 'thread_started');
    controller.abort();
    expect(await handle.result).toMatchObject({ status: 'cancelled' });
  });

  test('that was aborted before cancels it, too', async () => {
    const handle = await it.runtime.spawn('endless', {}, { signal: AbortSignal.abort() });
    expect(await handle.result).toMatchObject({ status: 'cancelled' });
  });

  test('that throws when it is listened to rejects, and the thread nobody has a handle of is cancelled', async () => {
    const addEventListener = (): void => {
      throw new TypeError('no listeners here');
    };
    const signal = {
      aborted: false,
      addEventListener,
      removeEventListener: addEventListener,
    } as unknown as AbortSignal;
    const before = new Set(it.runtime.list().map(({ id }) => id));
    await expect(it.runtime.spawn('endless', {}, { signal })).rejects.toThrow(TypeError);
    const begun = it.runtime.list().find(({ id }) => !before.has(id));
    expect(await it.runtime.thread(begun?.id ?? '').result).toMatchObject({ status: 'cancelled' });
    expect(await (await it.runtime.spawn('plain')).result).toMatchObject({ status: 'completed' });
  });

  test('has no listener left after the thread’s end', async () => {
    const controller = new AbortController();
    const { signal } = controller;
    const removed: string[] = [];
    const remove = signal.removeEventListener.bind(signal);
    signal.removeEventListener = (type: string, listener: () => void) => {
      removed.push(type);
      remove(type, listener);
    };
    const handle = await it.runtime.spawn('plain', {}, { signal });
    await handle.result;
    await expect.poll(() => removed).toEqual(['abort']);
  });
});

describe('Suspending', () => {
  test('waits for the step in hand, and a resume goes on with a message', async () => {
    const handle = await it.runtime.spawn('slow');
    await suspendInTool(handle);
    expect(await handle.status()).toMatchObject({ status: 'suspended', suspendReason: 'user' });
    await handle.resume('go on now');
    expect(await handle.result).toMatchObject({ status: 'completed', text: 'heard: go on now', cost: { turns: 2 } });
    const types = it.project.log(handle.id).map(({ event_type }) => event_type);
    expect(types.filter((type) => /^thread_(?:suspended|resumed)$/.test(type))).toEqual([
      'thread_suspended',
      'thread_resumed',
    ]);
  });

  test('keeps the result open until the thread has really ended', async () => {
    const handle = await it.runtime.spawn('slow');
    let isOver = false;
    const result = handle.result.then(() => (isOver = true));
    await suspendInTool(handle);
    await handle.status();
    expect(isOver).toBe(false);
    await handle.resume();
    await result;
  });

  test('lets the events go on after the resume, without a gap', async () => {
    const handle = await it.runtime.spawn('slow');
    const events = eventsOf(handle);
    await suspendInTool(handle);
    await handle.resume('again');
    const stored = (await events).filter(({ sequence }) => sequence);
    expect(stored.map(({ sequence }) => sequence)).toEqual(stored.map((_, index) => index + 1));
    expect(stored.at(-1)?.event_type).toBe('thread_completed');
  });

  test('of a thread that ends first is over with its end', async () => {
    const handle = await it.runtime.spawn('plain');
    await handle.suspend();
    expect(await handle.result).toMatchObject({ status: 'completed' });
  });

  test('keeps what the outputs must be', async () => {
    const parts = { asked: { says: [call('app_gate'), { text: 'done' }] } };
    await using asked = await scene(parts);
    const gate = Promise.withResolvers<string>();
    const input = z.object({});
    await asked.runtime.registerTool({ id: 'app/gate', description: '', input, run: () => gate.promise });
    const handle = await asked.runtime.spawn('asked', {}, { output: z.object({ n: z.number() }) });
    await until(handle, 'tool_call_start');
    const suspended = handle.suspend();
    gate.resolve('open');
    await suspended;
    await handle.resume();
    expect(await handle.result).toMatchObject({ status: 'error', error: { code: 'outputs_missing' } });
  });

  test('after the outputs were accepted asks the model for nothing more', async () => {
    const hooks = `<hook id="stop" event="after_step"><action function="stop"/></hook>`;
    await using own = await scene({ task: { hooks, outputs: ['n:integer'], says: [give({ n: 1 })] } });
    own.runtime.registerHook('stop', () => ({ action: 'suspend' }));
    const handle = await own.runtime.spawn('task');
    await until(handle, 'thread_suspended');
    await settled(handle);
    own.runtime.registerHook('stop', () => undefined);
    await handle.resume();
    expect(await handle.result).toMatchObject({ status: 'completed', outputs: { n: 1 }, cost: { turns: 1 } });
  });

  test('is refused to be undone where there is nothing to resume', async () => {
    gates = [Promise.withResolvers<string>()];
    const [gate] = gates;
    const handle = await it.runtime.spawn('slow');
    await until(handle, 'tool_call_start');
    expect(await refusal(() => handle.resume())).toMatchObject({ code: 'invalid_argument' });
    gate?.resolve('');
    await handle.result;
  });
});

describe('Sending', () => {
  test('reaches the model before its next turn', async () => {
    gates = [Promise.withResolvers<string>()];
    const [gate] = gates;
    const handle = await it.runtime.spawn('slow');
    await until(handle, 'tool_call_start');
    await handle.send('a word from outside');
    gate?.resolve('open');
    expect(await handle.result).toMatchObject({ text: 'heard: a word from outside' });
  });

  test('keeps the order of several messages', async () => {
    gates = [Promise.withResolvers<string>()];
    const [gate] = gates;
    const handle = await it.runtime.spawn('slow');
    await until(handle, 'tool_call_start');
    await Promise.all(['one', 'two', 'three'].map((text) => handle.send(text)));
    gate?.resolve('open');
    await handle.result;
    const heard = it.project
      .log(handle.id)
      .flatMap((event) => (event.event_type === 'cognition_in' ? [event.payload.text] : []));
    expect(heard.slice(-3)).toEqual(['one', 'two', 'three']);
  });

  test('to a thread that has ended is refused', async () => {
    const handle = await it.runtime.spawn('plain');
    await handle.result;
    expect(await refusal(() => handle.send('hello?'))).toMatchObject({ name: 'SkeinError', code: 'thread_ended' });
  });
});

describe('An option that a call does not have', () => {
  const wrong = { nonsense: 1 };
  test.each<[string, (handle: ThreadHandle) => unknown]>([
    ['spawn', () => it.runtime.spawn('plain', {}, wrong as object)],
    ['waitAll', () => it.runtime.waitAll([], wrong as object)],
    ['waitFirst', () => it.runtime.waitFirst([], wrong as object)],
    ['list', () => it.runtime.list(wrong as object)],
    ['close', () => it.runtime.close(wrong as object)],
    ['resume', (handle) => handle.resume('on', wrong as object)],
    ['createRuntime', async () => (await importSkein()).createRuntime(wrong as object)],
  ])('is refused by %s, and nothing is done', async (name, use) => {
    const handle = await it.runtime.spawn('plain');
    await handle.result;
    expect(await refusal(() => use(handle))).toMatchObject({
      name: 'SkeinError',
      code: 'invalid_argument',
      message: expect.stringMatching(new RegExp(`^${name} has no option "nonsense"; the options are [a-z]`)),
    });
    // It has not been closed either.
    expect(it.runtime.list({ limit: 1 }).map(({ id }) => id)).toEqual([handle.id]);
  });
});

describe('An argument that is something else', () => {
  // What callers without types may pass.
  const notIds = [5, null, 'thread-1', { length: 1 }] as never[];
  const notId = [5, null, undefined, {}, [], Symbol('id'), 1n] as never[];
  const isGiven = (given: unknown): boolean => given !== undefined;
  test.each<[string, readonly never[], (given: never) => unknown]>([
    ['a list of ids, to waitAll', notIds, (given) => it.runtime.waitAll(given)],
    ['a list of ids, to waitFirst', notIds, (given) => it.runtime.waitFirst(given)],
    ['an id in a list', notId, (given) => it.runtime.waitAll([given])],
    ['a deadline', ['5', Number.NaN, null] as never[], (given) => it.runtime.waitAll([], { timeoutMs: given })],
    ['an early end', ['yes', 1, null] as never[], (given) => it.runtime.waitAll([], { failFast: given })],
    ['the id of a thread', notId, (given) => it.runtime.thread(given)],
    ['the id of a thread to fork', notId, (given) => it.runtime.fork(given, { at: 0 })],
    ['a parent', notId.filter(isGiven), (given) => it.runtime.spawn('plain', {}, { parent: given })],
    ['inputs', [5, null, [], 'x'] as never[], (given) => it.runtime.spawn('plain', given)],
    ['other inputs', [5, null, [], 'x'] as never[], (given) => it.runtime.fork('x', { at: 0, inputs: given })],
    ['a model', notId.filter(isGiven), (given) => it.runtime.spawn('plain', {}, { model: given })],
    ['limits', [5, null, [], 'x', new Map()] as never[], (given) => it.runtime.spawn('plain', {}, { limits: given })],
    ['a signal', [5, null, {}, 'x'] as never[], (given) => it.runtime.spawn('plain', {}, { signal: given })],
    [
      'a schema',
      [5, null, {}, 'x', { '~standard': {} }] as never[],
      (given) => it.runtime.spawn('plain', {}, { output: given }),
    ],
    ['a listener of approvals', notId, (given) => it.runtime.approvals.on('requested', given)],
    [
      'inputs of a preview',
      [5, null, [], 'x'] as never[],
      async (given) => (await importSkein()).previewPrompt('plain', given),
    ],
    [
      'the model of a preview',
      notId.filter(isGiven),
      async (given) => (await importSkein()).previewPrompt('plain', {}, { model: given }),
    ],
    ['the name of a hook', notId, (given) => it.runtime.registerHook(given, () => undefined)],
    ['a hook', notId, (given) => it.runtime.registerHook('guard', given)],
    ['the name of an event', notId, (given) => it.runtime.on(given, (() => undefined) as never)],
    ['a listener', notId, (given) => it.runtime.on('problem', given)],
    ['time to close', ['5', Number.NaN] as never[], (given) => it.runtime.close({ graceMs: given })],
  ])('is refused as %s, and nothing is done', async (_, given, use) => {
    const before = it.runtime.list();
    for (const one of given) {
      expect(await refusal(async () => use(one))).toMatchObject({ name: 'SkeinError', code: 'invalid_argument' });
    }
    expect(it.runtime.list()).toEqual(before);
  });
});

test('What a thread is resumed or forked with is looked at as well', async () => {
  const handle = await it.runtime.spawn('plain');
  await handle.result;
  for (const limits of [5, null, [], 'x', new Map()] as never[]) {
    expect(await refusal(() => handle.resume('on', { limits }))).toMatchObject({ code: 'invalid_argument' });
    expect(await refusal(() => it.runtime.fork(handle.id, { at: 0, limits }))).toMatchObject({
      code: 'invalid_argument',
    });
  }
  for (const at of [Symbol('at'), '1', null, undefined] as never[])
    expect(await refusal(() => it.runtime.fork(handle.id, { at }))).toMatchObject({ code: 'invalid_argument' });
});

test('A deadline that is over is one', async () => {
  const endless = await it.runtime.spawn('endless');
  expect(await it.runtime.waitAll([endless.id], { timeoutMs: -1 })).toMatchObject([{ status: 'timeout' }]);
  await endless.cancel();
});

describe('Waiting', () => {
  test('for all gives the results in the order asked', async () => {
    const handles = await Promise.all(['plain', 'broken', 'plain'].map((id) => it.runtime.spawn(id)));
    const results = await it.runtime.waitAll(handles.map(({ id }) => id));
    expect(results.map(({ id, status }) => [id, status])).toEqual([
      [handles[0]?.id, 'completed'],
      [handles[1]?.id, 'error'],
      [handles[2]?.id, 'completed'],
    ]);
    expect(results[0]?.ending).toEqual(await handles[0]?.result);
  });

  test('has one deadline for all', async () => {
    const [done, endless] = await Promise.all([it.runtime.spawn('plain'), it.runtime.spawn('endless')]);
    await done.result;
    const results = await it.runtime.waitAll([endless.id, done.id], { timeoutMs: 20 });
    expect(results.map(({ status }) => status)).toEqual(['timeout', 'completed']);
    await endless.cancel();
  });

  test('for the first is over with the first', async () => {
    const endless = await it.runtime.spawn('endless');
    const plain = await it.runtime.spawn('plain');
    const results = await it.runtime.waitFirst([endless.id, plain.id]);
    expect(results.map(({ status }) => status)).toEqual([expect.stringMatching(/timeout|running/), 'completed']);
    await endless.cancel();
  });

  test('with failFast is over with the first failure', async () => {
    const endless = await it.runtime.spawn('endless');
    const broken = await it.runtime.spawn('broken');
    const results = await it.runtime.waitAll([endless.id, broken.id], { failFast: true });
    expect(results[1]).toMatchObject({ status: 'error', ending: { error: { code: 'provider_failed' } } });
    await endless.cancel();
  });

  test('for an id that nobody has says so', async () => {
    const id = 'thread-00000000000000000000000000000000';
    expect(await it.runtime.waitAll([id])).toEqual([{ id, status: 'not_found', ending: undefined }]);
  });
});

describe('The list of threads', () => {
  test('is filtered by directive and status, newest first', async () => {
    const before = it.runtime.list({ directive: 'plain', status: ['completed'], limit: 1000 }).length;
    const first = await it.runtime.spawn('plain');
    await first.result;
    const second = await it.runtime.spawn('plain');
    await second.result;
    const listed = it.runtime.list({ directive: 'plain', status: ['completed'], limit: 1000 });
    expect(listed.slice(0, 2).map(({ id }) => id)).toEqual([second.id, first.id]);
    expect(listed).toHaveLength(before + 2);
    expect(listed[0]).toEqual({
      id: second.id,
      directive: 'plain',
      model: 'scripted:main',
      status: 'completed',
      usage: expect.objectContaining({ turns: 1, spend: 0 }),
      createdAtMs: expect.any(Number),
    });
    expect(it.runtime.list({ limit: 1 }).map(({ id }) => id)).toEqual([second.id]);
    expect(it.runtime.list({ status: ['continued'] })).toEqual([]);
  });

  test('shows a thread that runs as running', async () => {
    const handle = await it.runtime.spawn('endless');
    await until(handle, 'thread_started');
    expect(it.runtime.list({ status: ['running'] }).map(({ id }) => id)).toContain(handle.id);
    await handle.cancel();
    expect(it.runtime.list({ status: ['running'] }).map(({ id }) => id)).not.toContain(handle.id);
  });
});

test('the view of a runtime gives what its workers have spent in USD', async () => {
  const price = { input: 0, output: 100, cache_read: 0, cache_write: 0 };
  const models = { main: { provider: 'scripted', context_window: 200_000, max_output_tokens: 100, price } };
  const usage = { input_tokens: 0, output_tokens: 200 };
  await using paid = await scene({ task: { says: [{ text: 'done', usage }] } }, { config: { agent: { models } } });
  const handles = [await paid.runtime.spawn('task'), await paid.runtime.spawn('task')];
  for (const { result } of handles) expect(await result).toMatchObject({ cost: { spend: 0.02 } });
  const { running, queued, workers } = await paid.runtime.view();
  expect({ running, queued, spend: workers.map(({ spend }) => spend) }).toEqual({
    running: 0,
    queued: 0,
    spend: [0.04],
  });
});

describe('A failed model call', () => {
  test.each([
    ['429', { status_code: 429, headers: { 'retry-after-ms': '1' } }, 'rate_limited'],
    ['a lost connection', { code: 'ECONNRESET', headers: { 'retry-after-ms': '1' } }, 'transient'],
  ])('is tried again after %s, and a retry is no turn', async (_name, error, category) => {
    // `times` belongs to a rule without a turn: it answers once, then the next rule does.
    const rules = [{ directive: 'flaky', times: 1, error }];
    await using it = await scene({ flaky: { says: [{ text: 'at last' }] } }, { rules, config: FAST_RETRY });
    const handle = await it.runtime.spawn('flaky');
    expect(await handle.result).toMatchObject({ status: 'completed', text: 'at last', cost: { turns: 1 } });
    const classified = it.project.log(handle.id).filter(({ event_type }) => event_type === 'error_classified');
    expect(classified).toHaveLength(1);
    expect(classified[0]?.payload).toMatchObject({
      category,
      retryable: true,
      attempt: 0,
      delay_ms: expect.any(Number),
    });
  });

  test('is given up after max_retries', async () => {
    const error = { status_code: 503, message: 'overloaded' };
    await using it = await scene({ down: { says: [{ error }] } }, { config: FAST_RETRY });
    const handle = await it.runtime.spawn('down');
    expect(await handle.result).toMatchObject({
      status: 'error',
      error: { code: 'provider_failed', message: expect.stringContaining('overloaded') },
      cost: { turns: 0 },
    });
    const log = it.project.log(handle.id);
    const attempts = log.flatMap((event) => (event.event_type === 'error_classified' ? [event.payload.attempt] : []));
    expect(attempts).toEqual([0, 1, 2]);
  });

  test('can be cancelled while it waits for the next attempt', async () => {
    const error = { status_code: 429, headers: { 'retry-after': '60' } };
    await using it = await scene({ patient: { says: [{ error }] } });
    const handle = await it.runtime.spawn('patient');
    await expect.poll(async () => (await handle.status()).state).toBe('running.backingOff');
    await handle.cancel();
    expect(await handle.result).toMatchObject({ status: 'cancelled' });
  });
});

/** Waits of at most a millisecond between attempts. */
const FAST_RETRY = {
  error_classification: { patterns: [{ id: 'http_5xx', retry_policy: { base: 0.001, max: 0.001 } }] },
  resilience: { retry: { max_retries: 2 } },
};

function isTerminal({ event_type }: { readonly event_type: string }): boolean {
  return /^thread_(?:completed|error|cancelled|continued)$/.test(event_type);
}

function circle(): Record<string, unknown> {
  const one: Record<string, unknown> = {};
  one['self'] = one;
  return one;
}

/** A schema that is only a Standard Schema: nothing is known of it but how it validates. */
function standard<Out>(schema: z.ZodType<Out>): { readonly '~standard': z.ZodType<Out>['~standard'] } {
  return { '~standard': schema['~standard'] };
}

/** Suspends a `slow` thread while its tool runs, and lets the tool answer. */
async function suspendInTool(handle: ThreadHandle<unknown>): Promise<void> {
  gates = [Promise.withResolvers<string>()];
  const [gate] = gates;
  await until(handle, 'tool_call_start');
  const suspended = handle.suspend();
  gate?.resolve('open');
  await suspended;
}

/** Resolves once the host knows that the thread is suspended. */
async function settled(handle: ThreadHandle<unknown>): Promise<void> {
  await handle.suspend();
}

import { context, SpanStatusCode, trace, type HrTime } from '@opentelemetry/api';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { usdToNano } from '../src/core/money.ts';
import type { Failure } from '../src/index.ts';
import { asyncContexts, collect, type Collected, type Point } from './fixtures/collected.ts';
import {
  call,
  give,
  NEVER,
  refusal,
  scene,
  SPAWN,
  starterOf,
  THREAD_TOOLS,
  until,
  type Part,
  type Scene,
} from './fixtures/scene.ts';

const emit = {
  primary: 'execute',
  item_type: 'tool',
  item_id: 'rye/agent/threads/internal/emitter',
  params: { event_type: 'warning', payload: { code: 'seen', message: 'a turn' } },
};
const CONFIG = {
  hooks: {
    hooks: [{ id: 'note', event: 'after_step', condition: { path: 'turn', op: 'eq', value: 2 }, action: emit }],
  },
  resilience: { retry: { policies: { exponential: { type: 'exponential', base: 0.01, max: 0.02 } } } },
};
const SECRET = 'sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789';
const usage = { input_tokens: 100, output_tokens: 20 };

const PARTS: Readonly<Record<string, Part>> = {
  lead: { tools: [...THREAD_TOOLS, 'app/*'], says: [spawnTwo(), { text: 'done', usage }] },
  worker: {
    tools: ['app/*'],
    says: [
      { ...call('app_echo', { text: 'hello' }), usage },
      { text: 'done', usage },
    ],
  },
  failing: { says: [{ error: { type: 'Odd', message: `no ${SECRET}`, status_code: 400 } }] },
  again: {
    says: [
      { error: { type: 'APIError', message: 'down', status_code: 503 }, times: 1 },
      { text: 'done', usage },
    ],
  },
  hangs: { says: [NEVER] },
  astray: { tools: ['app/*'], says: [call('no_such_tool'), give()] },
  breaks: { tools: ['app/*'], says: [call('app_break'), give()] },
  paused: {
    tools: ['app/*'],
    says: [call('app_echo', { text: 'a' }), { ...call('app_echo'), delay_ms: 100 }, { text: 'done' }],
  },
  fan: { ...starterOf(Array<string>(20).fill('worker'), { text: 'done' }), limits: { spawns: 20 } },
};

function spawnTwo(): Part['says'][number] {
  const input = { directive_name: 'worker' };
  return {
    tool_calls: [
      { name: SPAWN, input },
      { name: SPAWN, input },
    ],
    usage,
  };
}

async function start(
  collected: Collected,
  parts: Readonly<Record<string, Part>>,
  telemetry: { content?: boolean; maxThreads?: number } = {},
): Promise<Scene> {
  const { tracerProvider, meterProvider } = collected;
  const it = await scene(parts, {
    workers: 2,
    config: CONFIG,
    telemetry: { tracerProvider, meterProvider, ...telemetry },
  });
  const tool = { description: 'x', input: z.object({ text: z.string().optional() }) };
  await it.runtime.registerTool({ ...tool, id: 'app/echo', run: ({ text }) => text });
  await it.runtime.registerTool({
    ...tool,
    id: 'app/break',
    run() {
      throw new Error('broken');
    },
  });
  return it;
}

function timeOf([seconds, nanos]: HrTime): number {
  return seconds * 1e9 + nanos;
}

function total(points: readonly Point[]): { readonly count: number; readonly value: number } {
  return points.reduce((sum, { count, value }) => ({ count: sum.count + count, value: sum.value + value }), {
    count: 0,
    value: 0,
  });
}

describe('OpenTelemetry', () => {
  const collected = collect();
  let it: Scene;
  beforeAll(async () => {
    context.setGlobalContextManager(asyncContexts());
    it = await start(collected, PARTS);
  });
  afterAll(async () => {
    await it[Symbol.asyncDispose]();
    context.disable();
  });

  test('has a tree of threads as a tree of spans, in one trace below its caller', async () => {
    const caller = collected.tracerProvider.getTracer('app').startSpan('request');
    const handle = await context.with(trace.setSpan(context.active(), caller), () => it.runtime.spawn('lead'));
    expect((await handle.result).status).toBe('completed');
    caller.end();
    const worker = [
      '  invoke_agent worker',
      '    turn 1',
      '      chat main',
      '      execute_tool app_echo',
      '      hook infra_save_state',
      '    turn 2',
      '      chat main',
      '      hook note',
      '      hook infra_save_state',
    ];
    expect(collected.tree(handle.id)).toEqual([
      'invoke_agent lead',
      '  turn 1',
      '    chat main',
      `    execute_tool ${SPAWN}`,
      `    execute_tool ${SPAWN}`,
      '    hook infra_save_state',
      '  turn 2',
      '    chat main',
      '    hook note',
      '    hook infra_save_state',
      ...worker,
      ...worker,
    ]);
    const root = collected.thread(handle.id);
    expect(root.parentSpanContext?.spanId).toBe(caller.spanContext().spanId);
    const traces = new Set(collected.spans().map((span) => span.spanContext().traceId));
    expect([...traces]).toEqual([caller.spanContext().traceId]);
    expect(root.attributes).toMatchObject({
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.agent.name': 'lead',
      'gen_ai.conversation.id': handle.id,
      'gen_ai.provider.name': 'scripted',
      'gen_ai.request.model': 'main',
      'gen_ai.usage.input_tokens': 200,
      'skein.turns': 2,
      'skein.thread.status': 'completed',
    });
  });

  test('has what the conventions say of a call and of a tool, and no content', () => {
    const chat = collected.spans().find(({ name }) => name === 'chat main');
    const tool = collected.spans().find(({ name }) => name === 'execute_tool app_echo');
    expect(chat?.attributes).toMatchObject({
      'gen_ai.operation.name': 'chat',
      'gen_ai.usage.input_tokens': 100,
      'gen_ai.usage.output_tokens': 20,
      'gen_ai.response.finish_reasons': ['tool_call'],
      'skein.attempt': 0,
    });
    expect(tool?.attributes).toEqual({
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': 'app_echo',
      'gen_ai.tool.type': 'function',
      'gen_ai.tool.call.id': expect.any(String),
      'skein.thread.id': expect.any(String),
    });
    expect(JSON.stringify(collected.spans().map(({ attributes }) => attributes))).not.toContain('hello');
  });

  test('has a failed thread as an error, without secrets', async () => {
    const handle = await it.runtime.spawn('failing');
    expect((await handle.result).status).toBe('error');
    const span = collected.thread(handle.id);
    expect(span.status).toMatchObject({ code: SpanStatusCode.ERROR, message: expect.stringContaining('[redacted]') });
    expect(span.attributes).toMatchObject({ 'error.type': 'provider_failed', 'skein.thread.status': 'error' });
    expect(collected.tree(handle.id)).toEqual([
      'invoke_agent failing',
      '  turn 1',
      '    chat main',
      '    hook default_fail_permanent',
    ]);
  });

  test('has each attempt of a turn as a call of its own', async () => {
    const handle = await it.runtime.spawn('again');
    expect((await handle.result).status).toBe('completed');
    expect(collected.tree(handle.id)).toEqual([
      'invoke_agent again',
      '  turn 1',
      '    chat main',
      '    chat main',
      '    hook default_retry_transient',
      '    hook infra_save_state',
    ]);
    const calls = collected
      .spans()
      .filter(({ name, attributes }) => name === 'chat main' && attributes['skein.thread.id'] === handle.id);
    expect(calls.map(({ status, attributes }) => [status.code, attributes['skein.attempt']])).toEqual([
      [SpanStatusCode.ERROR, 0],
      [SpanStatusCode.UNSET, 1],
    ]);
    expect(total(await collected.points('skein.model_call.retries')).value).toBe(1);
  });

  test('has a cancelled thread with the call that was broken off', async () => {
    const handle = await it.runtime.spawn('hangs');
    await until(handle, 'model_call_started');
    await handle.cancel();
    await handle.result;
    const span = collected.thread(handle.id);
    expect([span.status.code, span.attributes['skein.thread.status']]).toEqual([SpanStatusCode.UNSET, 'cancelled']);
    const [chat, turn] = ['chat main', 'turn 1'].map((wanted) =>
      collected.spans().findLast(({ name }) => name === wanted),
    );
    expect(chat?.attributes).toMatchObject({ 'error.type': 'cancelled', 'skein.thread.id': handle.id });
    expect(turn).toMatchObject({
      status: { code: SpanStatusCode.UNSET },
      attributes: { 'skein.thread.id': handle.id },
    });
  });

  test('has the error of a tool', async () => {
    const handle = await it.runtime.spawn('breaks');
    await handle.result;
    const span = collected.spans().findLast(({ name }) => name === 'execute_tool app_break');
    // What it says is content.
    expect(span?.status).toEqual({ code: SpanStatusCode.ERROR });
    expect(span?.attributes).toMatchObject({ 'error.type': 'tool_error', 'skein.thread.id': handle.id });
  });

  test('has a call of a tool that there is not without its name: a model can make up any number of them', async () => {
    const handle = await it.runtime.spawn('astray');
    await handle.result;
    expect(collected.tree(handle.id)).toContain('    execute_tool');
    const shared = { 'gen_ai.operation.name': 'execute_tool', 'error.type': 'tool_unknown' };
    const span = collected.spans().findLast(({ name }) => name === 'execute_tool');
    expect(span?.attributes).toEqual({
      ...shared,
      'gen_ai.tool.type': 'function',
      'gen_ai.tool.call.id': expect.any(String),
      'skein.thread.id': handle.id,
    });
    const points = await collected.points('gen_ai.execute_tool.duration');
    const unknown = points.filter(({ attributes }) => attributes['error.type'] === 'tool_unknown');
    expect(unknown.map(({ attributes }) => attributes)).toEqual([shared]);
  });

  test('has a resumed thread as another span, linked to the one before', async () => {
    const handle = await it.runtime.spawn('paused');
    await until(handle, 'model_call_started', ({ payload }) => payload.turn === 2);
    await handle.suspend();
    const first = collected.thread(handle.id);
    expect(first.attributes).toMatchObject({ 'skein.thread.status': 'suspended', 'skein.suspend_reason': 'user' });
    await handle.resume('go on');
    expect((await handle.result).status).toBe('completed');
    const second = collected.thread(handle.id);
    expect(second.links).toMatchObject([
      { context: { spanId: first.spanContext().spanId }, attributes: { 'skein.link': 'resumes' } },
    ]);
    expect(collected.tree(handle.id)).toContain('  turn 3');
  });

  test('has 200 threads, each with its spans below its parent', async () => {
    const before = collected.spans().length;
    const fans = await Promise.all(Array.from({ length: 10 }, () => it.runtime.spawn('fan')));
    await Promise.all(fans.map((fan) => fan.result));
    const threads = it.runtime.list({ directive: 'worker', limit: 1_000 });
    await it.runtime.waitAll(threads.map(({ id }) => id));
    await expect.poll(async () => total(await collected.points('skein.threads')).value).toBe(0);
    const spans = collected.spans().slice(before);
    const workers = spans.filter(({ name }) => name === 'invoke_agent worker');
    expect([workers.length, threads.length]).toEqual([200, 202]);
    const byFan = Map.groupBy(workers, ({ parentSpanContext }) => parentSpanContext?.spanId);
    expect(fans.map(({ id }) => byFan.get(collected.thread(id).spanContext().spanId)?.length)).toEqual(
      fans.map(() => 20),
    );
    expect(spans.filter(({ name }) => name === 'chat main')).toHaveLength(10 * (2 + 20 * 2));
    const byId = new Map(spans.map((span) => [span.spanContext().spanId, span]));
    const early = spans.filter((span) => {
      const parent = byId.get(span.parentSpanContext?.spanId ?? '');
      return parent && timeOf(span.startTime) < timeOf(parent.startTime);
    });
    expect(early.map(({ name }) => name)).toEqual([]);
  });

  test.each([
    ['gen_ai.client.operation.duration', 's'],
    ['gen_ai.client.token.usage', '{token}'],
    ['gen_ai.invoke_agent.duration', 's'],
    ['gen_ai.execute_tool.duration', 's'],
    ['skein.turn.duration', 's'],
    ['skein.hook.duration', 's'],
    ['skein.thread.queue_time', 's'],
    ['skein.event.lag', 's'],
    ['skein.thread.rests', '{thread}'],
  ])('has the metric %s', async (name) => {
    expect(total(await collected.points(name)).count).toBeGreaterThan(0);
  });

  test('counts every token once', async () => {
    const points = await collected.points('gen_ai.client.token.usage');
    const input = points.filter(({ attributes }) => attributes['gen_ai.token.type'] === 'input');
    const told = collected.spans().filter(({ name }) => name === 'chat main');
    const spent = told.reduce((sum, { attributes }) => sum + Number(attributes['gen_ai.usage.input_tokens'] ?? 0), 0);
    expect(total(input).value).toBe(spent);
  });
});

test('A thread and the one that takes over from it have each what it has used itself', async () => {
  const collected = collect();
  const answers: Part['says'] = [
    { ...call('app_echo', {}), usage, delay_ms: 100 },
    { text: 'done', usage },
  ];
  await using it = await start(collected, { passes: { tools: ['app/*'], says: answers } });
  const handle = await it.runtime.spawn('passes');
  await until(handle, 'model_call_started');
  await it.runtime.orchestrator.handoffThread(handle.id);
  expect((await handle.result).status).toBe('completed');
  const spans = collected.spans().filter(({ name }) => name === 'invoke_agent passes');
  const chats = collected.spans().filter(({ name }) => name === 'chat main');
  expect(spans.map(({ attributes }) => attributes['skein.thread.status'])).toEqual(['continued', 'completed']);
  const turns = spans.reduce((sum, { attributes }) => sum + Number(attributes['skein.turns']), 0);
  const tokens = spans.reduce((sum, { attributes }) => sum + Number(attributes['gen_ai.usage.input_tokens']), 0);
  expect([turns, tokens]).toEqual([chats.length, 100 * chats.length]);
});

test('Content is told if it is asked for, without secrets', async () => {
  const collected = collect();
  const echo = { name: 'app_echo', input: { text: SECRET } };
  const says = [{ tool_calls: [echo, echo] }, { text: `the key is ${SECRET}` }];
  await using it = await start(collected, { teller: { body: 'Say it.', says } }, { content: true });
  await (
    await it.runtime.spawn('teller')
  ).result;
  const said = collected.spans().map(({ attributes }) => attributes);
  expect(said.find((attributes) => attributes['gen_ai.tool.name'])).toMatchObject({
    'gen_ai.tool.call.arguments': '{"text":"[redacted]"}',
    'gen_ai.tool.call.result': expect.stringContaining('[redacted]'),
  });
  const chats = said.filter((attributes) => attributes['gen_ai.operation.name'] === 'chat');
  expect(chats[0]?.['gen_ai.input.messages']).toContain('Say it.');
  expect(JSON.parse(String(chats[0]?.['gen_ai.output.messages']))).toMatchObject([
    { finish_reason: 'tool_call', parts: [0, 1].map(() => ({ type: 'tool_call', name: 'app_echo' })) },
  ]);
  expect(JSON.parse(String(chats[1]?.['gen_ai.input.messages']))).toMatchObject(
    [0, 1].map(() => ({ role: 'tool', parts: [{ type: 'tool_call_response', id: expect.any(String) }] })),
  );
  expect(chats[1]?.['gen_ai.output.messages']).toContain('the key is [redacted]');
  expect(JSON.stringify(said)).not.toContain(SECRET);
});

test('What calls have cost is in their spans, in those of their threads and in the counter, as it is in the ledger', async () => {
  const collected = collect();
  const { tracerProvider, meterProvider } = collected;
  const price = { input: 1, output: 10, cache_read: 0, cache_write: 0 };
  const model = { provider: 'scripted', context_window: 128_000, max_output_tokens: 1_000, price };
  await using it = await scene(PARTS, {
    config: { ...CONFIG, agent: { models: { main: model } } },
    telemetry: { tracerProvider, meterProvider },
  });
  const handle = await it.runtime.spawn('again', {}, { limits: { spend: 1 } });
  expect((await handle.result).status).toBe('completed');
  // 100 tokens of input and 20 of output.
  const usd = 0.0003;
  expect(it.project.ledger(handle.id)?.actual).toBe(usdToNano(usd));
  const chats = collected.spans().filter(({ name }) => name === 'chat main');
  expect(chats.map(({ attributes }) => attributes['skein.spend'])).toEqual([0, usd]);
  expect(collected.thread(handle.id).attributes['skein.spend']).toBe(usd);
  const points = await collected.points('skein.spend');
  expect(total(points).value).toBeCloseTo(usd, 12);
  expect(points[0]?.attributes).toMatchObject({ 'gen_ai.request.model': 'main' });
});

test('Threads are counted by how they stand', async () => {
  const collected = collect();
  const { tracerProvider, meterProvider } = collected;
  const patient: Part = { tools: THREAD_TOOLS, says: [call(SPAWN, { directive_name: 'hangs' })] };
  await using it = await scene(
    { ...PARTS, patient },
    {
      config: { resilience: { concurrency: { max_total_threads: 2 } } },
      telemetry: { tracerProvider, meterProvider },
    },
  );
  const states = async (): Promise<unknown> =>
    Object.fromEntries(
      (await collected.points('skein.threads')).map(({ attributes, value }) => [
        attributes['skein.thread.state'],
        value,
      ]),
    );
  expect(await states()).toEqual({ running: 0, queued: 0, waiting: 0 });
  // It waits without a slot while its child has one.
  const parent = await it.runtime.spawn('patient');
  await until(parent, 'child_thread_started');
  const others = [await it.runtime.spawn('hangs'), await it.runtime.spawn('hangs')];
  await expect.poll(states).toEqual({ running: 2, queued: 1, waiting: 1 });
  for (const handle of [...others, parent]) await it.runtime.orchestrator.killThread(handle.id);
  await expect.poll(states).toEqual({ running: 0, queued: 0, waiting: 0 });
});

test('More threads than may be traced are counted, and run as ever', async () => {
  const collected = collect();
  await using it = await start(
    collected,
    { two: { says: [NEVER] }, one: { says: [{ text: 'done' }] } },
    { maxThreads: 1 },
  );
  const open = await it.runtime.spawn('two');
  await until(open, 'model_call_started');
  expect((await (await it.runtime.spawn('one')).result).status).toBe('completed');
  expect(total(await collected.points('skein.telemetry.dropped')).value).toBe(1);
  await open.cancel();
  await open.result;
  expect(collected.spans().map(({ name }) => name)).toEqual(['chat main', 'turn 1', 'invoke_agent two']);
});

test('A tracer that throws disturbs no thread, and is told once', async () => {
  const collected = collect();
  const tracer = (): never => {
    throw new Error('no backend');
  };
  const broken = { getTracer: () => ({ startSpan: tracer, startActiveSpan: tracer }) };
  await using it = await scene(PARTS, {
    telemetry: { tracerProvider: broken, meterProvider: collected.meterProvider },
  });
  const problems: Failure[] = [];
  it.runtime.on('problem', (problem) => problems.push(problem));
  for (const directive of ['again', 'again']) {
    expect((await (await it.runtime.spawn(directive)).result).status).toBe('completed');
  }
  expect(problems).toMatchObject([{ message: expect.stringContaining('no backend') }]);
});

test.each(['tracerProvider', 'meterProvider'])(
  'A %s that has nothing to give is refused at the start',
  async (name) => {
    const cause = new Error('no backend');
    const fails = (): never => {
      throw cause;
    };
    const telemetry = { [name]: { getTracer: fails, getMeter: fails } };
    expect(await refusal(() => scene({}, { telemetry }))).toMatchObject({
      code: 'invalid_argument',
      message: `telemetry.${name} failed: no backend`,
      cause,
    });
  },
);

/** As somebody writes it who has no compiler. */
const misspelt: object = { tracer: {} };

test.each([
  [{ maxThreads: 0 }, 'maxThreads is 0'],
  [misspelt, 'tracer'],
])('Options that mean nothing are refused: %j', async (telemetry, message) => {
  expect(await refusal(() => scene({}, { telemetry }))).toMatchObject({
    code: 'invalid_argument',
    message: expect.stringContaining(message),
  });
});

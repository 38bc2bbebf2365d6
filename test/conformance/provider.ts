import { describe, expect, test } from 'vitest';
import type { TokenUsage } from '../../src/core/provider.ts';
import { estimateTextTokens } from '../../src/providers/pricing.ts';
import { describeGuards, describeHostileServers } from './provider-hostile.ts';
import { API_KEY, start, TIMEOUTS, type MakeSubject } from './provider-run.ts';
import type { Scenario } from './model-scenario.ts';
import { createRecordingSink } from './recording-sink.ts';
import { REQUEST } from './sample-request.ts';

/**
 * `wire: false` leaves out what only a connection can do, `guarded: false` what only our own `fetch` refuses;
 * `countsCacheWrites: false` is for protocols that don't tell.
 */
export type SuiteOptions = {
  readonly wire: boolean;
  readonly guarded?: boolean;
  readonly countsCacheWrites?: boolean;
};

const USAGE: TokenUsage = { inputTokens: 120, outputTokens: 30, cacheReadTokens: 64, cacheWriteTokens: 16 };

const READ_A = { id: 'call_a', name: 'read', input: { path: 'a.txt', nested: { list: [1, 'ü', null] } } };
const READ_B = { id: 'call_b', name: 'list', input: {} };

function answer(fields: Partial<Extract<Scenario, { kind: 'answer' }>>): Scenario {
  return { kind: 'answer', texts: ['Hel', 'lo, wör', 'ld 🌍'], toolCalls: [], usage: USAGE, finish: 'stop', ...fields };
}

/** Everything a {@link Provider} promises. */
export function describeProvider(
  name: string,
  make: MakeSubject,
  { wire, guarded, countsCacheWrites = true }: SuiteOptions,
): void {
  describe(`${name} keeps a provider's promises`, () => {
    describeAnswers(make, countsCacheWrites ? USAGE : { ...USAGE, cacheWriteTokens: 0 });
    describeErrors(make);
    describeAbort(make, wire);
    if (!wire) return;
    describeBrokenStreams(make);
    describeTimeouts(make);
    describeRequests(make);
    describeHostileServers(make);
    if (guarded) describeGuards(make);
  });
}

function describeAnswers(make: MakeSubject, usage: TokenUsage): void {
  test('a text arrives in chunks that add up to it, then once as a whole', async () => {
    await using run = await start(make, answer({}));
    const response = await run.done();
    expect(response.text).toBe('Hello, wörld 🌍');
    expect(run.sink.text()).toBe(response.text);
    expect(run.sink.chunks.length).toBeGreaterThan(1);
    expect(response.toolCalls).toEqual([]);
    expect(response.finishReason).toBe('stop');
    expect(run.sink.ends).toHaveLength(1);
  });

  test('nothing is delivered before call returns', async () => {
    await using run = await start(make, answer({}));
    expect(run.deliveredInsideCall).toBe(0);
    await run.done();
  });

  test.each([
    ['one tool call', [READ_A]],
    ['two tool calls, in order', [READ_A, READ_B]],
  ])('%s with complete inputs', async (_title, toolCalls) => {
    await using run = await start(make, answer({ toolCalls, finish: 'tool_calls' }));
    const response = await run.done();
    expect(response.toolCalls).toEqual(toolCalls);
    expect(response.finishReason).toBe('tool_calls');
  });

  test('an answer cut by the token limit says so', async () => {
    await using run = await start(make, answer({ finish: 'length' }));
    expect((await run.done()).finishReason).toBe('length');
  });

  test('usage has all input, what of it came from and went into the cache, and the output', async () => {
    await using run = await start(make, answer({}));
    expect((await run.done()).usage).toEqual(usage);
  });

  test('no timer is left after an answer', async () => {
    await using run = await start(make, answer({}));
    await run.done();
    expect(run.clock.pending()).toBe(0);
  });

  test('calls at the same time do not touch each other', async () => {
    await using run = await start(make, answer({}));
    const others = Array.from({ length: 5 }, () => createRecordingSink());
    for (const sink of others) run.subject.provider.call(REQUEST, sink);
    for (const sink of [run.sink, ...others])
      expect(await sink.ended).toMatchObject({ done: { text: 'Hello, wörld 🌍' } });
  });
}

function describeErrors(make: MakeSubject): void {
  test.each([
    [429, 'rate_limit_error', { 'retry-after': '7', 'retry-after-ms': '6500' }],
    [500, 'api_error', {}],
    [529, 'overloaded_error', {}],
    [401, 'authentication_error', {}],
  ])('HTTP %i reaches the failure with type, message and headers', async (status, type, headers) => {
    await using run = await start(make, { kind: 'error', status, type, message: `no: ${type}`, headers });
    const failure = await run.failed();
    expect(failure).toMatchObject({ statusCode: status, type, headers });
    expect(failure.message).toContain(`no: ${type}`);
    expect(run.sink.chunks).toEqual([]);
    expect(run.clock.pending()).toBe(0);
  });
}

function describeAbort(make: MakeSubject, wire: boolean): void {
  test('abort before the answer: nothing is ever delivered', async () => {
    await using run = await start(make, wire ? { kind: 'silent' } : answer({}));
    run.call.abort();
    await run.settleDown();
    expect(run.sink.chunks).toEqual([]);
    expect(run.sink.ends).toEqual([]);
    expect(run.clock.pending()).toBe(0);
  });

  test('abort after the end changes nothing and reports no usage', async () => {
    await using run = await start(make, answer({}));
    await run.done();
    expect(run.call.abort()).toBeUndefined();
    expect(run.sink.ends).toHaveLength(1);
  });

  test('a call can be aborted from inside its own chunk', async () => {
    const outer: { abort?: () => void } = {};
    await using run = await start(make, answer({}), () => outer.abort?.());
    outer.abort = () => run.call.abort();
    await run.sink.begun;
    await run.settleDown();
    expect(run.sink.chunks).toHaveLength(1);
    expect(run.sink.ends).toEqual([]);
  });

  if (!wire) return;
  test('abort in mid-stream: the connection is closed, nothing more is delivered, the usage so far is told', async () => {
    await using run = await start(make, { kind: 'broken_text', ending: 'stall', texts: ['Hel', 'lo'] });
    await run.sink.begun;
    const before = run.sink.chunks.length;
    const usage = run.call.abort();
    expect(run.sink.chunks.length).toBe(before);
    await run.subject.server?.closed;
    await run.settleDown();
    expect(run.sink.chunks.length).toBe(before);
    expect(run.sink.ends).toEqual([]);
    expect(usage?.inputTokens).toBeGreaterThan(0);
    expect(usage?.outputTokens).toBeGreaterThan(0);
  });

  test.each([1, 2, 4])('abort with chunk %i: all that had arrived is counted as output', async (chunk) => {
    const told: { usage?: TokenUsage | undefined; abort?: () => TokenUsage | undefined } = {};
    const texts = ['Once upon a time ', 'there was a model ', 'that talked, ', 'and talked, ', 'and talked.'];
    let texted = 0;
    const onChunk = (): void => {
      texted = run.sink.chunks.filter(({ type }) => type === 'text').length;
      if (texted === chunk) told.usage ??= told.abort?.();
    };
    await using run = await start(make, { kind: 'broken_text', ending: 'stall', texts }, onChunk);
    told.abort = () => run.call.abort();
    await run.subject.server?.closed;
    expect(run.sink.text()).toBe(texts.slice(0, chunk).join(''));
    expect(told.usage?.outputTokens).toBeGreaterThanOrEqual(estimateTextTokens(run.sink.text()));
    expect(told.usage?.inputTokens).toBeGreaterThan(0);
  });
}

function describeBrokenStreams(make: MakeSubject): void {
  test.each(['reset', 'end', 'drop'] as const)(
    'a stream that breaks in mid-text (%s) is never an answer',
    async (ending) => {
      await using run = await start(make, { kind: 'broken_text', ending, texts: ['Hel', 'lo'] });
      const failure = await run.failed();
      expect(failure.type).toBe('ConnectionError');
      expect(failure.code).toBeDefined();
      expect(failure.message).toMatch(/connection|terminated|closed|reset/i);
      expect(failure.usage?.inputTokens).toBeGreaterThan(0);
      expect(failure.usage?.outputTokens).toBeGreaterThanOrEqual(estimateTextTokens(run.sink.text()));
      expect(run.sink.ends).toHaveLength(1);
      expect(run.clock.pending()).toBe(0);
    },
  );

  test.each([
    ['{"path": "a.t', false],
    ['{"path": "a.t', 'tool_calls'],
    ['[1, 2]', 'tool_calls'],
    ['"text"', 'tool_calls'],
    ['{"path": "a.txt"}', false],
  ] as const)('a tool input %s (rest of the answer sent: %s) is refused', async (json, closed) => {
    await using run = await start(make, { kind: 'cut_tool', json, closed });
    const failure = await run.failed();
    expect(failure.type).toBe(closed ? 'InvalidResponseError' : 'ConnectionError');
    expect(run.sink.ends).toHaveLength(1);
  });

  test('a tool input that ends with the limit of its answer is a call that nobody runs', async () => {
    await using run = await start(make, { kind: 'cut_tool', json: '{"path": "a.t', closed: 'length' });
    const { finishReason, toolCalls } = await run.done();
    expect(finishReason).toBe('length');
    // Some APIs say nothing of it.
    for (const call of toolCalls) expect(call.name).toBe('malformed_tool_call');
    expect(run.sink.chunks.map(({ type }) => type)).not.toContain('tool_ready');
  });

  test('an error event within the stream is a failure of its own type', async () => {
    await using run = await start(make, { kind: 'error_event', type: 'server_error', message: 'it broke' });
    const failure = await run.failed();
    expect(failure).toMatchObject({ type: 'server_error', statusCode: 500 });
    expect(failure.message).toContain('it broke');
  });

  test('a server that is not there is a connection failure', async () => {
    await using run = await start(make, { kind: 'silent' });
    await run.subject.server?.answered;
    run.call.abort();
    await run.subject[Symbol.asyncDispose]();
    const sink = createRecordingSink();
    run.subject.provider.call(REQUEST, sink);
    const end = await sink.ended;
    expect(end).toMatchObject({ failed: { type: 'ConnectionError', statusCode: undefined, usage: undefined } });
  });
}

function describeTimeouts(make: MakeSubject): void {
  test('no first byte in time', async () => {
    await using run = await start(make, { kind: 'silent' });
    await run.subject.server?.answered;
    run.clock.advance(TIMEOUTS.firstByteMs - 1);
    expect(run.sink.ends).toEqual([]);
    run.clock.advance(1);
    const usage = { inputTokens: REQUEST.inputTokens, outputTokens: 0 };
    expect(await run.failed()).toMatchObject({ type: 'TimeoutError', code: 'first_byte_timeout', usage });
    await run.subject.server?.closed;
    expect(run.sink.ends).toHaveLength(1);
  });

  test('a stall in mid-stream', async () => {
    await using run = await start(make, { kind: 'broken_text', ending: 'stall', texts: ['Hel'] });
    await run.sink.begun;
    run.clock.advance(TIMEOUTS.idleMs - 1);
    expect(run.sink.ends).toEqual([]);
    run.clock.advance(1);
    const failure = await run.failed();
    expect(failure).toMatchObject({ type: 'TimeoutError', code: 'idle_timeout' });
    expect(failure.message).toContain('timed out');
    expect(failure.usage?.inputTokens).toBeGreaterThan(0);
    await run.subject.server?.closed;
    expect(run.clock.pending()).toBe(0);
  });
}

function describeRequests(make: MakeSubject): void {
  test('the key is in a header of the request and in no failure', async () => {
    const message = `Incorrect API key provided: ${API_KEY}`;
    await using run = await start(make, {
      kind: 'error',
      status: 401,
      type: 'authentication_error',
      message,
      headers: { 'x-echo': API_KEY },
    });
    const failure = await run.failed();
    expect(JSON.stringify(run.subject.server?.requests[0]?.headers)).toContain(API_KEY);
    expect(JSON.stringify(failure)).not.toContain(API_KEY);
    expect(failure.message).toContain('Incorrect API key provided');
  });

  test('a failed request is sent once', async () => {
    const headers = { 'retry-after': '0', 'x-should-retry': 'true' };
    await using run = await start(make, { kind: 'error', status: 429, type: 'rate_limit_error', message: '', headers });
    await run.failed();
    expect(run.subject.server?.requests).toHaveLength(1);
  });
}

import type { ResponseCreateParams, ResponseStreamEvent } from 'openai/resources/responses/responses';
import { describe, expect, test } from 'vitest';
import { createHandClock } from '../../test/conformance/hand-clock.ts';
import { createRecordingSink } from '../../test/conformance/recording-sink.ts';
import { REQUEST } from '../../test/conformance/sample-request.ts';
import type { Message } from '../core/conversation.ts';
import type { ModelChunk, ModelRequest } from '../core/provider.ts';
import type { Fetch } from './http-fetch.ts';
import { OpenaiResponsesAnswer } from './openai-responses-answer.ts';
import { openaiResponsesRequest } from './openai-responses-request.ts';
import { createOpenaiResponsesProvider } from './openai-responses.ts';

type Fields = Readonly<Record<string, unknown>>;

const NAME = 'openai/responses';
const CALL = { id: 'call_1', name: 'read', input: { path: 'a' } };
const sent = (change: Partial<ModelRequest> = {}) => openaiResponsesRequest({ ...REQUEST, ...change }, NAME, true);

const added = (output_index: number, item: Fields) => ({ type: 'response.output_item.added', output_index, item });
const done = (output_index: number, item: Fields) => ({ type: 'response.output_item.done', output_index, item });
const says = (output_index: number, delta: string) => ({ type: 'response.output_text.delta', output_index, delta });
const thinks = (delta: string) => ({ type: 'response.reasoning_summary_text.delta', output_index: 0, delta });
const input = (output_index: number, delta: string) => ({
  type: 'response.function_call_arguments.delta',
  output_index,
  delta,
});
const USAGE = {
  input_tokens: 50,
  output_tokens: 20,
  input_tokens_details: { cached_tokens: 30, cache_write_tokens: 10 },
};
const completed = { type: 'response.completed', response: { status: 'completed', usage: USAGE } };
const incomplete = (reason: string) => ({
  type: 'response.incomplete',
  response: { status: 'incomplete', incomplete_details: { reason }, usage: USAGE },
});

const REASONING = { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'c2VjcmV0' };
const MESSAGE = { type: 'message', id: 'msg_1', role: 'assistant', content: [] };
const saying = (...texts: readonly string[]) => ({
  ...MESSAGE,
  content: texts.map((text) => ({ type: 'output_text', text })),
});
const refusing = { ...MESSAGE, content: [{ type: 'refusal', refusal: 'no' }] };
const ended = (response: Fields) => ({ type: 'response.completed', response: { status: 'completed', ...response } });
const FUNCTION = { type: 'function_call', id: 'fc_1', call_id: 'call_1', name: 'read', arguments: '' };

/** An answer that reasons, comments and calls. */
const THOUGHTFUL = [
  added(0, { ...REASONING, encrypted_content: 'half' }),
  thinks('Let me '),
  thinks('see.'),
  { type: 'response.reasoning_summary_part.added', output_index: 0, summary_index: 1 },
  thinks('Yes.'),
  done(0, { ...REASONING, status: 'completed' }),
  added(1, MESSAGE),
  says(1, 'I will '),
  says(1, 'read.'),
  done(1, { ...MESSAGE, status: 'completed', phase: 'commentary' }),
  added(2, FUNCTION),
  input(2, '{"path"'),
  input(2, ':"a"}'),
  done(2, { ...FUNCTION, arguments: '{"path":"a"}' }),
  completed,
];

function assemble(events: readonly Fields[], messages: readonly Message[] = []) {
  const chunks: ModelChunk[] = [];
  const answer = new OpenaiResponsesAnswer({
    request: { ...REQUEST, messages },
    chunk: (chunk) => chunks.push(chunk),
    carryName: NAME,
  });
  // The wire sends JSON; the type is what the SDK hopes for.
  const faults = events.map((event) => answer.push(event as unknown as ResponseStreamEvent));
  return { answer, chunks, outcome: faults.find(Boolean) ?? answer.finish() };
}

function after(events: readonly Fields[], before: readonly Message[] = []): readonly Message[] {
  const { outcome } = assemble(events, before);
  if (!('finishReason' in outcome)) throw new Error(outcome.message);
  const { text, toolCalls, carry } = outcome;
  return [{ role: 'assistant', text, toolCalls, ...(carry && { carry }) }];
}

describe('A request over the Responses API', () => {
  test('has the system prompt as instructions, calls and results as items, and asks that nothing be stored', () => {
    expect(sent()).toEqual({
      model: 'test-model',
      service_tier: 'default',
      stream: true,
      store: false,
      include: ['reasoning.encrypted_content'],
      instructions: 'You are careful.',
      max_output_tokens: 512,
      input: [
        { role: 'user', content: 'Read both files.' },
        { role: 'assistant', content: 'I will.' },
        { type: 'function_call', call_id: 'call_1', name: 'read', arguments: '{"path":"a.txt"}' },
        { type: 'function_call', call_id: 'call_2', name: 'read', arguments: '{"path":"b.txt"}' },
        { type: 'function_call_output', call_id: 'call_1', output: 'alpha' },
        { type: 'function_call_output', call_id: 'call_2', output: 'no such file' },
        { role: 'user', content: 'Go on.' },
      ],
      tools: [
        {
          type: 'function',
          name: 'read',
          description: 'Reads a file.',
          parameters: REQUEST.tools[0]?.inputSchema,
          strict: false,
        },
      ],
    });
  });

  test('has nothing that is empty', () => {
    const messages: readonly Message[] = [{ role: 'assistant', text: '', toolCalls: [] }];
    expect(sent({ system: '', tools: [], messages })).toMatchObject({ input: [] });
    expect(sent({ system: '', tools: [], messages })).not.toHaveProperty('instructions');
    expect(sent({ system: '', tools: [], messages })).not.toHaveProperty('tools');
  });

  test.each(['gpt-4o', 'gpt-4.1-mini', 'ft:gpt-4o:me::1', 'gpt-3.5-turbo', 'gpt-5-chat-latest'])(
    'does not ask %s for reasoning that it has not',
    (model) => {
      expect(sent({ model })).not.toHaveProperty('include');
    },
  );

  test('says how much is to be thought', () => {
    expect(sent({ reasoning: { effort: 'low' } }).reasoning).toEqual({ effort: 'low', summary: 'auto' });
  });

  test('says of an object and a list in a tool what they leave out, since the API asks for it', () => {
    const inputSchema = { type: 'object', properties: { a: { type: 'array' }, b: { type: 'object' } } };
    const parameters = {
      type: 'object',
      properties: { a: { type: 'array', items: {} }, b: { type: 'object', properties: {} } },
    };
    expect(sent({ tools: [{ name: 't', description: '', inputSchema }] }).tools).toMatchObject([{ parameters }]);
  });

  const closed = {
    type: 'object',
    properties: { a: { type: 'string' } },
    required: ['a'],
    additionalProperties: false,
  };

  test.each<[string, Fields, boolean]>([
    ['with every property required and no others', closed, true],
    ['with a list of such objects', { ...closed, properties: { a: { type: 'array', items: closed } } }, true],
    ['with a choice', { ...closed, properties: { a: { anyOf: [{ type: 'null' }, { type: 'integer' }] } } }, true],
    ['that is open', { ...closed, additionalProperties: true }, false],
    ['with an optional property', { ...closed, required: [] }, false],
    ['with an open object within', { ...closed, properties: { a: { type: 'object' } } }, false],
    [
      'with a keyword that strict mode does not know',
      { ...closed, properties: { a: { type: 'string', default: 'x' } } },
      false,
    ],
    ['with a property that may be anything', { ...closed, properties: { a: {} } }, false],
  ])('offers a tool %s: strict is what fits', (_title, inputSchema, strict) => {
    const tools = [{ name: 't', description: '', inputSchema }];
    expect(sent({ tools }).tools).toMatchObject([{ parameters: inputSchema, strict }]);
  });
});

describe('An answer over the Responses API', () => {
  test('has text, calls, reasoning, and usage as the provider counted it', () => {
    const { chunks, outcome } = assemble(THOUGHTFUL);
    const usage = { inputTokens: 50, outputTokens: 20, cacheReadTokens: 30, cacheWriteTokens: 10 };
    expect(outcome).toMatchObject({
      text: 'I will read.',
      toolCalls: [CALL],
      finishReason: 'tool_calls',
      reasoning: 'Let me see.\n\nYes.',
      usage,
    });
    expect(chunks.slice(-4)).toEqual([
      { type: 'tool_call', index: 0, name: 'read', json: '{"path"' },
      { type: 'tool_call', index: 0, name: 'read', json: ':"a"}' },
      { type: 'tool_ready', call: CALL },
      { type: 'usage', usage },
    ]);
  });

  test.each<[string, Fields[], string]>([
    ['that merely ends', [added(0, MESSAGE), says(0, 'x')], 'stream_incomplete'],
    ['of nothing', [], 'stream_incomplete'],
    ['with an item left open', [added(0, MESSAGE), completed], 'stream_incomplete'],
    ['that a filter withheld', [incomplete('content_filter')], 'content_filter'],
    ['that was steered away', [incomplete('steered')], 'incomplete'],
    ['that refuses', [{ type: 'response.refusal.delta', delta: 'no' }, completed], 'refusal'],
    ['with input for no call', [input(3, '{')], 'stream_order'],
    ['that refuses, said at the end of its item', [done(0, refusing), completed], 'refusal'],
    ['that failed without a reason', [{ type: 'response.failed', response: {} }], 'response_failed'],
    ['that is completed as cancelled', [says(0, 'x'), ended({ status: 'cancelled' })], 'response_failed'],
    ['that is completed with an error', [ended({ error: { code: 'server_error', message: 'no' } })], 'server_error'],
    ['that is completed as failed', [says(0, 'x'), ended({ status: 'failed' })], 'response_failed'],
    [
      'that is completed as failed, with a reason',
      [says(0, 'x'), ended({ status: 'failed', error: { code: 'server_error', message: 'no' } })],
      'server_error',
    ],
  ])('%s is none', (_title, events, code) => {
    expect(assemble(events).outcome).toMatchObject({ code });
  });

  test.each([
    ['server_error', 500],
    ['rate_limit_exceeded', 429],
    ['server_is_overloaded', 503],
    ['slow_down', 503],
    ['invalid_prompt', undefined],
  ])('that failed with %s says so', (code, statusCode) => {
    const failed = { type: 'response.failed', response: { error: { code, message: 'it broke' }, usage: USAGE } };
    const { answer, outcome } = assemble([failed]);
    expect(outcome).toMatchObject({ type: code, code, statusCode, message: 'it broke' });
    expect(answer.usage()).toMatchObject({ inputTokens: 50, outputTokens: 20 });
  });

  test('that was cut by the token limit is one, and says so', () => {
    const { outcome } = assemble([added(0, MESSAGE), says(0, 'x'), incomplete('max_output_tokens')]);
    expect(outcome).toMatchObject({ text: 'x', finishReason: 'length' });
  });

  test.each([
    ['within its input', [input(0, '{"a')], '{"a'],
    ['before its input', [], ''],
  ])('with a call cut by the token limit %s has one that can not be read', (_title, events, written) => {
    const { outcome } = assemble([added(0, FUNCTION), ...events, incomplete('max_output_tokens')]);
    const cut = { name: 'malformed_tool_call', input: { written } };
    expect(outcome).toMatchObject({ toolCalls: [cut], finishReason: 'length' });
  });

  test.each<[string, Fields[], string]>([
    ['at the end of the item', [added(0, MESSAGE), done(0, saying('Hi ', 'you')), completed], 'Hi you'],
    ['there in part', [says(0, 'Hi '), done(0, saying('Hi ', 'you')), completed], 'Hi you'],
    ['there once more', [says(0, 'Hi you'), done(0, saying('Hi ', 'you')), completed], 'Hi you'],
    ['there in another way', [says(0, ' Hi you'), done(0, saying('Hi you')), completed], ' Hi you'],
    ['there under another number', [says(0, 'Hi'), done(1, saying('Hi')), completed], 'Hi'],
    ['twice there', [done(0, saying('A')), done(0, saying('A')), completed], 'A'],
    ['of messages in turn', [says(0, 'A'), says(1, 'B'), done(0, saying('A')), done(1, saying('B')), completed], 'AB'],
    ['in another way at the end of the answer', [says(0, 'Hi'), ended({ output: [saying('Hello')] })], 'Hi'],
    ['as a text that is no list', [done(0, { ...MESSAGE, content: 'Hi' }), completed], 'Hi'],
    ['as a number', [done(0, { ...MESSAGE, content: [{ type: 'output_text', text: 5 }] }), completed], ''],
    ['of each message', [says(0, 'A'), done(0, saying('AB')), done(1, saying('AB')), completed], 'ABAB'],
    ['at the end of the answer', [ended({ output: [saying('Hi')] })], 'Hi'],
    ['there of an item that was begun', [added(0, MESSAGE), ended({ output: [saying('Hi')] })], 'Hi'],
    [
      'there once more, under another number',
      [says(1, 'Hi'), done(1, MESSAGE), ended({ output: [saying('Hi')] })],
      'Hi',
    ],
    ['of no known form', [says(0, 'x'), done(0, { ...MESSAGE, content: null }), ended({ output: [null, 5] })], 'x'],
  ])('has the text that is said %s', (_title, events, text) => {
    const { outcome, chunks } = assemble(events);
    expect(outcome).toMatchObject({ text, finishReason: 'stop' });
    expect(chunks.flatMap((chunk) => (chunk.type === 'text' ? [chunk.text] : [])).join('')).toBe(text);
  });

  test('has the calls that are said at its end alone, and all else only once', () => {
    const call = { ...FUNCTION, arguments: '{"path":"a"}' };
    const { outcome } = assemble([
      ...THOUGHTFUL.slice(0, 10),
      ended({ output: [REASONING, saying('I will read.'), call] }),
    ]);
    expect(outcome).toMatchObject({ text: 'I will read.', toolCalls: [CALL], finishReason: 'tool_calls' });
    const again = assemble([...THOUGHTFUL.slice(0, -1), ended({ output: [call, saying('I will read.')] })]);
    expect(again.outcome).toMatchObject({ text: 'I will read.', toolCalls: [CALL] });
    expect('toolCalls' in again.outcome && again.outcome.toolCalls).toHaveLength(1);
  });

  const calling = (call_id: string, args = '{}') => ({ ...FUNCTION, id: call_id, call_id, arguments: args });

  test('has a call once that its end names by another id', () => {
    const { outcome, chunks } = assemble([
      added(0, calling('a', '')),
      done(0, calling('a')),
      ended({ output: [calling('b')] }),
    ]);
    expect('toolCalls' in outcome && outcome.toolCalls.map(({ id }) => id)).toEqual(['a']);
    expect(chunks.filter(({ type }) => type === 'tool_ready')).toHaveLength(1);
  });

  test('whose calls are said at its end with an input that is no text has them without one', () => {
    const { outcome } = assemble([ended({ output: [{ ...calling('a'), arguments: { k: 1 } }] })]);
    expect(outcome).toMatchObject({ toolCalls: [{ id: 'a', input: {} }] });
  });

  test('that is cut off at its end alone is nothing to be given back', () => {
    const cut = { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } };
    const { outcome } = assemble([
      ...THOUGHTFUL.slice(0, 3),
      { type: 'response.incomplete', response: { ...cut, output: [REASONING, saying('I will')] } },
    ]);
    expect(outcome).toMatchObject({ text: 'I will', finishReason: 'length' });
    expect(outcome).not.toHaveProperty('carry');
  });

  test('has every call that is said at its end alone where all have one id', () => {
    const { outcome } = assemble([ended({ output: [calling('a'), calling('a', '{"k":1}')] })]);
    expect(outcome).toMatchObject({ toolCalls: [{ input: {} }, { input: { k: 1 } }] });
  });

  test('passes over events and items of the future', () => {
    const { outcome } = assemble([
      { type: 'response.new' },
      added(0, { type: 'new' }),
      done(0, { type: 'new' }),
      completed,
    ]);
    expect(outcome).toMatchObject({ text: '', finishReason: 'stop' });
  });

  test('is estimated where nobody counted', () => {
    const uncounted = { type: 'response.completed', response: { status: 'completed' } };
    const { outcome } = assemble([added(0, MESSAGE), says(0, 'x'.repeat(30)), done(0, MESSAGE), uncounted]);
    expect(outcome).toMatchObject({ usage: { outputTokens: 10, cacheReadTokens: 0 } });
  });

  test.each([[undefined], [null], [-1], ['many'], [2 ** 64], [0]])(
    'is estimated where it is counted as %s',
    (count) => {
      const after = (usage: Fields | undefined) => {
        const over = { type: 'response.completed', response: { status: 'completed', usage } };
        return assemble([added(0, MESSAGE), says(0, 'x'.repeat(30)), done(0, MESSAGE), over]).answer.usage();
      };
      expect(after({ input_tokens: count, output_tokens: count })).toEqual(after(undefined));
    },
  );
});

describe('Encrypted reasoning', () => {
  test('goes back word for word, before what it led to', () => {
    const messages = JSON.parse(JSON.stringify(after(THOUGHTFUL))) as Message[];
    const content = [{ type: 'output_text', text: 'I will read.', annotations: [] }];
    expect(sent({ messages }).input).toEqual([
      REASONING,
      { type: 'message', id: 'msg_1', role: 'assistant', status: 'completed', content, phase: 'commentary' },
      { type: 'function_call', id: 'fc_1', call_id: 'call_1', name: 'read', arguments: '{"path":"a"}' },
    ]);
  });

  test('goes back with its call where the server has named another one so', () => {
    const again = after(THOUGHTFUL, after(THOUGHTFUL));
    expect(again).toMatchObject([{ toolCalls: [{ id: 'call_1_0' }] }]);
    expect(sent({ messages: again }).input).toMatchObject([
      REASONING,
      { type: 'message', id: 'msg_1' },
      { type: 'function_call', id: 'fc_1', call_id: 'call_1_0' },
    ]);
  });

  test.each([
    ['that is not encrypted', THOUGHTFUL.map((event) => withItem(event, { encrypted_content: null }))],
    ['that led to nothing', [...THOUGHTFUL.slice(0, 6), incomplete('max_output_tokens')]],
    ['that there is none of', [added(0, MESSAGE), says(0, 'x'), done(0, MESSAGE), completed]],
  ])('%s does not go back, and neither do ids that would ask for it', (_title, events) => {
    const messages = after(events);
    expect(messages[0]).not.toHaveProperty('carry');
    expect(JSON.stringify(sent({ messages }).input)).not.toMatch(/rs_1|msg_1|fc_1/);
  });

  test.each([
    ['of another provider does not go along', 'azure/responses', 'o3'],
    ['does not go to a model that does not think', NAME, 'gpt-4.1'],
  ])('%s', (_title, name, model) => {
    const messages = after(THOUGHTFUL);
    const { input: items } = openaiResponsesRequest({ ...REQUEST, messages, model }, name, true);
    expect(items).toEqual([
      { role: 'assistant', content: 'I will read.' },
      { type: 'function_call', call_id: 'call_1', name: 'read', arguments: '{"path":"a"}' },
    ]);
  });
});

test.each([
  ['a model that has none', 'Encrypted content is not supported with this model.'],
  ['a reader that cannot read it', 'The encrypted content for item rs_1 could not be verified.'],
])('A request that is refused for its reasoning by %s is sent once more without', async (_title, message) => {
  const sent: ResponseCreateParams[] = [];
  const fetch: Fetch = async (_url, { body } = {}) => {
    // What the adapter makes.
    const asked = JSON.parse(typeof body === 'string' ? body : '') as ResponseCreateParams;
    sent.push(asked);
    if (!asked.include) {
      const events = frames(added(0, MESSAGE), says(0, 'ok'), done(0, MESSAGE), completed);
      return new Response(events, { headers: { 'content-type': 'text/event-stream' } });
    }
    return Response.json({ error: { message, type: 'invalid_request_error' } }, { status: 400 });
  };
  const sink = createRecordingSink();
  const provider = createOpenaiResponsesProvider({ clock: createHandClock(), apiKey: 'key', fetch });
  provider.call({ ...REQUEST, messages: after(THOUGHTFUL) }, sink);
  expect(await sink.ended).toMatchObject({ done: { text: 'ok' } });
  expect(sent.map(({ input }) => JSON.stringify(input).includes('rs_1'))).toEqual([true, false]);
});

function frames(...events: readonly Fields[]): string {
  return events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');
}

/** The event with another reasoning item in it. */
function withItem(event: Fields, change: Fields): Fields {
  const { item } = event;
  const isReasoning = typeof item === 'object' && item !== null && 'type' in item && item.type === 'reasoning';
  return isReasoning ? { ...event, item: { ...item, ...change } } : event;
}

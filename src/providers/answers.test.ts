import type { RawMessageStreamEvent } from '@anthropic-ai/sdk/resources/messages';
import { describe, expect, test } from 'vitest';
import { REQUEST } from '../../test/conformance/sample-request.ts';
import type { ModelChunk, ModelRequest } from '../core/provider.ts';
import { AnthropicAnswer } from './anthropic-answer.ts';
import { OpenaiAnswer } from './openai-answer.ts';

type Fields = Readonly<Record<string, unknown>>;

describe('Anthropic', () => {
  const START = { type: 'message_start', message: { usage: { input_tokens: 5, output_tokens: 1 } } };
  const STOP = { type: 'message_stop' };
  const end = (reason: string | null) => ({
    type: 'message_delta',
    delta: { stop_reason: reason },
    usage: { output_tokens: 9 },
  });

  function assemble(events: readonly Fields[]) {
    const chunks: ModelChunk[] = [];
    const answer = new AnthropicAnswer({
      request: REQUEST,
      chunk: (chunk) => chunks.push(chunk),
      carryName: 'claude/messages',
    });
    // The wire sends JSON; the type is what the SDK hopes for.
    const faults = events.map((event) => answer.push(event as unknown as RawMessageStreamEvent));
    return { answer, chunks, outcome: faults.find(Boolean) ?? answer.finish() };
  }

  test.each<[string, Fields[], string]>([
    ['no message_stop', [START, end('end_turn')], 'stream_incomplete'],
    ['no stop reason', [START, STOP], 'stop_reason'],
    [
      'a block left open',
      [
        START,
        { type: 'content_block_start', index: 0, content_block: { type: 'text', text: 'x' } },
        end('end_turn'),
        STOP,
      ],
      'stream_incomplete',
    ],
    ['tool_use without a tool call', [START, end('tool_use'), STOP], 'stop_reason'],
    ['a refusal', [START, end('refusal'), STOP], 'refusal'],
    ['a pause that only server tools have', [START, end('pause_turn'), STOP], 'stop_reason'],
    [
      'input for a call that was not begun',
      [START, { type: 'content_block_delta', index: 3, delta: { type: 'input_json_delta', partial_json: '{' } }],
      'stream_order',
    ],
  ])('%s is not an answer', (_title, events, code) => {
    expect(assemble(events).outcome).toMatchObject({ code });
  });

  test('a tool call cut by the token limit before its input is one that can not be read', () => {
    const { outcome } = assemble([
      START,
      { type: 'content_block_start', index: 0, content_block: { type: 'tool_use', id: 'c', name: 'now', input: {} } },
      { type: 'content_block_stop', index: 0 },
      end('max_tokens'),
      STOP,
    ]);
    expect(outcome).toMatchObject({ toolCalls: [{ id: 'c', name: 'malformed_tool_call' }], finishReason: 'length' });
  });

  test('events and deltas of the future are passed over', () => {
    const { outcome } = assemble([
      START,
      { type: 'new_event' },
      { type: 'content_block_delta', index: 0, delta: { type: 'new_delta' } },
      end('end_turn'),
      STOP,
    ]);
    expect(outcome).toMatchObject({ text: '', finishReason: 'stop' });
  });

  test('thinking is a chunk of its own and no text', () => {
    const { chunks, outcome } = assemble([
      START,
      { type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: 'hm' } },
      end('end_turn'),
      STOP,
    ]);
    expect(chunks.filter(({ type }) => type !== 'usage')).toEqual([{ type: 'reasoning', text: 'hm' }]);
    expect(outcome).toMatchObject({ text: '', reasoning: 'hm' });
  });

  test("a call's input is shown as it comes, under the number of the call", () => {
    const { chunks } = assemble([
      START,
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      { type: 'content_block_start', index: 1, content_block: { type: 'tool_use', id: 'c', name: 'now', input: {} } },
      { type: 'content_block_delta', index: 1, delta: { type: 'input_json_delta', partial_json: '{"a"' } },
      { type: 'content_block_delta', index: 1, delta: { type: 'input_json_delta', partial_json: ':1}' } },
    ]);
    expect(chunks.filter(({ type }) => type === 'tool_call')).toEqual([
      { type: 'tool_call', index: 0, name: 'now', json: '{"a"' },
      { type: 'tool_call', index: 0, name: 'now', json: ':1}' },
    ]);
  });

  test.each<[string, unknown, string[], Fields]>([
    ['there alone', { a: [1] }, [], { toolCalls: [{ input: { a: [1] } }] }],
    ['there, and a delta of nothing', { a: 1 }, [''], { toolCalls: [{ input: { a: 1 } }] }],
    ['there, and in deltas again', { a: 1 }, ['{"a"', ':1}'], { toolCalls: [{ input: { a: 1 } }] }],
    ['null there', null, [], { toolCalls: [{ input: {} }] }],
    ['a list there', [1], [], { code: 'tool_input_invalid' }],
    ['too deep there', { a: deep(20_000) }, [], { code: 'tool_input_invalid' }],
  ])('an input that begins with its call is read once: %s', (_title, input, deltas, expected) => {
    const { outcome } = assemble([
      START,
      { type: 'content_block_start', index: 0, content_block: { type: 'tool_use', id: 'c', name: 'now', input } },
      ...deltas.map((partial_json) => ({
        type: 'content_block_delta',
        index: 0,
        delta: { type: 'input_json_delta', partial_json },
      })),
      { type: 'content_block_stop', index: 0 },
      end('tool_use'),
      STOP,
    ]);
    expect(outcome).toMatchObject(expected);
  });

  test('a tool called without input has an empty one', () => {
    const { outcome } = assemble([
      START,
      { type: 'content_block_start', index: 0, content_block: { type: 'tool_use', id: 'c', name: 'now', input: {} } },
      { type: 'content_block_stop', index: 0 },
      end('tool_use'),
      STOP,
    ]);
    expect(outcome).toMatchObject({ toolCalls: [{ id: 'c', name: 'now', input: {} }] });
  });

  test('a tool call is known when its input is complete, before the answer is', () => {
    const delta = (partial_json: string) => ({
      type: 'content_block_delta',
      index: 0,
      delta: { type: 'input_json_delta', partial_json },
    });
    const block = { type: 'tool_use', id: 'a', name: 'x', input: {} };
    const { chunks, outcome } = assemble([
      START,
      { type: 'content_block_start', index: 0, content_block: block },
      delta('{"k"'),
      delta(':1}'),
    ]);
    expect(chunks).toContainEqual({ type: 'tool_ready', call: { id: 'a', name: 'x', input: { k: 1 } } });
    expect(outcome).toMatchObject({ code: 'stream_incomplete' });
  });

  test.each([[null], [-1], ['many'], [Infinity]])('a count of %j changes nothing', (output_tokens) => {
    const { answer } = assemble([START, { type: 'message_delta', delta: {}, usage: { output_tokens } }]);
    expect(answer.usage()).toMatchObject({ inputTokens: 5, outputTokens: 1 });
  });

  test('what arrived since the last count is estimated', () => {
    const { answer } = assemble([
      START,
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'x'.repeat(300) } },
    ]);
    expect(answer.usage()).toMatchObject({ inputTokens: 5, outputTokens: 101 });
  });

  test('what is estimated alone is never more than the answer may have, unlike what is counted', () => {
    const words = { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'x'.repeat(3000) } };
    const { answer } = assemble([START, words]);
    expect(answer.usage()).toMatchObject({ outputTokens: REQUEST.maxOutputTokens });
    answer.push({ type: 'message_delta', delta: {}, usage: { output_tokens: 600 } } as RawMessageStreamEvent);
    expect(answer.usage()).toMatchObject({ outputTokens: 600 });
  });

  test('an output of 0 beside what was said is no count', () => {
    const { answer } = assemble([
      { type: 'message_start', message: { usage: { input_tokens: 5, output_tokens: 0 } } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'x'.repeat(300) } },
      { type: 'message_delta', delta: {}, usage: { output_tokens: 0 } },
    ]);
    expect(answer.usage()).toMatchObject({ inputTokens: 5, outputTokens: 100 });
  });

  test('an input of 0 at the end takes nothing away from what was counted', () => {
    const usage = {
      input_tokens: 500,
      cache_read_input_tokens: 200,
      cache_creation_input_tokens: 100,
      output_tokens: 1,
    };
    const nothing = { input_tokens: 0, cache_read_input_tokens: 0, cache_creation_input_tokens: 0, output_tokens: 9 };
    const { answer } = assemble([
      { type: 'message_start', message: { usage } },
      { type: 'message_delta', delta: {}, usage: nothing },
    ]);
    const counted = { inputTokens: 800, outputTokens: 9, cacheReadTokens: 200, cacheWriteTokens: 100 };
    expect(answer.usage()).toEqual(counted);
  });

  test.each([[[]], [[{ type: 'message_start', message: {} }]]])(
    'an input that %j does not count is what was sent',
    (events) => {
      expect(assemble(events).answer.usage()).toMatchObject({ inputTokens: REQUEST.inputTokens });
    },
  );

  test('what arrived stays estimated where it is counted as nonsense', () => {
    const { answer } = assemble([
      START,
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'x'.repeat(300) } },
      { type: 'message_delta', delta: {}, usage: { output_tokens: 2 ** 64 } },
    ]);
    expect(answer.usage()).toMatchObject({ inputTokens: 5, outputTokens: 101 });
  });
});

describe('OpenAI', () => {
  const choice = (delta: Fields, finish_reason: string | null = null) => ({
    choices: [{ index: 0, delta, finish_reason }],
  });
  const call = (fields: Fields) => choice({ tool_calls: [fields] });
  /** Of 10 tokens, as they are estimated. */
  const SAID = choice({ content: 'x'.repeat(30) });
  const answerTo = (request: ModelRequest, chunk: (chunk: ModelChunk) => void = () => undefined) =>
    new OpenaiAnswer({ request, chunk });

  function assemble(events: readonly Fields[]) {
    const chunks: ModelChunk[] = [];
    const answer = answerTo(REQUEST, (chunk) => chunks.push(chunk));
    for (const event of events) answer.push(event);
    return { answer, chunks, outcome: answer.finish() };
  }

  test.each<[string, Fields[], string]>([
    ['no finish_reason', [choice({ content: 'x' })], 'stream_incomplete'],
    ['nothing at all', [], 'stream_incomplete'],
    ['content withheld by a filter', [choice({ content: 'x' }, 'content_filter')], 'content_filter'],
    ['a refusal', [choice({ refusal: 'no' }), choice({}, 'stop')], 'refusal'],
    ['announced tool calls that never came', [choice({}, 'tool_calls')], 'tool_call_invalid'],
    [
      'a tool call without a name',
      [call({ index: 0, id: 'c', function: { arguments: '{}' } }), choice({}, 'tool_calls')],
      'tool_call_invalid',
    ],
    ['a server that gave up', [choice({ content: 'x' }, 'insufficient_system_resource')], 'stream_incomplete'],
    ['a server that failed', [choice({ content: 'x' }, 'error')], 'stream_incomplete'],
    ['a server that was stopped', [choice({ content: 'x' }, 'abort')], 'stream_incomplete'],
  ])('%s is not an answer', (_title, events, code) => {
    expect(assemble(events).outcome).toMatchObject({ code });
  });

  test.each([
    ['length', 'length'],
    ['model_length', 'length'],
    ['max_tokens', 'length'],
    ['eos_token', 'stop'],
  ])('an answer that ends with %s is one (%s)', (reason, finishReason) => {
    expect(assemble([choice({ content: 'x' }, reason)]).outcome).toMatchObject({ text: 'x', finishReason });
  });

  test.each<[string, Fields, string, string]>([
    ['within its input', { name: 'n', arguments: '{"a' }, 'This call of n was cut off', '{"a'],
    ['before its input', { name: 'n', arguments: '' }, 'This call of n was cut off', ''],
    ['before its name', {}, 'This call was cut off', ''],
  ])('a tool call that the token limit cut %s is one that can not be read', (_title, written, problem, json) => {
    const { outcome, chunks } = assemble([
      call({ index: 0, id: 'c', function: { name: 'n', arguments: '{}' } }),
      call({ index: 1, id: 'd', function: written }),
      choice({}, 'length'),
    ]);
    const input = { problem: expect.stringContaining(problem), written: json };
    const cut = { id: 'd', name: 'malformed_tool_call', input };
    expect(outcome).toMatchObject({ toolCalls: [{ id: 'c', input: {} }, cut], finishReason: 'length' });
    expect(chunks.filter(({ type }) => type === 'tool_ready')).toHaveLength(1);
  });

  test('a complete tool call stays one where the token limit cut what followed', () => {
    const { outcome } = assemble([
      call({ index: 0, id: 'c', function: { name: 'n', arguments: '{}' } }),
      choice({}, 'length'),
    ]);
    expect(outcome).toMatchObject({ toolCalls: [{ id: 'c', input: {} }], finishReason: 'length' });
  });

  test.each<[string, Fields[]]>([
    [
      'all with index 0',
      [
        call({ index: 0, id: 'a', function: { name: 'x', arguments: '{}' } }),
        call({ index: 0, id: 'b', function: { name: 'y', arguments: '{"k":1}' } }),
      ],
    ],
    [
      'without index',
      [
        call({ id: 'a', function: { name: 'x', arguments: '{}' } }),
        call({ id: 'b', function: { name: 'y', arguments: '{"k":1}' } }),
      ],
    ],
    [
      'interleaved',
      [
        call({ index: 0, id: 'a', function: { name: 'x' } }),
        call({ index: 1, id: 'b', function: { name: 'y', arguments: '{"k"' } }),
        call({ index: 0, function: { arguments: '{}' } }),
        call({ index: 1, function: { arguments: ':1}' } }),
      ],
    ],
    [
      'id and name repeated',
      [
        call({ index: 0, id: 'a', function: { name: 'x', arguments: '{' } }),
        call({ index: 0, id: 'a', function: { name: 'x', arguments: '}' } }),
        call({ index: 1, id: 'b', function: { name: 'y', arguments: '{"k":1}' } }),
      ],
    ],
  ])('two tool calls %s', (_title, events) => {
    const { outcome } = assemble([...events, choice({}, 'stop')]);
    expect(outcome).toMatchObject({
      toolCalls: [
        { id: 'a', name: 'x', input: {} },
        { id: 'b', name: 'y', input: { k: 1 } },
      ],
      finishReason: 'tool_calls',
    });
  });

  test('a tool call is known when its input is complete, before the answer is', () => {
    const events = [
      call({ index: 0, id: 'a', function: { name: 'x', arguments: '{"k"' } }),
      call({ index: 0, function: { arguments: ':1}' } }),
    ];
    const { chunks, outcome } = assemble(events);
    expect(chunks).toContainEqual({ type: 'tool_ready', call: { id: 'a', name: 'x', input: { k: 1 } } });
    expect(outcome).toMatchObject({ code: 'stream_incomplete' });
    expect(assemble(events.slice(0, 1)).chunks.map(({ type }) => type)).not.toContain('tool_ready');
  });

  test('what comes after a complete tool input ends the answer at once', () => {
    const answer = answerTo(REQUEST);
    expect(answer.push(call({ index: 0, id: 'a', function: { name: 'x', arguments: '{}' } }))).toBeUndefined();
    const fault = answer.push(call({ index: 0, function: { arguments: '{}' } }));
    expect(fault).toMatchObject({ code: 'tool_input_invalid' });
    expect(answer.finish()).toMatchObject({ type: 'ConnectionError' });
  });

  test.each<[string, Fields, Fields]>([
    ['', { index: 0 }, { index: 1 }],
    [' and with one index', { index: 0, id: '' }, { index: 0, id: '' }],
    [' and without an index', {}, {}],
  ])('calls without ids%s get ids of their own', (_title, one, other) => {
    const { outcome } = assemble([
      call({ ...one, function: { name: 'x', arguments: '' } }),
      call({ ...other, function: { name: 'y', arguments: '{"k":1}' } }),
      choice({}, 'tool_calls'),
    ]);
    expect(outcome).toMatchObject({
      toolCalls: [
        { name: 'x', input: {} },
        { name: 'y', input: { k: 1 } },
      ],
    });
    const ids = 'toolCalls' in outcome ? outcome.toolCalls.map(({ id }) => id) : [];
    expect(new Set(ids).size).toBe(2);
    expect(ids.every((id) => id !== '')).toBe(true);
  });

  test("a call's input and the server's count are shown as they come", () => {
    const { chunks } = assemble([
      call({ index: 0, id: 'a', function: { name: 'x', arguments: '' } }),
      call({ index: 1, id: 'b', function: { name: 'y', arguments: '{"k"' } }),
      call({ index: 1, function: { arguments: ':1}' } }),
      { choices: [], usage: { prompt_tokens: 7, completion_tokens: 3 } },
    ]);
    expect(chunks).toEqual([
      { type: 'tool_call', index: 1, name: 'y', json: '{"k"' },
      { type: 'tool_call', index: 1, name: 'y', json: ':1}' },
      { type: 'tool_ready', call: { id: 'b', name: 'y', input: { k: 1 } } },
      { type: 'usage', usage: { inputTokens: 7, outputTokens: 3, cacheReadTokens: 0, cacheWriteTokens: 0 } },
    ]);
  });

  test('a server that never counts is estimated, not free', () => {
    const { outcome } = assemble([choice({ content: 'x'.repeat(30) }), choice({}, 'stop')]);
    const usage = 'usage' in outcome ? outcome.usage : undefined;
    expect(usage).toMatchObject({ inputTokens: REQUEST.inputTokens, outputTokens: 10 });
    const { answer } = assemble([choice({ content: 'x'.repeat(3000) })]);
    expect(answer.usage()).toMatchObject({ outputTokens: REQUEST.maxOutputTokens });
  });

  test.each([[undefined], [null], [-1], ['many'], [2 ** 64]])('what it counts as %s is estimated as well', (count) => {
    const words = choice({ content: 'x'.repeat(30) }, 'stop');
    const estimated = assemble([words]).answer.usage();
    const usage = { prompt_tokens: count, completion_tokens: count };
    expect(assemble([words, { usage }]).answer.usage()).toEqual(estimated);
    expect(assemble([words, { usage: { ...usage, prompt_tokens: 7 } }]).answer.usage()).toEqual({
      ...estimated,
      inputTokens: 7,
    });
  });

  test.each<[Fields, Fields]>([
    [{ prompt_tokens: 0 }, { inputTokens: REQUEST.inputTokens }],
    [
      { prompt_tokens: 0, prompt_tokens_details: { cached_tokens: 4 } },
      { inputTokens: 4, cacheReadTokens: 4 },
    ],
  ])('an input that is counted as %j is not nothing', (usage, used) => {
    expect(assemble([SAID, { usage }]).answer.usage()).toMatchObject(used);
  });

  test.each<[Fields]>([
    [{ prompt_tokens: 0 }],
    [{}],
    [{ prompt_tokens: 0, prompt_tokens_details: { cached_tokens: 4 } }],
  ])('an input that is counted as %j after a count stays as it was counted', (usage) => {
    const counted = { prompt_tokens: 500, prompt_tokens_details: { cached_tokens: 7 } };
    const used = { inputTokens: 500, outputTokens: 3, cacheReadTokens: 7 };
    const { answer } = assemble([SAID, { usage: counted }, { usage: { ...usage, completion_tokens: 3 } }]);
    expect(answer.usage()).toMatchObject(used);
  });

  test.each([
    [20, 20],
    [0, 10],
  ])('a total beside an input of 0 says nothing of an answer of %i', (completion_tokens, outputTokens) => {
    const usage = { prompt_tokens: 0, completion_tokens, total_tokens: 120 };
    const used = { inputTokens: REQUEST.inputTokens, outputTokens };
    expect(assemble([SAID, { usage }]).answer.usage()).toMatchObject(used);
  });

  test.each<[string, Fields[], number]>([
    ['nothing said', [{ usage: { prompt_tokens: 7, completion_tokens: null } }], 0],
    ['0 said', [{ usage: { prompt_tokens: 7, completion_tokens: 0 } }], 0],
    ['0 said, in the event that is counted', [{ ...SAID, usage: { prompt_tokens: 7, completion_tokens: 0 } }], 10],
    [
      '0 said, after a count',
      [
        { ...SAID, usage: { completion_tokens: 12 } },
        { ...SAID, usage: { prompt_tokens: 7, completion_tokens: 0 } },
      ],
      22,
    ],
    ['3 said, in the event that is counted', [{ ...SAID, usage: { prompt_tokens: 7, completion_tokens: 3 } }], 3],
    ['words after a count', [{ usage: { completion_tokens: 0 } }, SAID, { usage: { prompt_tokens: 7 } }], 10],
    ['thoughts in the total', [SAID, { usage: { prompt_tokens: 7, completion_tokens: 3, total_tokens: 47 } }], 40],
    ['a total alone', [SAID, { usage: { prompt_tokens: 7, total_tokens: 47 } }], 40],
  ])('what it counts (%s) is no count of what comes then', (_title, events, counted) => {
    const usage = { inputTokens: 7, outputTokens: counted + 10 };
    expect(assemble([...events, SAID]).answer.usage()).toMatchObject(usage);
    expect(assemble([...events, SAID, choice({}, 'stop')]).outcome).toMatchObject({ usage });
  });

  test('audio is counted as the server counts it, and is all of the input where it does not', () => {
    const audio = { kind: 'audio', value: 'SUQzBAAA' } as const;
    const request = { ...REQUEST, messages: [{ role: 'user', text: '', parts: [audio] } as const] };
    const used = (usage: Fields | undefined, heard: ModelRequest = request) => {
      const answer = answerTo(heard);
      answer.push({ ...choice({ content: 'x' }, 'stop'), ...(usage && { usage }) });
      return answer.usage();
    };
    const counted = { prompt_tokens: 7, completion_tokens: 3 };
    expect(used({ ...counted, prompt_tokens_details: { audio_tokens: 5 } })).toMatchObject({ audioTokens: 5 });
    expect(used({ ...counted, prompt_tokens_details: { audio_tokens: 0 } })).toMatchObject({ audioTokens: 7 });
    expect(used(counted)).toMatchObject({ audioTokens: 7 });
    const estimated = used(undefined);
    expect(estimated).toMatchObject({ audioTokens: estimated?.inputTokens });
    expect(used(counted, REQUEST)).not.toHaveProperty('audioTokens');
  });

  test.each<[string, Fields, number]>([
    ['apart from the answer', { total_tokens: 14_428, completion_tokens_details: { reasoning_tokens: 2_809 } }, 4_308],
    ['as part of it', { total_tokens: 11_619, completion_tokens_details: { reasoning_tokens: 1_400 } }, 1_499],
    ['in the total alone', { total_tokens: 14_428 }, 4_308],
    ['without a total', { completion_tokens_details: { reasoning_tokens: 1_400 } }, 1_499],
    ['nowhere', { total_tokens: 11_619, completion_tokens_details: null }, 1_499],
  ])('thoughts that a server counts %s are counted once', (_title, counts, outputTokens) => {
    const { chunks } = assemble([
      choice({ content: 'x' }, 'stop'),
      { usage: { prompt_tokens: 10_120, completion_tokens: 1_499, ...counts } },
    ]);
    expect(chunks.at(-1)).toMatchObject({ usage: { inputTokens: 10_120, outputTokens } });
  });

  test('content in parts has texts and thoughts, and what else there is is passed over', () => {
    const thought = (text: string) => ({ type: 'thinking', thinking: [{ type: 'text', text }] });
    const { chunks, outcome } = assemble([
      choice({ content: '' }),
      choice({ content: [thought('Let me ')] }),
      choice({ content: [thought('see.'), { type: 'reference', reference_ids: [1] }, { type: 'text', text: 'It ' }] }),
      choice({ content: [{ type: 'thinking', thinking: ' Yes.' }] }),
      choice({ content: 'is.' }, 'stop'),
    ]);
    expect(outcome).toMatchObject({ text: 'It is.', reasoning: 'Let me see. Yes.' });
    expect(chunks.map(({ type }) => type)).toEqual(['reasoning', 'reasoning', 'text', 'reasoning', 'text']);
  });

  test.each<[Fields, Fields]>([
    [{ content: [null, 'x', 1, [], { type: 'text' }, { type: 'text', text: 2 }] }, { text: '' }],
    [{ content: { type: 'text', text: 'all' } }, { text: 'all' }],
    [{ content: 3 }, { text: '' }],
    [{ content: [{ type: 'thinking', thinking: null }] }, { text: '' }],
    [{ content: [{ type: 'thinking', thinking: { type: 'text', text: 'hm' } }] }, { text: '', reasoning: 'hm' }],
    [{ content: 'x', reasoning: 1, reasoning_content: { effort: 'low' } }, { text: 'x' }],
    [
      { content: 'x', reasoning: 'hm', reasoning_content: [] },
      { text: 'x', reasoning: 'hm' },
    ],
  ])('of %j what fits nothing is passed over', (delta, expected) => {
    const { outcome } = assemble([choice(delta), choice({}, 'stop')]);
    expect(outcome).toMatchObject(expected);
    expect('reasoning' in outcome).toBe('reasoning' in expected);
  });

  test.each(['reasoning', 'reasoning_content'])('%s is a chunk of its own', (field) => {
    const { chunks, outcome } = assemble([choice({ [field]: 'hm' }), choice({}, 'stop')]);
    expect(chunks).toEqual([{ type: 'reasoning', text: 'hm' }]);
    expect(outcome).toMatchObject({ text: '', reasoning: 'hm' });
  });
});

/** Lists within each other. */
function deep(levels: number): unknown {
  return JSON.parse(`${'['.repeat(levels)}${']'.repeat(levels)}`);
}

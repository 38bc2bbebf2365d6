import { expect, test } from 'vitest';
import { REQUEST } from '../../test/conformance/sample-request.ts';
import { anthropicRequest } from './anthropic-request.ts';
import { openaiRequest } from './openai-request.ts';
import { openaiResponsesRequest } from './openai-responses-request.ts';

/** What is carried under this name is the adapter's own. */
const NAME = 'mine';

test("Anthropic: the system prompt has its own field, a message's results share one turn with what follows", () => {
  const sent = anthropicRequest(REQUEST, NAME);
  expect(sent).toMatchObject({ model: 'test-model', max_tokens: 512, stream: true, system: 'You are careful.' });
  expect(sent.messages).toEqual([
    { role: 'user', content: [{ type: 'text', text: 'Read both files.' }] },
    {
      role: 'assistant',
      content: [
        { type: 'text', text: 'I will.' },
        { type: 'tool_use', id: 'call_1', name: 'read', input: { path: 'a.txt' } },
        { type: 'tool_use', id: 'call_2', name: 'read', input: { path: 'b.txt' } },
      ],
    },
    {
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: 'call_1', content: 'alpha', is_error: false },
        { type: 'tool_result', tool_use_id: 'call_2', content: 'no such file', is_error: true },
        { type: 'text', text: 'Go on.' },
      ],
    },
  ]);
  expect(sent.tools).toEqual([
    { name: 'read', description: 'Reads a file.', input_schema: REQUEST.tools[0]?.inputSchema },
  ]);
});

test('Anthropic: empty texts are left out, since the API refuses them', () => {
  const call = { id: 'c', name: 'read', input: {} };
  const sent = anthropicRequest(
    {
      ...REQUEST,
      system: '',
      tools: [],
      messages: [
        { role: 'user', text: 'Go.' },
        { role: 'assistant', text: '', toolCalls: [] },
        { role: 'user', text: 'Go on.' },
        { role: 'assistant', text: '', toolCalls: [call] },
      ],
    },
    NAME,
  );
  expect(sent.messages).toEqual([
    {
      role: 'user',
      content: [
        { type: 'text', text: 'Go.' },
        { type: 'text', text: 'Go on.' },
      ],
    },
    { role: 'assistant', content: [{ type: 'tool_use', ...call }] },
  ]);
  expect(sent).not.toHaveProperty('system');
  expect(sent).not.toHaveProperty('tools');
});

test("Anthropic: another provider's ids get characters that the API takes, the same for a call and its result", () => {
  const id = 'functions.read:0';
  const sent = anthropicRequest(
    {
      ...REQUEST,
      messages: [
        { role: 'assistant', text: '', toolCalls: [{ id, name: 'read', input: {} }] },
        { role: 'tool', callId: id, text: 'alpha', isError: false },
      ],
    },
    NAME,
  );
  expect(sent.messages).toMatchObject([
    { content: [{ type: 'tool_use', id: 'functions_read_0' }] },
    { content: [{ type: 'tool_result', tool_use_id: 'functions_read_0' }] },
  ]);
});

test('OpenAI: the system prompt is the first message, inputs are JSON texts, usage is asked for', () => {
  const sent = openaiRequest(REQUEST, 'openai');
  expect(sent).toMatchObject({
    model: 'test-model',
    stream: true,
    stream_options: { include_usage: true },
    max_completion_tokens: 512,
  });
  expect(sent.messages).toEqual([
    { role: 'system', content: 'You are careful.' },
    { role: 'user', content: 'Read both files.' },
    {
      role: 'assistant',
      content: 'I will.',
      tool_calls: [
        { id: 'call_1', type: 'function', function: { name: 'read', arguments: '{"path":"a.txt"}' } },
        { id: 'call_2', type: 'function', function: { name: 'read', arguments: '{"path":"b.txt"}' } },
      ],
    },
    { role: 'tool', tool_call_id: 'call_1', content: 'alpha' },
    { role: 'tool', tool_call_id: 'call_2', content: 'no such file' },
    { role: 'user', content: 'Go on.' },
  ]);
});

test('OpenAI: what an object or a list in a tool leaves out is said, since the API asks for it', () => {
  const inputSchema = { type: 'object', properties: { a: { type: 'array' }, b: { type: 'object' } } };
  const sent = openaiRequest({ ...REQUEST, tools: [{ name: 't', description: '', inputSchema }] }, 'openai');
  const properties = { a: { type: 'array', items: {} }, b: { type: 'object', properties: {} } };
  expect(sent.tools).toMatchObject([{ function: { parameters: { type: 'object', properties } } }]);
});

test('compatible servers get the older name of the output limit', () => {
  const sent = openaiRequest(REQUEST, 'compatible');
  expect(sent.max_tokens).toBe(512);
  expect(sent).not.toHaveProperty('max_completion_tokens');
});

test('an effort is said to Chat Completions in its own field', () => {
  expect(openaiRequest({ ...REQUEST, reasoning: { effort: 'low' } }, 'openai').reasoning_effort).toBe('low');
  expect(openaiRequest(REQUEST, 'openai')).not.toHaveProperty('reasoning_effort');
});

test.each([
  ['openai', 'thread-0'],
  ['azure', undefined],
  ['compatible', undefined],
] as const)('%s is told the name of a cache if it knows such names', (server, key) => {
  const sent = openaiRequest({ ...REQUEST, cacheKey: 'thread-0', cacheMarks: ['system', 1] }, server);
  expect(sent.prompt_cache_key).toBe(key);
  expect(JSON.stringify(sent)).not.toContain('cache_control');
});

test.each([
  ['openai', 'default'],
  ['azure', undefined],
  ['compatible', undefined],
] as const)('%s is asked for its standard tier if it has tiers that it may be priced by', (server, tier) => {
  expect(openaiRequest(REQUEST, server).service_tier).toBe(tier);
  expect(openaiResponsesRequest(REQUEST, NAME, server === 'openai').service_tier).toBe(tier);
});

test('a request is not changed by sending it', () => {
  const before = structuredClone(REQUEST);
  anthropicRequest(REQUEST, NAME);
  openaiRequest(REQUEST, 'openai');
  expect(REQUEST).toEqual(before);
});

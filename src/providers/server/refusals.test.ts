import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startLlmServer, type LlmServer } from './llm-server.ts';
import { sealThought } from './signature.ts';

let server: LlmServer;

beforeAll(async () => {
  server = await startLlmServer({
    script: { rules: [{ text: 'fine' }] },
    scripts: { named: { rules: [{ text: 'me' }] } },
  });
});
afterAll(() => server.close());

const user = { role: 'user', content: 'hi' };
const toolUse = { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'read', input: {} }] };
const toolResult = { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: 'x' }] };
const messages = [user];
const call = {
  role: 'assistant',
  content: null,
  tool_calls: [{ id: 'a', type: 'function', function: { name: 'r', arguments: '{}' } }],
};
const result = { role: 'tool', tool_call_id: 'a', content: 'x' };
const functionCall = { type: 'function_call', call_id: 'a', name: 'r', arguments: '{}' };
const output = { type: 'function_call_output', call_id: 'a', output: 'x' };
const asked = { role: 'user', parts: [{ text: 'hi' }] };
const signed = { thoughtSignature: 'skip_thought_signature_validator' };
const calls = { role: 'model', parts: [{ functionCall: { name: 'r', args: {} }, ...signed }] };
const returns = { role: 'user', parts: [{ functionResponse: { name: 'r', response: { output: 'x' } } }] };

describe('Anthropic Messages', () => {
  test.each<[string, object, string]>([
    ['without max_tokens', { max_tokens: undefined }, 'max_tokens: Field required'],
    ['with a field it does not know', { foo: 1 }, 'foo: Extra inputs are not permitted'],
    ['without messages', { messages: [] }, 'messages: at least one message is required'],
    [
      'with an empty text',
      { messages: [{ role: 'user', content: [{ type: 'text', text: '' }] }] },
      'messages.0.content.0.text: text content blocks must be non-empty',
    ],
    [
      'with a blank text',
      { messages: [{ role: 'user', content: [{ type: 'text', text: ' ' }] }] },
      'messages.0.content.0.text: text content blocks must contain non-whitespace text',
    ],
    [
      'with an empty message',
      { messages: [{ role: 'user', content: '' }] },
      'messages.0: all messages must have non-empty content',
    ],
    [
      'that begins with the model',
      { messages: [{ role: 'assistant', content: 'x' }] },
      'messages: first message must use the "user" role',
    ],
    [
      'with a result nobody asked for',
      { messages: [toolResult] },
      'unexpected `tool_use_id` found in `tool_result` blocks: a.',
    ],
    [
      'with a call without a result',
      { messages: [user, toolUse, user] },
      '`tool_use` ids were found without `tool_result` blocks immediately after: a.',
    ],
    [
      'with a text before the result',
      { messages: [user, toolUse, { role: 'user', content: [{ type: 'text', text: 'x' }, ...toolResult.content] }] },
      '`tool_use` ids were found without `tool_result`',
    ],
    [
      'with one id for two calls',
      { messages: [user, toolUse, toolResult, toolUse, toolResult] },
      '`tool_use` ids must be unique',
    ],
    [
      'with a thought of its own',
      { messages: [user, { role: 'assistant', content: [{ type: 'thinking', thinking: 'x', signature: 'y' }] }, user] },
      'Invalid `signature` in `thinking` block',
    ],
    [
      'that ends in a blank of the model',
      { messages: [user, { role: 'assistant', content: 'x ' }] },
      'final assistant content cannot end with trailing whitespace',
    ],
    [
      'with five cache marks',
      {
        messages: [
          {
            role: 'user',
            content: Array.from('abcde', (text) => ({ type: 'text', text, cache_control: { type: 'ephemeral' } })),
          },
        ],
      },
      'A maximum of 4 blocks with cache_control may be provided. Found 5.',
    ],
    [
      'with a tool of a wrong name',
      { tools: [{ name: 'a/b', input_schema: { type: 'object' } }] },
      'tools.0.name: String should match pattern',
    ],
    [
      'with a parameter of a wrong name',
      { tools: [{ name: 'a', input_schema: { type: 'object', properties: { b: { properties: { ö: {} } }, ö: {} } } }] },
      "tools.0.input_schema.properties: Property keys should match pattern '^[a-zA-Z0-9_.-]{1,64}$'",
    ],
    [
      'that thinks more than it may say',
      { thinking: { type: 'enabled', budget_tokens: 2000 } },
      '`max_tokens` must be greater than `thinking.budget_tokens`',
    ],
  ])('refuses a request %s', async (_title, change, message) => {
    const { status, body } = await post('/v1/messages', { model: 'm', max_tokens: 100, messages, ...change });
    expect({ status, body }).toMatchObject({
      status: 400,
      body: { type: 'error', error: { type: 'invalid_request_error' } },
    });
    expect(body).toHaveProperty('error.message', expect.stringContaining(message));
  });
});

describe('OpenAI Chat Completions', () => {
  test.each<[string, object, { message: string; param?: string | null; code?: string }]>([
    [
      'without a model',
      { model: undefined },
      { message: "Missing required parameter: 'model'.", code: 'missing_required_parameter' },
    ],
    [
      'with a field it does not know',
      { foo: 1 },
      { message: "Unknown parameter: 'foo'.", code: 'unknown_parameter', param: 'foo' },
    ],
    [
      'with a wrong part',
      { messages: [{ role: 'user', content: [{ type: 'text' }] }] },
      { message: 'Missing required', param: 'messages[0].content[0].text' },
    ],
    [
      'with a result nobody asked for',
      { messages: [user, result] },
      { message: "messages with role 'tool' must be a response", param: 'messages.[1].role' },
    ],
    [
      'with a call without a result',
      { messages: [user, call, user] },
      { message: 'did not have response messages: a' },
    ],
    [
      'with a call by a name that no tool can have',
      {
        messages: [
          user,
          { ...call, tool_calls: [{ id: 'a', type: 'function', function: { name: 'a.b', arguments: '{}' } }] },
          result,
        ],
      },
      { message: 'expected a string that matches', param: 'messages[1].tool_calls[0].function.name' },
    ],
    ['that ends with a call', { messages: [user, call] }, { message: 'did not have response messages: a' }],
    [
      'with an answer that says nothing',
      { messages: [user, { role: 'assistant', content: null }] },
      { message: 'expected a string, got null' },
    ],
    ['with two limits', { max_tokens: 5, max_completion_tokens: 5 }, { message: 'at the same time is not supported' }],
    [
      'with options of a stream it does not want',
      { stream_options: { include_usage: true } },
      { message: "only allowed when 'stream' is enabled" },
    ],
    ['with an empty list of tools', { tools: [] }, { message: 'at least one element', param: 'tools' }],
  ])('refuses a request %s', async (_title, change, error) => {
    const { status, body } = await post('/v1/chat/completions', { model: 'm', messages, ...change });
    const { message, ...more } = error;
    expect({ status, body }).toMatchObject({
      status: 400,
      body: { error: { type: 'invalid_request_error', message: expect.stringContaining(message), ...more } },
    });
  });
});

describe('OpenAI Responses', () => {
  test.each<[string, object, string]>([
    ['without an input', { input: undefined }, "Missing required parameter: 'input'."],
    ['with a field it does not know', { messages }, "Unknown parameter: 'messages'."],
    [
      'with a result nobody asked for',
      { input: [user, output] },
      'No tool call found for function call output with call_id a.',
    ],
    [
      'with a call without a result',
      { input: [user, functionCall, user] },
      'No tool output found for function call a.',
    ],
    [
      'with a call by a name that no tool can have',
      { input: [user, { ...functionCall, name: 'a.b' }, output] },
      "Invalid value for 'input[1].name'",
    ],
    [
      'with a thought that nothing follows',
      { input: [user, { type: 'reasoning', id: 'r', summary: [], encrypted_content: sealThought('x') }, user] },
      'without its required following item',
    ],
    [
      'with a thought of its own',
      { input: [user, { type: 'reasoning', id: 'r', summary: [], encrypted_content: 'x' }, functionCall, output] },
      'could not be verified',
    ],
    [
      'with an input text of the model',
      { input: [user, { role: 'assistant', content: [{ type: 'input_text', text: 'x' }] }] },
      "'input_text' is not for role 'assistant'",
    ],
    [
      'that goes on from what is not kept',
      { previous_response_id: 'resp_1' },
      "Previous response with id 'resp_1' not found.",
    ],
    ['with too small a limit', { max_output_tokens: 15 }, 'expected a value >= 16'],
  ])('refuses a request %s', async (_title, change, message) => {
    const { status, body } = await post('/v1/responses', { model: 'm', input: 'hi', ...change });
    expect({ status, body }).toMatchObject({
      status: 400,
      body: { error: { message: expect.stringContaining(message) } },
    });
  });

  test('does not know a thought that came without its content', async () => {
    const input = [user, { type: 'reasoning', id: 'r', summary: [] }, functionCall, output];
    const { status, body } = await post('/v1/responses', { model: 'm', input });
    expect({ status, body }).toMatchObject({
      status: 404,
      body: { error: { message: expect.stringContaining('not found') } },
    });
  });
});

describe('Gemini', () => {
  test.each<[string, object, string]>([
    ['without contents', { contents: undefined }, '* GenerateContentRequest.contents: required'],
    ['with a field it does not know', { foo: 1 }, 'Unknown name "foo": Cannot find field.'],
    [
      'with a field in the wrong place',
      { contents: [{ ...asked, text: 'x' }] },
      `Unknown name "text" at 'contents[0]': Cannot find field.`,
    ],
    [
      'with a role it does not know',
      { contents: [{ role: 'assistant', parts: [{ text: 'x' }] }] },
      'Please use a valid role: user, model.',
    ],
    ['without parts', { contents: [{ role: 'user', parts: [] }] }, 'contents.parts must not be empty'],
    ['with an empty text', { contents: [{ role: 'user', parts: [{ text: '' }] }] }, "required oneof field 'data'"],
    [
      'with a result nobody asked for',
      { contents: [asked, { role: 'model', parts: [{ text: 'x' }] }, returns] },
      'immediately after a function call turn',
    ],
    [
      'with fewer results than calls',
      { contents: [asked, { role: 'model', parts: [...calls.parts, ...calls.parts] }, returns] },
      'number of function response parts is equal',
    ],
    ['that ends with a call', { contents: [asked, calls] }, 'number of function response parts is equal'],
    ['that begins with a call', { contents: [calls, returns] }, 'immediately after a user turn'],
    [
      'with a call that is not signed',
      { contents: [asked, { role: 'model', parts: [{ functionCall: { name: 'r' } }] }, returns] },
      'missing a `thought_signature`',
    ],
    [
      'with a wrong signature',
      {
        contents: [
          asked,
          { role: 'model', parts: [{ functionCall: { name: 'r' }, thoughtSignature: 'eA==' }] },
          returns,
        ],
      },
      'signature is not valid',
    ],
  ])('refuses a request %s', async (_title, change, message) => {
    const { status, body } = await post('/v1beta/models/m:generateContent', { contents: [asked], ...change });
    expect({ status, body }).toMatchObject({ status: 400, body: { error: { code: 400, status: 'INVALID_ARGUMENT' } } });
    expect(body).toHaveProperty('error.message', expect.stringContaining(message));
  });
});

test.each<[string, string, object]>([
  ['Anthropic', '/v1/messages', { max_tokens: 100, messages: [user, toolUse, toolResult] }],
  ['OpenAI Chat', '/v1/chat/completions', { messages: [user, call, result] }],
  ['OpenAI Responses', '/v1/responses', { input: [user, functionCall, output] }],
  ['Gemini', '/v1beta/models/named:generateContent', { contents: [asked, calls, returns] }],
])('%s: the model names the script, and what is not refused is answered', async (_wire, path, body) => {
  const given = await post(path, { ...body, ...(!path.includes('named') && { model: 'named' }) });
  expect(given.status).toBe(200);
  expect(JSON.stringify(given.body)).toContain('"me"');
});

async function post(path: string, body: object): Promise<{ readonly status: number; readonly body: unknown }> {
  const answer = await fetch(server.origin + path, { method: 'POST', body: JSON.stringify(body) });
  return { status: answer.status, body: await answer.json() };
}

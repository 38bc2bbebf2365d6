import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createHandClock } from '../../test/conformance/hand-clock.ts';
import { createRecordingSink } from '../../test/conformance/recording-sink.ts';
import { REQUEST } from '../../test/conformance/sample-request.ts';
import type { Message } from '../core/conversation.ts';
import type { ModelRequest, ModelResponse, Provider } from '../core/provider.ts';
import { bindsThoughts } from './anthropic-binding.ts';
import { createAnthropicProvider } from './anthropic.ts';
import { createFetch, type Fetch } from './http-fetch.ts';
import { startLlmServer, type LlmServer } from './server/llm-server.ts';

let server: LlmServer;

beforeEach(async () => {
  const calls = { reasoning: 'Let me see.', text: 'I will.', tool_calls: [{ name: 'read', input: { path: 'a' } }] };
  server = await startLlmServer({ script: { rules: [{ last_tool: 'read', text: 'Done.' }, calls] } });
});
afterEach(() => server.close());

const given = { clock: createHandClock(), apiKey: 'key' };

/** At Anthropic's own address, where the scripted server answers. */
function atAnthropic(): Provider {
  const real = createFetch();
  const fetch: Fetch = (url, init) => {
    const { origin, pathname } = new URL(url instanceof Request ? url.url : url);
    expect(origin).toBe('https://api.anthropic.com');
    return real(server.origin + pathname, init);
  };
  return createAnthropicProvider({ ...given, fetch });
}

function atGateway(): Provider {
  return createAnthropicProvider({ ...given, baseUrl: server.origin });
}

async function ask(provider: Provider, request: ModelRequest): Promise<ModelResponse> {
  const sink = createRecordingSink();
  provider.call(request, sink);
  const end = await sink.ended;
  if ('failed' in end) throw new Error(end.failed.message);
  return end.done;
}

type Change = (request: ModelRequest) => Partial<ModelRequest>;

/** An answer with a thought and a call, and the next one, behind something else; what was sent for that. */
async function goOn(provider: Provider, change: Change, given: Partial<ModelRequest> = {}): Promise<readonly Sent[]> {
  const asked: Message = { role: 'user', text: 'Read it.' };
  const first = { ...REQUEST, model: 'claude-opus-5-5', messages: [asked], ...given };
  const { text, toolCalls, carry } = await ask(provider, first);
  const result: Message = { role: 'tool', callId: toolCalls[0]?.id ?? '', text: 'alpha', isError: false };
  const answer: Message = { role: 'assistant', text, toolCalls, ...(carry && { carry }) };
  const second = { ...first, messages: [asked, answer, result] };
  expect(await ask(provider, { ...second, ...change(second) })).toMatchObject({ text: 'Done.' });
  return server
    .requests()
    .slice(1)
    .map(({ headers, body }) => ({
      beta: headers['anthropic-beta'],
      // What the adapter makes.
      thinking: (body as { readonly thinking?: object }).thinking,
      thoughts: JSON.stringify(body).match(/"type":"thinking"/g)?.length ?? 0,
    }));
}

type Sent = { readonly beta: unknown; readonly thinking: object | undefined; readonly thoughts: number };

const DROPS = { block_binding: { prefix_mismatch_behavior: 'drop_block' } };
const BETA = 'thinking-binding-controls-2026-08-01';

const CHANGES: readonly (readonly [string, Change])[] = [
  ['another system prompt', () => ({ system: 'You are quick.' })],
  ['another tool', ({ tools }) => ({ tools: tools.map((tool) => ({ ...tool, description: 'Reads.' })) })],
  [
    'another first message',
    ({ messages: [, ...rest] }) => ({ messages: [{ role: 'user', text: 'Read it.\n\nBe exact.' }, ...rest] }),
  ],
];

describe('A thought of a model that binds it', () => {
  test.each(CHANGES)('is dropped by Anthropic behind %s, and the thread goes on', async (_title, change) => {
    expect(await goOn(atAnthropic(), change)).toEqual([
      { beta: BETA, thinking: { type: 'adaptive', ...DROPS }, thoughts: 1 },
    ]);
  });

  test.each(CHANGES)('is not sent again behind %s where a gateway refuses it', async (_title, change) => {
    const plain = { beta: undefined, thinking: undefined };
    expect(await goOn(atGateway(), change)).toEqual([
      { ...plain, thoughts: 1 },
      { ...plain, thoughts: 0 },
    ]);
  });

  test('goes back where nothing has changed', async () => {
    expect(await goOn(atGateway(), () => ({}))).toMatchObject([{ thoughts: 1 }]);
  });

  test('does not go back with a signature that nobody knows', async () => {
    const change: Change = (request) =>
      JSON.parse(JSON.stringify(request).replaceAll('"signature":"', '"signature":"x'));
    expect(await goOn(atAnthropic(), change)).toMatchObject([{ thoughts: 1 }, { thoughts: 0 }]);
  });

  test.each<[string, Partial<ModelRequest>, object]>([
    ['an effort', { reasoning: { effort: 'high' } }, { type: 'adaptive', display: 'summarized' }],
    [
      'a budget',
      { reasoning: { budgetTokens: 1024 }, maxOutputTokens: 2048 },
      { type: 'enabled', budget_tokens: 1024, display: 'summarized' },
    ],
  ])('is dropped beside %s', async (_title, reasoning, thinking) => {
    expect(await goOn(atAnthropic(), () => ({ system: '' }), reasoning)).toMatchObject([
      { thinking: { ...thinking, ...DROPS } },
    ]);
  });
});

test('A model that binds nothing is asked as ever, and keeps its thoughts', async () => {
  const sent = await goOn(atAnthropic(), () => ({ system: '' }), { model: 'claude-opus-5' });
  expect(sent).toEqual([{ beta: undefined, thinking: undefined, thoughts: 1 }]);
});

test.each([
  ['claude-opus-5-5', true],
  ['claude-sonnet-5-5-20261001', true],
  ['claude-fable-5-1', true],
  ['claude-haiku-6', true],
  ['claude-opus-5', false],
  ['claude-opus-5-20260724', false],
  ['claude-sonnet-4-5', false],
  ['claude-sonnet-4-20250514', false],
  ['claude-3-5-haiku-latest', false],
  ['test-model', false],
])('%s binds its thoughts: %s', (model, expected) => {
  expect(bindsThoughts(model)).toBe(expected);
});

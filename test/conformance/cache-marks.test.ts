import { describe, expect, test } from 'vitest';
import type { Message } from '../../src/core/conversation.ts';
import type { ModelRequest, Provider } from '../../src/core/provider.ts';
import { cacheLimitsOf } from '../../src/config/cache-limits.ts';
import { loadConfig } from '../../src/config/load.ts';
import { SYSTEM_DIR } from '../../src/config/default-places.ts';
import { assembleRequest } from '../../src/prompt/tiers/assemble-request.ts';
import { createAnthropicProvider } from '../../src/providers/anthropic.ts';
import { createGeminiProvider } from '../../src/providers/gemini.ts';
import { createFetch } from '../../src/providers/http-fetch.ts';
import { createOpenaiProvider } from '../../src/providers/openai.ts';
import { createOpenaiResponsesProvider } from '../../src/providers/openai-responses.ts';
import type { AdapterOptions } from '../../src/providers/adapter-options.ts';
import { anthropicWire } from './anthropic-wire.ts';
import { geminiWire } from './gemini-wire.ts';
import { createHandClock } from './hand-clock.ts';
import type { Scenario, Wire } from './model-scenario.ts';
import { startModelServer } from './model-server.ts';
import { openaiResponsesWire } from './openai-responses-wire.ts';
import { openaiWire } from './openai-wire.ts';
import { createRecordingSink } from './recording-sink.ts';
import { REQUEST } from './sample-request.ts';

/*
 * A prompt in tiers as the four APIs get it, over a real connection: blocks in one order everywhere, marks where the API has
 * marks, a key where it has keys; and what came from the cache and went into it as the provider counts it.
 */

const { config } = loadConfig({ systemDir: SYSTEM_DIR });

const history = (name: string): Message[] => [
  { role: 'user', text: `${name} question` },
  { role: 'assistant', text: `${name} answer`, toolCalls: [] },
];

type Kind = 'anthropic' | 'openai' | 'gemini';
type Make = (options: AdapterOptions & { readonly apiKey: string; readonly baseUrl: string }) => Provider;

/** L0 is large, L1 small, L2 has nothing but history, L3 is missing. */
function requestTo(kind: Kind, model: string, l0Tokens: number): ModelRequest {
  const assembled = assembleRequest({
    systemPrompt: 'You are careful.',
    tieredContent: {
      L0: { symbols: 'L0 symbols', tokens: l0Tokens },
      L1: { files: 'L1 files', tokens: 10 },
      L2: { history: history('old'), tokens: 5 },
    },
    activeFiles: 'active files',
    activeHistory: history('new'),
    userPrompt: 'Do it.',
    systemReminder: 'Be exact.',
    cacheLimits: cacheLimitsOf(config.cacheLimits, { kind, model }),
  });
  return { ...REQUEST, ...assembled, model, tools: [], cacheKey: 'thread-0' };
}

const USAGE = { inputTokens: 120, outputTokens: 30, cacheReadTokens: 64, cacheWriteTokens: 16 };
const ANSWER: Scenario = { kind: 'answer', texts: ['ok'], toolCalls: [], usage: USAGE, finish: 'stop' };

async function send(wire: Wire, make: (origin: string) => Provider, request: ModelRequest) {
  await using server = await startModelServer(wire, ANSWER);
  const sink = createRecordingSink();
  make(server.origin).call(request, sink);
  const end = await sink.ended;
  const body = server.requests[0]?.body ?? {};
  return { body, text: JSON.stringify(body), usage: 'done' in end ? end.done.usage : undefined };
}

const given = { fetch: createFetch(), apiKey: 'k', clock: createHandClock() };

const ADAPTERS: readonly [string, Kind, string, Wire, Make, string][] = [
  ['Anthropic', 'anthropic', 'claude-opus-5-5', anthropicWire, createAnthropicProvider, ''],
  ['OpenAI Chat Completions', 'openai', 'gpt-5-mini', openaiWire, createOpenaiProvider, '/v1'],
  ['OpenAI Responses', 'openai', 'gpt-5-mini', openaiResponsesWire, createOpenaiResponsesProvider, '/v1'],
  ['Gemini', 'gemini', 'gemini-2.5-pro', geminiWire, createGeminiProvider, ''],
];

describe.each(ADAPTERS)('A prompt in tiers over %s', (name, kind, model, wire, make, path) => {
  const over = (origin: string): Provider => make({ ...given, baseUrl: `${origin}${path}` });

  test('has its blocks in the order of the tiers', async () => {
    const { text } = await send(wire, over, requestTo(kind, model, 5000));
    const blocks = ['L0 symbols', 'L1 files', 'old question', 'old answer', 'active files', 'new question', 'Do it.'];
    const places = blocks.map((block) => text.indexOf(block));
    // Chat Completions has the system prompt as a message, the others in a field wherever it stands in the JSON.
    const inOrder = name === 'OpenAI Chat Completions' ? places : places.slice(1);
    expect(Math.min(...places)).toBeGreaterThan(0);
    expect(inOrder).toEqual(inOrder.toSorted((one, other) => one - other));
  });

  test('says what came from the cache and what went into it', async () => {
    const { usage } = await send(wire, over, requestTo(kind, model, 5000));
    expect(usage).toEqual(kind === 'gemini' ? { ...USAGE, cacheWriteTokens: 0 } : USAGE);
  });

  test('has marks only where the API takes marks', async () => {
    const { text } = await send(wire, over, requestTo(kind, model, 5000));
    expect(text.match(/cache_control|prompt_cache_breakpoint/g)?.length ?? 0).toBe(kind === 'anthropic' ? 3 : 0);
  });

  test("names no cache at a server that is not the provider's own, unless the API has a field for it", async () => {
    const { body } = await send(wire, over, requestTo(kind, model, 5000));
    expect(body['prompt_cache_key']).toBe(name === 'OpenAI Responses' ? 'thread-0' : undefined);
  });
});

describe('Anthropic', () => {
  const over = (origin: string): Provider => createAnthropicProvider({ ...given, baseUrl: origin });
  const mark = { cache_control: { type: 'ephemeral' } };

  test('has a mark at the end of each tier, and none on the prompt with its reminder', async () => {
    const { body } = await send(anthropicWire, over, requestTo('anthropic', 'claude-opus-5-5', 5000));
    expect(body['system']).toEqual([{ type: 'text', text: expect.stringMatching(/L0 symbols$/), ...mark }]);
    expect(body['messages']).toEqual([
      { role: 'user', content: [{ type: 'text', text: expect.stringMatching(/L1 files$/) }] },
      { role: 'assistant', content: [{ type: 'text', text: 'Ok.', ...mark }] },
      { role: 'user', content: [{ type: 'text', text: 'old question' }] },
      { role: 'assistant', content: [{ type: 'text', text: 'old answer', ...mark }] },
      { role: 'user', content: [{ type: 'text', text: expect.stringMatching(/active files$/) }] },
      { role: 'assistant', content: [{ type: 'text', text: 'Ok.' }] },
      { role: 'user', content: [{ type: 'text', text: 'new question' }] },
      { role: 'assistant', content: [{ type: 'text', text: 'new answer' }] },
      { role: 'user', content: [{ type: 'text', text: 'Do it.\n\nBe exact.' }] },
    ]);
  });

  test.each([
    ['claude-sonnet-4-5', 1009, 1],
    ['claude-sonnet-4-5', 1024, 3],
    ['claude-opus-5-5', 497, 1],
    ['claude-opus-5-5', 512, 3],
    ['claude-sonnet-5-5', 512, 3],
    ['claude-haiku-5-5', 512, 3],
    ['claude-haiku-4-5-20251001', 1024, 0],
    ['claude-opus-4-6', 4096, 3],
  ])('%s with a first tier of %i tokens gets %i marks', async (model, tokens, count) => {
    const { text } = await send(anthropicWire, over, requestTo('anthropic', model, tokens - 4));
    expect(text.match(/cache_control/g)?.length ?? 0).toBe(count);
  });
});

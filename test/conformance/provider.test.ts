import { describe } from 'vitest';
import { createAnthropicProvider } from '../../src/providers/anthropic.ts';
import { createGeminiProvider } from '../../src/providers/gemini.ts';
import { createFetch } from '../../src/providers/http-fetch.ts';
import { createOpenaiProvider } from '../../src/providers/openai.ts';
import { createOpenaiResponsesProvider } from '../../src/providers/openai-responses.ts';
import { createScriptedProvider } from '../../src/providers/scripted.ts';
import type { Script } from '../../src/providers/scripted-schema.ts';
import { withTextTools } from '../../src/providers/text-tools.ts';
import { anthropicWire } from './anthropic-wire.ts';
import { geminiWire } from './gemini-wire.ts';
import type { Scenario } from './model-scenario.ts';
import { startModelServer } from './model-server.ts';
import { openaiResponsesWire } from './openai-responses-wire.ts';
import { openaiWire } from './openai-wire.ts';
import { describeProvider } from './provider.ts';
import { BODY_CAP } from './provider-hostile.ts';

describe.each([
  ['over undici', createFetch({ maxBodyBytes: BODY_CAP }), true],
  ["over the platform's fetch", globalThis.fetch, false],
])('%s', (_title, fetch, guarded) => {
  const given = { fetch };

  describeProvider(
    'the Anthropic adapter',
    async (scenario, around) => {
      const server = await startModelServer(anthropicWire, scenario);
      const provider = createAnthropicProvider({ ...around, ...given, baseUrl: server.origin });
      return { provider, server, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
    },
    { wire: true, guarded },
  );

  describeProvider(
    'the OpenAI adapter',
    async (scenario, around) => {
      const server = await startModelServer(openaiWire, scenario);
      const provider = createOpenaiProvider({ ...around, ...given, baseUrl: `${server.origin}/v1` });
      return { provider, server, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
    },
    { wire: true, guarded },
  );

  describeProvider(
    'the Gemini adapter',
    async (scenario, around) => {
      const server = await startModelServer(geminiWire, scenario);
      const provider = createGeminiProvider({ ...around, ...given, baseUrl: server.origin });
      return { provider, server, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
    },
    { wire: true, guarded, countsCacheWrites: false },
  );

  describeProvider(
    'the OpenAI Responses adapter',
    async (scenario, around) => {
      const server = await startModelServer(openaiResponsesWire, scenario);
      const provider = createOpenaiResponsesProvider({ ...around, ...given, baseUrl: `${server.origin}/v1` });
      return { provider, server, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
    },
    { wire: true, guarded },
  );
});

describeProvider(
  'the scripted model',
  async (scenario, { clock }) => ({
    provider: createScriptedProvider({ rules: [ruleFor(scenario)] }, { clock }),
    server: undefined,
    [Symbol.asyncDispose]: async () => undefined,
  }),
  { wire: false },
);

describeProvider(
  'a model whose calls are read from its text',
  async (scenario, { clock }) => ({
    provider: withTextTools(createScriptedProvider({ rules: [ruleFor(scenario)] }, { clock })),
    server: undefined,
    [Symbol.asyncDispose]: async () => undefined,
  }),
  { wire: false },
);

function ruleFor(scenario: Scenario): Script['rules'][number] {
  if (scenario.kind === 'error') {
    const { type, message, status, headers } = scenario;
    return { error: { type, message, status_code: status, headers } };
  }
  if (scenario.kind !== 'answer') throw new Error(`a script cannot play ${scenario.kind}`);
  return {
    text: scenario.texts.join(''),
    chunks: scenario.texts.length,
    tool_calls: scenario.toolCalls.map(({ id, name, input }) => ({ id, name, input })),
    finish_reason: scenario.finish,
    usage: {
      input_tokens: scenario.usage.inputTokens,
      output_tokens: scenario.usage.outputTokens,
      cache_read_tokens: scenario.usage.cacheReadTokens,
      cache_write_tokens: scenario.usage.cacheWriteTokens,
    },
  };
}

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, expectTypeOf, test } from 'vitest';
import { createHandClock } from '../../test/conformance/hand-clock.ts';
import { createRecordingSink } from '../../test/conformance/recording-sink.ts';
import { REQUEST } from '../../test/conformance/sample-request.ts';
import type { AgentConfig } from '../config/agent.ts';
import type { ModelChoice } from './model-reference.ts';
import { createProviders, type ProvidersConfig, type ProvidersOptions } from './provider-registry.ts';

const PRICE = { input: 3000, output: 15_000, cacheRead: 300, cacheWrite: 3750 };
const SAYS_HI = { rules: [{ text: 'hi' }] };
const FREE = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };

const CONFIG: ProvidersConfig = {
  providers: {
    anthropic: { kind: 'anthropic', maxOutputTokens: 4096 },
    openai: { kind: 'openai', apiKeyEnv: 'MY_OPENAI_KEY' },
    local: { kind: 'openai', baseUrl: 'http://127.0.0.1:8080/v1' },
    google: { kind: 'gemini' },
    script: { kind: 'scripted' },
  },
  tiers: {
    general: { provider: 'anthropic', model: 'claude-big' },
    fast: { provider: 'local', model: 'llama3:8b' },
    test: { provider: 'script', model: 'any' },
  },
  models: {
    'claude-big': { provider: 'anthropic', contextWindow: 200_000, price: PRICE },
    'claude-small': { provider: 'anthropic', contextWindow: 200_000, maxOutputTokens: 64_000, price: PRICE },
    'openai:gpt': { provider: 'openai', contextWindow: 100_000, price: PRICE },
    'local:gpt': { provider: 'local', contextWindow: 100_000, price: PRICE },
    'local:llama3:8b': { provider: 'local', contextWindow: 8192, price: FREE },
    unpriced: { provider: 'anthropic', contextWindow: 50_000 },
    'gemini-flash': { provider: 'google', contextWindow: 1_000_000, price: PRICE },
    'dear-script': { provider: 'script', contextWindow: 1000, price: PRICE },
  },
  unknownPrice: 'refuse',
};

function providers(change: Partial<ProvidersOptions> = {}, config: Partial<ProvidersConfig> = {}) {
  return createProviders({
    config: { ...CONFIG, ...config },
    env: { ANTHROPIC_API_KEY: 'sk-a', MY_OPENAI_KEY: 'sk-o\n' },
    clock: createHandClock(),
    scripts: { any: SAYS_HI, whatever: SAYS_HI, 'dear-script': SAYS_HI },
    ...change,
  });
}

test.each<[ModelChoice, string]>([
  ['anthropic:claude-big', 'anthropic:claude-big'],
  ['claude-small', 'anthropic:claude-small'],
  ['llama3:8b', 'local:llama3:8b'],
  ['local:llama3:8b', 'local:llama3:8b'],
  ['fast', 'local:llama3:8b'],
  ['general', 'anthropic:claude-big'],
  ['script:whatever', 'script:whatever'],
  [{}, 'anthropic:claude-big'],
  [{ tier: 'fast' }, 'local:llama3:8b'],
  [{ id: 'claude-small', tier: 'fast' }, 'anthropic:claude-small'],
  [{ id: 'gpt', provider: 'openai' }, 'openai:gpt'],
])('%j means %s', (choice, reference) => {
  const binding = providers().resolve(choice);
  expect(binding.reference).toBe(reference);
  expect(`${binding.provider.id}:${binding.model}`).toBe(reference);
  expect(providers().resolve(binding.reference).reference).toBe(reference);
});

test.each<[ModelChoice, RegExp]>([
  ['nobody', /neither provider:model .*anthropic, openai, local, google, script.* tier \(general, fast, test\)/],
  ['nobody:claude', /neither/],
  ['anthropic:', /names no model/],
  ['gpt', /several providers: write openai:gpt or local:gpt/],
  ['__proto__', /neither/],
  ['constructor:x', /neither/],
  [{ tier: 'toString' }, /no tier "toString"/],
  [{ id: 'x', provider: 'azure' }, /"azure", which is not configured/],
])('%j is refused', (choice, message) => {
  expect(() => providers().resolve(choice)).toThrow(expect.objectContaining({ code: 'invalid_config' }));
  expect(() => providers().resolve(choice)).toThrow(message);
});

test.each<[string, object]>([
  ['anthropic:claude-big', { price: PRICE, contextWindow: 200_000, maxOutputTokens: 4096 }],
  ['claude-small', { contextWindow: 200_000, maxOutputTokens: 64_000 }],
  ['fast', { contextWindow: 8192, maxOutputTokens: 8192 }],
  ['test', { price: FREE, contextWindow: 128_000 }],
  ['dear-script', { price: PRICE }],
])('%s has its prices and sizes', (choice, expected) => {
  expect(providers().resolve(choice)).toMatchObject(expected);
});

describe('what no entry says', () => {
  const TABLE: Partial<ProvidersConfig> = {
    models: {
      'claude-opus-4-5': { provider: 'anthropic', price: PRICE },
      'claude-haiku-4-5': { provider: 'anthropic', contextWindow: 7777 },
    },
  };

  test.each<[ModelChoice, object]>([
    ['anthropic:claude-sonnet-4-5', { price: { input: 3000, output: 15_000 }, contextWindow: 200_000 }],
    // The window, but not the price; the price, but not the window.
    ['anthropic:claude-opus-4-5', { price: PRICE, contextWindow: 200_000 }],
    ['anthropic:claude-haiku-4-5', { price: { input: 1000, output: 5000 }, contextWindow: 7777 }],
    ['openai:gpt-5-mini-2025-08-07', { price: { input: 250, cacheWrite: 250 }, contextWindow: 272_000 }],
  ])('of %s is in the price table', (choice, expected) => {
    const { price, contextWindow } = providers({}, TABLE).resolve(choice);
    expect({ price, contextWindow }).toMatchObject(expected);
  });

  test("of a model of that name at a server of one's own is not", () => {
    expect(() => providers({}, TABLE).resolve('local:gpt-5-mini')).toThrow(
      expect.objectContaining({ code: 'price_unknown' }),
    );
  });

  test.each([
    ['gpt-5-mini', 'openai:gpt-5-mini'],
    ['claude-sonnet-4-5-20250929', 'anthropic:claude-sonnet-4-5-20250929'],
  ])('a name alone, %s, means the model of its maker', (name, reference) => {
    expect(providers({}, TABLE).resolve(name).reference).toBe(reference);
  });

  test('a name alone means the first provider, where its maker has several', () => {
    const twice = { ...CONFIG.providers, work: { kind: 'openai' } } as const;
    expect(providers({}, { ...TABLE, providers: twice }).resolve('gpt-5-mini').reference).toBe('openai:gpt-5-mini');
  });
});

test('all threads of a model share its counter, and models have one each', () => {
  const registry = providers();
  expect(registry.resolve('claude-small').counter).toBe(registry.resolve('anthropic:claude-small').counter);
  expect(registry.resolve('claude-small').counter).not.toBe(registry.resolve('general').counter);
});

test.each<[ModelChoice, string | undefined, string[]]>([
  ['general', undefined, []],
  ['fast', undefined, ['script:any', 'anthropic:claude-big']],
  [{}, undefined, []],
  [{ tier: 'fast' }, undefined, ['script:any', 'anthropic:claude-big']],
  // What is named goes first, and on by its own tier.
  [{ tier: 'fast' }, 'openai:gpt', ['openai:gpt']],
  ['claude-small', 'test', ['script:any', 'anthropic:claude-big']],
  // A model that is called by its name has no tier.
  ['local:llama3:8b', undefined, []],
  [{ id: 'claude-small', tier: 'fast' }, undefined, []],
  // None twice, and no circles.
  ['general', 'test', ['script:any']],
  ['general', 'general', []],
  [{ tier: 'round' }, undefined, ['local:llama3:8b']],
])('%j with fallback %s goes on with %j', (choice, named, chain) => {
  const tiers = {
    ...CONFIG.tiers,
    fast: { provider: 'local', model: 'llama3:8b', fallback: 'test' },
    test: { provider: 'script', model: 'any', fallback: 'claude-big' },
    round: { provider: 'anthropic', model: 'claude-small', fallback: 'about' },
    about: { provider: 'local', model: 'llama3:8b', fallback: 'round' },
  };
  expect(providers({}, { tiers }).fallbacks(choice, named)).toEqual(chain);
});

test('a fallback that nobody knows is refused', () => {
  expect(() => providers().fallbacks('general', 'nobody')).toThrow(
    expect.objectContaining({ code: 'invalid_config', detail: { model: 'nobody' } }),
  );
});

test.each([
  [undefined, undefined, '/v1/responses'],
  [undefined, 'chat', '/v1/chat/completions'],
  ['https://eu.api.openai.com/v1', undefined, '/v1/responses'],
  ['https://me.openai.azure.com/openai/v1', undefined, '/openai/v1/chat/completions'],
  ['http://127.0.0.1:1/v1', undefined, '/v1/chat/completions'],
  ['http://127.0.0.1:1/v1', 'responses', '/v1/responses'],
] as const)('OpenAI at %s with api %s is asked at %s', async (baseUrl, api, path) => {
  const asked = Promise.withResolvers<string>();
  const fetch = (url: string | URL | Request): Promise<Response> => {
    asked.resolve(new URL(url instanceof Request ? url.url : url).pathname);
    return Promise.resolve(new Response('{}', { status: 500 }));
  };
  const openai = { kind: 'openai', baseUrl, api, apiKeyEnv: 'MY_OPENAI_KEY' } as const;
  const registry = providers({ fetch }, { providers: { ...CONFIG.providers, openai } });
  registry.resolve('openai:gpt').provider.call(REQUEST, createRecordingSink());
  expect(await asked.promise).toBe(path);
});

test.each([
  ['https://me.openai.azure.com/openai/v1', 'max_completion_tokens'],
  ['https://me.services.ai.azure.com/openai/v1', 'max_completion_tokens'],
  ['https://me.cognitiveservices.azure.com/openai/v1', 'max_completion_tokens'],
  ['https://api.openai.com/v1', 'max_completion_tokens'],
  ['https://openai.azure.com.example/v1', 'max_tokens'],
  ['http://127.0.0.1:1/v1', 'max_tokens'],
])('Chat Completions at %s is told the output limit as %s', async (baseUrl, name) => {
  const sent = Promise.withResolvers<object>();
  const fetch = (_url: unknown, init?: RequestInit): Promise<Response> => {
    sent.resolve(JSON.parse(typeof init?.body === 'string' ? init.body : '{}') as object);
    return Promise.resolve(new Response('{}', { status: 500 }));
  };
  const openai = { kind: 'openai', baseUrl, api: 'chat', apiKeyEnv: 'MY_OPENAI_KEY' } as const;
  const registry = providers({ fetch }, { providers: { ...CONFIG.providers, openai } });
  registry.resolve('openai:gpt').provider.call(REQUEST, createRecordingSink());
  const body = await sent.promise;
  expect(Object.keys(body).filter((key) => key.startsWith('max_'))).toEqual([name]);
});

test('a provider is made once', () => {
  const registry = providers();
  expect(registry.resolve('claude-small').provider).toBe(registry.resolve('general').provider);
});

describe('tools: text', () => {
  const TEXT = '<tool_call>{"name": "read"}</tool_call>';
  const script = { rules: [{ text: TEXT }] };
  const registry = providers(
    { scripts: { any: script, able: script, unable: script } },
    {
      providers: {
        ...CONFIG.providers,
        plain: { kind: 'scripted', tools: 'text' },
      },
      models: {
        able: { provider: 'plain', contextWindow: 1000, tools: 'native' },
        unable: { provider: 'script', contextWindow: 1000, tools: 'text' },
      },
    },
  );

  test.each([
    ['script:any', 0],
    ['plain:any', 1],
    ['plain:able', 0],
    ['script:unable', 1],
  ])('of %s, by its model’s entry before its provider’s, has %d calls read from a text', async (reference, calls) => {
    const { provider } = registry.resolve(reference);
    const sink = createRecordingSink();
    provider.call(REQUEST, sink);
    expect(await sink.ended).toMatchObject({ done: { text: calls ? '' : TEXT, toolCalls: { length: calls } } });
    expect(provider.id).toBe(reference.split(':')[0]);
    expect(registry.resolve(reference).provider).toBe(provider);
  });
});

describe('an unknown price', () => {
  test.each(['anthropic:new', 'unpriced', 'local:claude-big'])('of %s is refused, naming the model', (reference) => {
    const model = reference.slice(reference.indexOf(':') + 1);
    expect(() => providers().resolve(reference)).toThrow(
      expect.objectContaining({ code: 'price_unknown', message: expect.stringContaining(`"${model}" of provider`) }),
    );
  });

  test('counts as zero where the configuration says so; what else is known stays', () => {
    const registry = providers({}, { unknownPrice: 'zero' });
    expect(registry.resolve('unpriced')).toMatchObject({ price: undefined, contextWindow: 50_000 });
  });
});

describe('a key', () => {
  test.each([
    ['missing', {}],
    ['empty', { MY_OPENAI_KEY: '  ' }],
    ['not sendable', { MY_OPENAI_KEY: 'sk-secret\nx-evil: 1' }],
  ])('%s is refused with the name of its variable, never its value', (_title, env) => {
    const resolve = () => providers({ env }).resolve('openai:gpt');
    expect(resolve).toThrow(expect.objectContaining({ code: 'provider_key_missing' }));
    expect(resolve).toThrow(/MY_OPENAI_KEY/);
    expect(resolve).not.toThrow(/secret/);
  });

  test.each([
    ['its own variable', { GEMINI_API_KEY: 'a', GOOGLE_API_KEY: 'not sendable' }],
    ["the variable of Google's other tools", { GEMINI_API_KEY: ' ', GOOGLE_API_KEY: 'b' }],
  ])('of gemini is taken from %s', (_title, env) => {
    expect(providers({ env }).resolve('gemini-flash').provider.id).toBe('google');
  });

  test('of gemini that is missing is refused with the names of both its variables', () => {
    expect(() => providers({ env: {} }).resolve('gemini-flash')).toThrow(
      expect.objectContaining({
        code: 'provider_key_missing',
        message: expect.stringContaining('GEMINI_API_KEY or GOOGLE_API_KEY, which is not set'),
      }),
    );
  });

  test('is not looked for before its provider is used', () => {
    expect(providers({ env: {} }).resolve('test').reference).toBe('script:any');
  });

  test('is not needed by a server that is configured without one', () => {
    expect(providers({ env: {} }).resolve('fast').provider.id).toBe('local');
  });
});

describe('A key in a file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'skein-registry-'));
  const file = join(folder, 'key');
  const config = {
    providers: { ...CONFIG.providers, local: { kind: 'openai', baseUrl: 'http://h', apiKeyFile: file } },
  } as const;
  afterAll(() => rmSync(folder, { recursive: true }));

  test('counts before the variable, and is told before it is used', () => {
    writeFileSync(file, 'of-the-file\n');
    const keys: string[] = [];
    providers({ env: {}, onKey: (key) => keys.push(key) }, config).resolve('fast');
    expect(keys).toEqual(['of-the-file']);
  });

  test('of characters no key has is refused without saying them', () => {
    writeFileSync(file, 'two words');
    const resolve = (): unknown => providers({}, config).resolve('fast');
    expect(resolve).toThrow(expect.objectContaining({ code: 'provider_key_missing' }));
    expect(resolve).not.toThrow(/two words/);
  });
});

describe('A recording', () => {
  test('is replayed without keys', () => {
    expect(providers({ env: {}, recording: 'replay' }).resolve('general').reference).toBe('anthropic:claude-big');
  });

  test.each(['record', 'replay'] as const)('has no scripts: %s', (recording) => {
    expect(() => providers({ recording }).resolve('test')).toThrow(/sends nothing that could be recorded/);
  });
});

test.each(['ftp://host', 'not a url', 'https://user:pw@host/v1'])('the base URL %s is refused', (baseUrl) => {
  const registry = providers({}, { providers: { ...CONFIG.providers, local: { kind: 'openai', baseUrl } } });
  expect(() => registry.resolve('fast')).toThrow(
    expect.objectContaining({ code: 'invalid_config', where: { path: 'providers.local.base_url' } }),
  );
});

test('what src/config parses is what the registry reads', () => {
  expectTypeOf<AgentConfig>().toExtend<ProvidersConfig>();
});

test.each(['nope', '__proto__', 'toString'])(
  'a scripted model %s without a script of its name is refused',
  (script) => {
    const resolve = () => providers().resolve({ provider: 'script', id: script });
    expect(resolve).toThrow(expect.objectContaining({ code: 'invalid_config', where: undefined }));
    expect(resolve).toThrow(`no script "${script}"`);
    expect(resolve).toThrow(/in the scripts of createRuntime, or with --script \w+=FILE$/);
  },
);

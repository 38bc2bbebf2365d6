import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, expectTypeOf, test } from 'vitest';
import { createHandClock } from '../../test/conformance/hand-clock.ts';
import type { AgentConfig } from '../config/agent.ts';
import type { ModelChoice } from './model-reference.ts';
import type { ProvidersConfig, ProvidersOptions } from './provider-registry.ts';
import { createProviders } from './provider-registry.ts';

const PRICE = { input: 3000, output: 15_000, cacheRead: 300, cacheWrite: 3750 };
const FREE = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };

const CONFIG: ProvidersConfig = {
  providers: {
    anthropic: { kind: 'anthropic', maxOutputTokens: 4096 },
    openai: { kind: 'openai', apiKeyEnv: 'MY_OPENAI_KEY' },
    local: { kind: 'openai', baseUrl: 'http://127.0.0.1:8080/v1' },
    script: { kind: 'scripted', script: 'demo' },
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
    'dear-script': { provider: 'script', contextWindow: 1000, price: PRICE },
  },
  unknownPrice: 'refuse',
};

function providers(change: Partial<ProvidersOptions> = {}, config: Partial<ProvidersConfig> = {}) {
  return createProviders({
    config: { ...CONFIG, ...config },
    env: { ANTHROPIC_API_KEY: 'sk-a', MY_OPENAI_KEY: 'sk-o\n' },
    clock: createHandClock(),
    scripts: { demo: { rules: [{ text: 'hi' }] } },
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
  ['nobody', /neither provider:model .*anthropic, openai, local, script.* tier \(general, fast, test\)/],
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

test('a provider is made once', () => {
  const registry = providers();
  expect(registry.resolve('claude-small').provider).toBe(registry.resolve('general').provider);
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

test('a scripted model runs the script of its name', () => {
  const registry = providers(
    { scripts: { any: { rules: [{ text: 'hi' }] } } },
    { providers: { ...CONFIG.providers, script: { kind: 'scripted' } } },
  );
  expect(registry.resolve('test').reference).toBe('script:any');
});

test('what src/config parses is what the registry reads', () => {
  expectTypeOf<AgentConfig>().toExtend<ProvidersConfig>();
});

test.each([undefined, 'nope', '__proto__'])('a scripted provider with script %s is refused', (script) => {
  const registry = providers({}, { providers: { ...CONFIG.providers, script: { kind: 'scripted', script } } });
  expect(() => registry.resolve('test')).toThrow(expect.objectContaining({ code: 'invalid_config' }));
});

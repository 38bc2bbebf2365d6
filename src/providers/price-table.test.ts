import { isDeepStrictEqual } from 'node:util';
import { describe, expect, test } from 'vitest';
import { SYSTEM_DIR } from '../config/default-places.ts';
import { loadConfig } from '../config/load.ts';
import { createHandClock } from '../../test/conformance/hand-clock.ts';
import { knownModels } from './known-models.ts';
import { openPriceTable, type PriceTable, type Seller } from './price-table.ts';
import { affordableOutput } from './pricing.ts';
import { createUncalledProviders } from './provider-registry.ts';

const NOW = Date.UTC(2026, 10, 22);
const at = (now: number): PriceTable => openPriceTable({ now: () => now });

test.each([
  ['anthropic', 'claude-haiku-4-5', 'claude-haiku-4-5'],
  ['anthropic', 'claude-haiku-4-5-20251001', 'claude-haiku-4-5'],
  ['anthropic', 'claude-opus-4', 'claude-opus-4-0'],
  ['openai', 'gpt-5-2025-08-07', 'gpt-5'],
  ['openai', 'gpt-5.6', 'gpt-5.6-sol'],
  ['google', 'gemini-2.5-pro-preview-06-05', 'gemini-2.5-pro'],
])('%s has %s under the name %s', (seller, model, id) => {
  expect(at(NOW).find(seller, model)?.id).toBe(id);
});

test.each([
  ['anthropic', 'claude-of-tomorrow'],
  ['openai', '__proto__'],
  ['nobody', 'gpt-5'],
  // Free of charge or not paid by tokens: what they cost is not known from here.
  ['openai', 'whisper-1'],
  ['openai', 'text-embedding-3-small'],
  ['google', 'gemma-3'],
])('%s has no price of %s', (seller, model) => {
  expect(at(NOW).find(seller, model)).toBeUndefined();
});

test('a rate without a price of its own is that of input', () => {
  expect(at(NOW).find('openai', 'gpt-5-mini')?.price).toEqual({
    input: 250,
    output: 2000,
    cacheRead: 25,
    cacheWrite: 250,
  });
});

test('a rate of less than a nano-USD keeps its fraction', () => {
  // 0.003625 USD for a million.
  expect(at(NOW).find('openrouter', 'deepseek/deepseek-v4-pro')?.price.cacheRead).toBe(3.625);
});

test('audio has a rate of its own where the table has one', () => {
  expect(at(NOW).find('google', 'gemini-2.5-flash')?.price).toEqual({
    input: 300,
    output: 2500,
    cacheRead: 30,
    cacheWrite: 300,
    audio: 1000,
  });
});

test('an answer that may be a picture costs what pictures do', () => {
  expect(at(NOW).find('google', 'gemini-2.5-flash-image')?.price).toMatchObject({ input: 300, output: 30_000 });
});

test('what each call costs beside its tokens is read', () => {
  // 12 USD for a thousand.
  expect(at(NOW).find('perplexity', 'sonar')?.price).toMatchObject({ input: 1000, output: 1000, call: 12_000_000 });
  expect(at(NOW).find('perplexity', 'sonar-deep-research')?.price).not.toHaveProperty('call');
});

test('rates that go by the length of a call begin above a number of tokens', () => {
  expect(at(NOW).find('openai', 'gpt-5.4')?.price).toEqual({
    input: 2500,
    output: 15_000,
    cacheRead: 250,
    cacheWrite: 2500,
    above: [{ tokens: 271_999, input: 5000, output: 22_500, cacheRead: 500, cacheWrite: 5000 }],
  });
});

test('rates for lengths that a model does not take are left out', () => {
  const sonnet = at(NOW).find('anthropic', 'claude-sonnet-4-5');
  expect(sonnet?.contextWindow).toBe(200_000);
  expect(sonnet?.price).not.toHaveProperty('above');
});

test.each([
  ['gpt-5-mini', 272_000],
  ['gpt-5.1-codex', 272_000],
  ['gpt-5.4', 922_000],
  ['gpt-6-sol', 922_000],
  // All of theirs is for both.
  ['gpt-5.3-chat', 128_000],
  ['gpt-4.1', 1_000_000],
  ['o3', 200_000],
])('%s reads %i tokens: what it keeps for its answer is left out', (model, tokens) => {
  expect(at(NOW).find('openai', model)?.contextWindow).toBe(tokens);
});

describe('a price that changes on a day', () => {
  const DAY = Date.UTC(2027, 0, 1);

  test.each([
    [DAY - 1, 750, DAY],
    [DAY, 1500, Infinity],
  ])('is that of %i, and says until when it holds', (now, input, until) => {
    expect(at(now).find('google', 'gemini-3.8-flash')).toMatchObject({ price: { input }, pricedUntil: until });
  });

  test('is looked up again after that day', () => {
    let now = DAY - 1;
    const table = openPriceTable({ now: () => now });
    expect(table.find('google', 'gemini-3.8-flash')?.price.input).toBe(750);
    now = DAY;
    expect(table.find('google', 'gemini-3.8-flash')?.price.input).toBe(1500);
  });
});

test.each([0, 6, 18])('a price that changes with the hour is the dearest one, also at %i:00', (hour) => {
  const price = at(Date.UTC(2026, 10, 22, hour)).find('deepseek', 'deepseek-reasoner')?.price;
  expect(price).toEqual({ input: 550, output: 2190, cacheRead: 140, cacheWrite: 550 });
});

test.each<[Seller, string | undefined]>([
  [{ name: 'x', kind: 'anthropic' }, 'anthropic'],
  [{ name: 'x', kind: 'openai' }, 'openai'],
  [{ name: 'x', kind: 'gemini' }, 'google'],
  [{ name: 'x', kind: 'scripted' }, undefined],
  [{ name: 'x', kind: 'openai', baseUrl: 'https://api.groq.com/openai/v1' }, 'groq'],
  [{ name: 'x', kind: 'openai', baseUrl: 'http://127.0.0.1:11434/v1' }, undefined],
  // A proxy.
  [{ name: 'openai', kind: 'openai', baseUrl: 'http://127.0.0.1:4000/v1' }, 'openai'],
  [{ name: 'my-openai', kind: 'openai', baseUrl: 'http://127.0.0.1:4000/v1' }, undefined],
  [{ name: 'x', kind: 'anthropic', baseUrl: 'http://127.0.0.1:4000' }, 'anthropic'],
])('%j is sold by %s', (seller, expected) => {
  expect(at(NOW).sellerId(seller)).toBe(expected);
});

describe('the configuration that ships', () => {
  const { config } = loadConfig({ systemDir: SYSTEM_DIR, projectDir: '/nowhere' });
  const { tiers, providers } = config.agent;

  test.each(Object.keys(tiers))('leads the tier %s to a model with a price and room for its replies', (tier) => {
    const model = createUncalledProviders(config.agent, createHandClock()).resolve({ tier });
    expect(model.price?.output).toBeGreaterThan(0);
    expect(model.contextWindow).toBeGreaterThan(2 * model.maxOutputTokens);
  });

  test.each(Object.keys(tiers))(
    'leads the tier %s to a model that a child without a budget of its own can call',
    (tier) => {
      const { price, maxOutputTokens } = createUncalledProviders(config.agent, createHandClock()).resolve({ tier });
      if (!price) throw new Error('no price');
      const { spend, spawns } = config.resilience.limits.defaults;
      const call = { inputTokens: 5_000, maxOutputTokens, hasAudio: false };
      expect(affordableOutput(call, price, spend / (spawns + 1))).toBeGreaterThan(1_024);
    },
  );

  test('has models with amounts for all that the table has', () => {
    const models = knownModels(config.agent, { now: () => NOW });
    expect(models.length).toBeGreaterThan(50);
    for (const { price } of models) {
      const rates = price ? [price, ...(price.above ?? [])] : [];
      expect(rates.every(({ input, output }) => input >= 0 && output >= 0)).toBe(true);
    }
    expect(models[0]).toMatchObject({ reference: 'anthropic:claude-sonnet-5-5', tiers: ['general', 'sonnet'] });
    expect(models.map(({ reference }) => reference)).toContain('anthropic:claude-haiku-5-5');
    expect(new Set(models.map(({ reference }) => reference)).size).toBe(models.length);
  });

  test('repeats nothing that the price table has', () => {
    const table = at(NOW);
    const repeated = Object.entries(config.agent.models).filter(([model, entry]) => {
      const seller = table.sellerId({ name: entry.provider, kind: providers[entry.provider]?.kind ?? '' });
      const listed = seller === undefined ? undefined : table.find(seller, model);
      return entry.price === undefined
        ? entry.contextWindow === listed?.contextWindow
        : isDeepStrictEqual(entry.price, listed?.price);
    });
    expect(repeated).toEqual([]);
  });
});

import { DEFAULT_MAX_OUTPUT_TOKENS, entryOf } from '../config/model-entry.ts';
import { SkeinError } from '../core/errors.ts';
import type { ModelPrice } from '../core/provider.ts';
import { referenceOf, type ModelAddress } from './model-reference.ts';
import { createOpenaiCount } from './openai-tokens.ts';
import type { PriceTable, TableModel } from './price-table.ts';
import { estimateTextTokens } from './pricing.ts';
import type { ModelBinding, ProvidersConfig } from './provider-registry.ts';
import { createLearningCounter, LENGTH_COUNTER, type ModelCounter } from './token-counter.ts';

/** Assumed of a model that nothing is known of. */
const DEFAULT_CONTEXT_WINDOW = 128_000;
/** A script costs nothing unless its model's entry says so. */
const FREE: ModelPrice = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };

/**
 * What is known of models: what their entries in `models` say, then the price table. The table is not loaded for scripts,
 * nor for models whose entries say everything. What it returns throws `price_unknown` where such models are refused.
 */
export function describeModels(
  config: ProvidersConfig,
  table: PriceTable,
): (address: ModelAddress) => Omit<ModelBinding, 'provider'> {
  const counters = new Map<string, ModelCounter>();
  return (address) => {
    const reference = referenceOf(address);
    const entry = entryOf(address, config);
    const settings = config.providers[address.provider];
    const isComplete = entry?.price !== undefined && entry.contextWindow !== undefined;
    const listed = isComplete ? undefined : listedModel(address, config, table);
    const counter = counters.get(reference) ?? createCounter(address, config, table);
    counters.set(reference, counter);
    return {
      reference,
      model: address.model,
      price: entry?.price ?? listed?.price ?? unknownPrice(address, config),
      pricedUntil: entry?.price ? Infinity : (listed?.pricedUntil ?? Infinity),
      contextWindow: entry?.contextWindow ?? listed?.contextWindow ?? DEFAULT_CONTEXT_WINDOW,
      // What an entry says is of both together.
      answerRoom: entry?.contextWindow === undefined ? (listed?.answerRoom ?? 0) : 0,
      maxOutputTokens: entry?.maxOutputTokens ?? settings?.maxOutputTokens ?? DEFAULT_MAX_OUTPUT_TOKENS,
      counter,
      reasoning: entry?.reasoning,
      callsInText: (entry?.tools ?? settings?.tools) === 'text',
    };
  };
}

/** The first of the configured providers that is the maker of a model with this name; those that ship come first. */
export function makerOf(model: string, config: ProvidersConfig, table: PriceTable): string | undefined {
  const maker = table.makerId(model);
  if (maker === undefined || !table.find(maker, model)) return undefined;
  return Object.keys(config.providers).find((provider) => sellerOf({ provider, model }, config, table) === maker);
}

function listedModel(address: ModelAddress, config: ProvidersConfig, table: PriceTable): TableModel | undefined {
  const seller = sellerOf(address, config, table);
  return seller === undefined ? undefined : table.find(seller, address.model);
}

/** The provider's name in the table. */
function sellerOf({ provider: name }: ModelAddress, config: ProvidersConfig, table: PriceTable): string | undefined {
  const settings = config.providers[name];
  return settings && table.sellerId({ ...settings, name });
}

function createCounter(address: ModelAddress, config: ProvidersConfig, table: PriceTable): ModelCounter {
  if (config.providers[address.provider]?.kind === 'scripted') return LENGTH_COUNTER;
  const isOpenai = sellerOf(address, config, table) === 'openai';
  return createLearningCounter(isOpenai ? createOpenaiCount(address.model) : estimateTextTokens);
}

function unknownPrice({ provider, model }: ModelAddress, config: ProvidersConfig): ModelPrice | undefined {
  if (config.providers[provider]?.kind === 'scripted') return FREE;
  if (config.unknownPrice === 'zero') return undefined;
  throw new SkeinError(
    'price_unknown',
    `The price of model "${model}" of provider "${provider}" is not known: give it an entry with a price in models, ` +
      'or set unknown_price to zero, in agent.yaml of the user space or in code',
    { where: { path: `models.${model}.price` } },
  );
}

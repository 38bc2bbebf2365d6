import { createRequire } from 'node:module';
import type * as Table from '@pydantic/genai-prices';
import type { Clock } from '../core/clock.ts';
import { usdPerMillionToNano } from '../core/money.ts';
import type { ModelPrice, ModelRates } from '../core/provider.ts';

/** What the table knows of a model. */
export type TableModel = {
  /** Its name in the table, which may be another than the one that was looked for. */
  readonly id: string;
  readonly price: ModelPrice;
  /** Until when the price holds, in milliseconds since 1970; `Infinity` if no other is known. */
  readonly pricedUntil: number;
  /** How much it reads. */
  readonly contextWindow: number | undefined;
  /** How much it may answer with beside that; 0: the answer needs room in it. */
  readonly answerRoom: number;
};

/** What is asked about: a provider by its name in `agent.yaml`, and what is configured of it. */
export type Seller = { readonly name: string; readonly kind: string; readonly baseUrl?: string | undefined };

/** Prices and sizes of the models of many providers, as they came with the package: nothing is fetched. */
export interface PriceTable {
  /** The provider's name in the table; undefined for one that is not in it, such as a server of one's own. */
  sellerId(seller: Seller): string | undefined;
  /** Who makes a model of this name, as far as names tell. */
  makerId(model: string): string | undefined;
  /** A model by one of its names, dated ones and aliases too. */
  find(sellerId: string, model: string): TableModel | undefined;
  /** All models of a provider that write text. */
  models(sellerId: string): readonly TableModel[];
}

/** Opens the table, which is loaded (30 ms) with the first question. */
export function openPriceTable(clock: Pick<Clock, 'now'>): PriceTable {
  let loaded: typeof Table | undefined;
  // It resolves to the CommonJS build of the same package.
  const table = (): typeof Table =>
    (loaded ??= createRequire(import.meta.url)('@pydantic/genai-prices') as typeof Table);
  const found = new Map<string, TableModel>();
  return {
    sellerId: (seller) => sellerIdOf(seller, table),
    makerId: (model) => table().findProvider({ modelId: model })?.id,
    find(sellerId, model) {
      const key = `${sellerId}:${model}`;
      const known = found.get(key);
      if (known && known.pricedUntil > clock.now()) return known;
      const entry = table().calcPrice({}, model, { providerId: sellerId })?.model;
      const read = entry && readModel(entry, clock.now());
      if (read) found.set(key, read);
      return read;
    },
    models: (sellerId) =>
      (table().findProvider({ providerId: sellerId })?.models ?? [])
        .filter(({ id }) => sellerId !== SELLERS['gemini'] || GOOGLES_OWN.test(id))
        .flatMap((model) => readModel(model, clock.now()) ?? []),
  };
}

/** Google sells models of others too, but not through the Gemini API. */
const GOOGLES_OWN = /^(?:gemini|gemma)/;

/** The table's names of those that only this kind of provider speaks to. */
const SELLERS: Readonly<Record<string, string>> = { anthropic: 'anthropic', openai: 'openai', gemini: 'google' };

/**
 * Who sells is known by the address. Behind one that nobody knows may be a proxy of the kind's own provider; but
 * everybody's servers speak OpenAI's protocol, so there the provider's name must say it.
 */
function sellerIdOf({ name, kind, baseUrl }: Seller, table: () => typeof Table): string | undefined {
  if (baseUrl === undefined) return SELLERS[kind];
  const { findProvider } = table();
  const known = findProvider({ providerApiUrl: baseUrl });
  if (known) return known.id;
  if (kind !== 'openai') return SELLERS[kind];
  const named = findProvider({ providerId: name });
  return named?.id === name ? name : undefined;
}

function readModel(model: Table.ModelInfo, now: number): TableModel | undefined {
  const { prices, until } = pricesAt(model, now);
  const { contextWindow, answerRoom } = readWindow(model);
  const price = readPrice(prices, contextWindow ?? Infinity);
  return price && { id: model.id, price, pricedUntil: until, contextWindow, answerRoom };
}

/**
 * What a conversation may fill, and what the answer has beside that. OpenAI's models from GPT-5 on keep a part of their window for the
 * answer, however short that is to be: the API refuses what goes beyond the rest. Those to chat with have small windows, and keep
 * nothing.
 */
function readWindow({ id, context_window: window }: Table.ModelInfo): Pick<TableModel, 'contextWindow' | 'answerRoom'> {
  const keeps = window !== undefined && window >= 400_000 && GPT_5_ON.test(id);
  return keeps
    ? { contextWindow: window - KEPT_FOR_ANSWERS, answerRoom: KEPT_FOR_ANSWERS }
    : { contextWindow: window, answerRoom: 0 };
}

/** Some sellers put the maker's name before it. */
const GPT_5_ON = /^(?:openai\/)?gpt-[5-9]/;
const KEPT_FOR_ANSWERS = 128_000;

/** Of prices that change with the hour, the dearest is taken for each kind of token. */
function pricesAt({ prices }: Table.ModelInfo, now: number): { prices: Table.ModelPrice[]; until: number } {
  if (!Array.isArray(prices)) return { prices: [prices], until: Infinity };
  const hourly = prices.filter(({ constraint }) => constraint !== undefined && 'end_time' in constraint);
  const daily = prices.filter((entry) => !hourly.includes(entry));
  const startOf = ({ constraint }: Table.ConditionalPrice): number =>
    constraint && 'start_date' in constraint ? Date.parse(constraint.start_date) : -Infinity;
  const current = daily.findLast((entry) => startOf(entry) <= now);
  const until = Math.min(Infinity, ...daily.map(startOf).filter((start) => start > now));
  return { prices: [...(current ? [current] : []), ...hourly].map((entry) => entry.prices), until };
}

/** Nothing for models that are not paid by tokens of input and output, such as those that embed or listen. */
function readPrice(prices: readonly Table.ModelPrice[], window: number): ModelPrice | undefined {
  if (!prices.every(({ input_mtok: input, output_mtok: output }) => input !== undefined && output !== undefined)) {
    return undefined;
  }
  const steps = prices.flatMap((each) => KINDS.flatMap((kind) => stepsOf(each[kind])));
  // Some models have rates for lengths that they take no more.
  const above = [...new Set(steps)].filter((start) => start < window).toSorted((one, other) => one - other);
  return {
    ...ratesAt(prices, 0),
    ...(above.length > 0 && { above: above.map((tokens) => ({ tokens, ...ratesAt(prices, tokens + 1) })) }),
  };
}

/** The kinds of tokens whose prices may go by the length of a call. */
const KINDS = ['input_mtok', 'output_mtok', 'cache_read_mtok', 'cache_write_mtok', 'input_audio_mtok'];
/** What a model may answer with unasked: the dearest is taken, since nothing says how much of an answer it was. */
const ANSWERS = ['output_mtok', 'output_image_mtok', 'output_video_mtok'];

type Rate = Table.ModelPrice[string];

function stepsOf(rate: Rate): number[] {
  return typeof rate === 'object' ? rate.tiers.map(({ start }) => start) : [];
}

/** What has no price of its own is paid as input. */
function ratesAt(prices: readonly Table.ModelPrice[], tokens: number): ModelRates {
  const has = (key: string): boolean => prices.some((each) => each[key] !== undefined);
  const dearest = (key: string): number =>
    usdPerMillionToNano(Math.max(...prices.map((each) => rateAt(each[key] ?? each['input_mtok'], tokens))));
  return {
    input: dearest('input_mtok'),
    output: Math.max(...ANSWERS.filter(has).map(dearest)),
    cacheRead: dearest('cache_read_mtok'),
    cacheWrite: dearest('cache_write_mtok'),
    ...(has('input_audio_mtok') && { audio: dearest('input_audio_mtok') }),
    // In USD for a thousand.
    ...(has('requests_kcount') && { call: 1_000 * dearest('requests_kcount') }),
  };
}

function rateAt(rate: Rate, tokens: number): number {
  if (rate === undefined || typeof rate === 'number') return rate ?? 0;
  return rate.tiers.findLast(({ start }) => tokens > start)?.price ?? rate.base;
}

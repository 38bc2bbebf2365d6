import type { Clock } from '../core/clock.ts';
import { SkeinError } from '../core/errors.ts';
import type { ModelPrice, Provider, ReasoningSetting } from '../core/provider.ts';
import { own } from '../core/record.ts';
import { createAnthropicProvider } from './anthropic.ts';
import { apiKeyFor, checkBaseUrl } from './credentials.ts';
import { describeModels, makerOf } from './describe-model.ts';
import { createGeminiProvider } from './gemini.ts';
import { createFetch, type Fetch } from './http-fetch.ts';
import {
  fallbackChain,
  referenceOf,
  resolveReference,
  type ModelAddress,
  type ModelChoice,
  type ReferenceTables,
  type Tier,
} from './model-reference.ts';
import { createOpenaiProvider } from './openai.ts';
import { isOpenai } from './openai-provider.ts';
import { createOpenaiResponsesProvider } from './openai-responses.ts';
import { openPriceTable } from './price-table.ts';
import { createScriptedProvider, type ScriptedModel } from './scripted.ts';
import type { Script } from './scripted-schema.ts';
import { withTextTools } from './text-tools.ts';
import type { ModelCounter } from './token-counter.ts';
import type { Timeouts } from './watchdog.ts';

/** One configured provider. A model of a `scripted` one is a script: `scripted:survey` runs the script `survey`. */
export type ProviderConfig = {
  readonly kind: 'anthropic' | 'openai' | 'gemini' | 'scripted';
  /** Name of the environment variable with the key; default as `apiKeyFor` says. */
  readonly apiKeyEnv?: string | undefined;
  /** File with the key, absolute; counts before the variable. */
  readonly apiKeyFile?: string | undefined;
  /** Which of OpenAI's APIs; default: `responses` for OpenAI itself, `chat` for any other base URL. */
  readonly api?: 'responses' | 'chat' | undefined;
  readonly baseUrl?: string | undefined;
  readonly maxOutputTokens?: number | undefined;
  readonly timeouts?: Partial<Timeouts> | undefined;
  readonly tools?: ToolCalling | undefined;
};

/** How models call tools: in the provider's own way (the default), or in the text they write. */
type ToolCalling = 'native' | 'text';

/** What is known of a model: prices in nano-USD per token, sizes in tokens. What is absent is taken from the price table. */
export type ModelEntry = {
  readonly provider: string;
  readonly contextWindow?: number | undefined;
  readonly maxOutputTokens?: number | undefined;
  /** Default: as its provider. */
  readonly tools?: ToolCalling | undefined;
  readonly price?: ModelPrice | undefined;
  readonly reasoning?: ReasoningSetting | undefined;
};

/** What the registry reads of `agent.yaml`, as `src/config` parses it. */
export type ProvidersConfig = {
  readonly providers: Readonly<Record<string, ProviderConfig>>;
  readonly tiers: Readonly<Record<string, Tier>>;
  /** Keyed by model id, or by `provider:model` where several providers serve a model of that name. */
  readonly models: Readonly<Record<string, ModelEntry>>;
  readonly unknownPrice: 'refuse' | 'zero';
  /** Most connections to one server; default: that of {@link createFetch}. */
  readonly connections?: number | undefined;
};

/** Everything the registry depends on. */
export type ProvidersOptions = {
  readonly config: ProvidersConfig;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  /** Scripts by name: a `Script`, checked when its provider is made, or a `ScriptedModel` for an embedder's tests. */
  readonly scripts: Readonly<Record<string, unknown>>;
  readonly fetch?: Fetch;
  /** The requests are recorded, or answered from a recording, by `fetch`: scripts make none, and a replay needs no keys. */
  readonly recording?: 'record' | 'replay' | undefined;
  /** Told of every key before it is used. */
  readonly onKey?: (key: string) => void;
};

/** A model ready to be called. */
export type ModelBinding = {
  /** `provider:model`: resolves to the same again, and is what is stored. */
  readonly reference: string;
  readonly provider: Provider;
  /** The provider's own name of the model. */
  readonly model: string;
  /** Undefined if the price is unknown and counts as zero; the caller warns (contracts, "Unknown price"). */
  readonly price: ModelPrice | undefined;
  /** Until when the price holds, in milliseconds since 1970; `Infinity` if no other is known. */
  readonly pricedUntil: number;
  readonly contextWindow: number;
  /** Tokens that the answer has beside the window; without any it needs room in it. */
  readonly answerRoom?: number;
  readonly maxOutputTokens: number;
  /** How its tokens are counted before a call; one for all threads of a worker. */
  readonly counter: ModelCounter;
  /** How much it is to think; undefined: as the provider sees fit. */
  readonly reasoning: ReasoningSetting | undefined;
  /** Whether it is told of tools in the system message, and calls them in what it writes. */
  readonly callsInText: boolean;
};

/** The configured providers. */
export interface Providers {
  /**
   * Finds a model and its provider, which is made with the first use. Throws `invalid_config` for an unknown reference
   * or provider, `provider_key_missing` naming the variable, `price_unknown` if such models are refused.
   */
  resolve(model: ModelChoice): ModelBinding;
  /**
   * References of the models that stand in for this one, in order: first the one that is `named`, if any. They may still
   * lack a key or a price. Throws `invalid_config` for an unknown one.
   */
  fallbacks(model: ModelChoice, named: string | undefined): readonly string[];
}

/** Makes the registry. Nothing is loaded or read from `env` before a model is resolved. */
export function createProviders(options: ProvidersOptions): Providers {
  const { config } = options;
  const { describe, tables } = openTables(config, options.clock);
  const made = new Map<string, Provider>();
  // One for all providers: connections are the worker's.
  const fetch = options.fetch ?? createFetch({ connections: config.connections });
  const providerOf = (address: ModelAddress): Provider => {
    // Every script is a model of its own; a real provider's models share one client.
    const isScript = config.providers[address.provider]?.kind === 'scripted';
    const key = isScript ? `${address.provider}:${address.model}` : address.provider;
    const known = made.get(key) ?? createProvider(address, { ...options, fetch });
    made.set(key, known);
    return known;
  };
  const wrapped = new WeakMap<Provider, Provider>();
  const inText = (provider: Provider): Provider => {
    const known = wrapped.get(provider) ?? withTextTools(provider);
    wrapped.set(provider, known);
    return known;
  };
  const bind = (choice: ModelChoice): ModelBinding => {
    const address = resolveReference(choice, tables);
    const provider = providerOf(address);
    const described = describe(address);
    return { ...described, provider: described.callsInText ? inText(provider) : provider };
  };
  // Thousands of threads in a row have the same model.
  let last: { readonly choice: ModelChoice; readonly binding: ModelBinding } | undefined;
  return {
    resolve: (choice) => {
      if (last?.choice !== choice || last.binding.pricedUntil <= options.clock.now()) {
        last = { choice, binding: bind(choice) };
      }
      return last.binding;
    },
    fallbacks: (...chosen) => fallbacksOf(chosen, tables),
  };
}

/** A registry whose models are known but never called: it needs no keys and no scripts. */
export function createUncalledProviders(config: ProvidersConfig, clock: Clock): Providers {
  const { describe, tables } = openTables(config, clock);
  return {
    resolve: (choice) => {
      const address = resolveReference(choice, tables);
      if (!Object.hasOwn(config.providers, address.provider)) throw unconfigured(address.provider);
      return { ...describe(address), provider: uncalled(address.provider) };
    },
    fallbacks: (...chosen) => fallbacksOf(chosen, tables),
  };
}

function fallbacksOf([model, named]: Parameters<Providers['fallbacks']>, tables: ReferenceTables): readonly string[] {
  return fallbackChain(model, named, tables).map(referenceOf);
}

function openTables(
  config: ProvidersConfig,
  clock: Clock,
): { readonly describe: ReturnType<typeof describeModels>; readonly tables: ReferenceTables } {
  const table = openPriceTable(clock);
  return {
    describe: describeModels(config, table),
    tables: { ...config, makerOf: (model) => makerOf(model, config, table) },
  };
}

function unconfigured(name: string): SkeinError {
  return new SkeinError('invalid_config', `Provider "${name}" is not configured`);
}

function uncalled(id: string): Provider {
  return {
    id,
    call() {
      throw new SkeinError('internal', 'A model was called where none is to be');
    },
  };
}

function createProvider({ provider: name, model }: ModelAddress, options: ProvidersOptions): Provider {
  const { config, clock, scripts, fetch, recording } = options;
  const settings = config.providers[name];
  if (settings === undefined) throw unconfigured(name);
  const { kind, baseUrl, timeouts } = settings;
  if (kind === 'scripted' && recording !== undefined) throw unrecorded(name);
  if (kind === 'scripted') return createScriptedProvider(scriptOf(name, model, scripts), { id: name, clock });
  checkBaseUrl(baseUrl, `providers.${name}.base_url`);
  const apiKey = recording === 'replay' ? NO_KEY : keyOf(name, { ...settings, kind }, options);
  const common = {
    id: name,
    clock,
    ...(baseUrl && { baseUrl }),
    ...(timeouts && { timeouts }),
    ...(fetch && { fetch }),
  };
  if (kind === 'openai') {
    const api = settings.api ?? (isOpenai(baseUrl) ? 'responses' : 'chat');
    const create = api === 'responses' ? createOpenaiResponsesProvider : createOpenaiProvider;
    return create({ ...common, ...(apiKey !== undefined && { apiKey }) });
  }
  const create = kind === 'gemini' ? createGeminiProvider : createAnthropicProvider;
  return create({ ...common, apiKey: apiKey ?? '' });
}

/** Sent to nobody; it must be no part of any message, since keys are taken out of those. */
const NO_KEY = 'no-key-is-sent-in-a-replay';

function keyOf(name: string, settings: Parameters<typeof apiKeyFor>[1], options: ProvidersOptions): string | undefined {
  const key = apiKeyFor(name, settings, options.env);
  if (key !== undefined) options.onKey?.(key);
  return key;
}

function unrecorded(name: string): SkeinError {
  const message =
    `Provider "${name}" follows a script in this process: it sends nothing that could be recorded, and says the same again ` +
    'anyway. Run it without recording, or have a server play the script';
  return new SkeinError('invalid_argument', message);
}

function scriptOf(provider: string, name: string, scripts: ProvidersOptions['scripts']): Script | ScriptedModel {
  const found = own(scripts, name);
  // Data of a wrong shape is refused by the provider's own schema.
  if (found !== undefined) return found as Script | ScriptedModel;
  const message =
    `Provider "${provider}" has no script "${name}", which its model of that name follows; give one in the scripts of ` +
    `createRuntime, or with --script ${name}=FILE`;
  throw new SkeinError('invalid_config', message);
}

import type { Clock } from '../core/clock.ts';
import { SkeinError } from '../core/errors.ts';
import type { ModelPrice, Provider } from '../core/provider.ts';
import { createAnthropicProvider } from './anthropic.ts';
import { apiKeyFor, checkBaseUrl } from './credentials.ts';
import type { Fetch } from './http-fetch.ts';
import type { ModelAddress, ModelChoice } from './model-reference.ts';
import { resolveReference } from './model-reference.ts';
import { createOpenaiProvider } from './openai.ts';
import type { ScriptedModel } from './scripted.ts';
import { createScriptedProvider } from './scripted.ts';
import type { Script } from './scripted-schema.ts';
import type { Timeouts } from './watchdog.ts';

/** One configured provider. */
export type ProviderConfig = {
  readonly kind: 'anthropic' | 'openai' | 'scripted';
  /** Name of the environment variable with the key; default `ANTHROPIC_API_KEY` or `OPENAI_API_KEY`. */
  readonly apiKeyEnv?: string | undefined;
  /** File with the key, absolute; counts before the variable. */
  readonly apiKeyFile?: string | undefined;
  readonly baseUrl?: string | undefined;
  readonly maxOutputTokens?: number | undefined;
  /** Name of its script, for `scripted`; default: the model's name, so that `scripted:survey` runs script `survey`. */
  readonly script?: string | undefined;
  readonly timeouts?: Partial<Timeouts> | undefined;
};

/** What is known of a model: prices in nano-USD per token, sizes in tokens. */
export type ModelEntry = {
  readonly provider: string;
  readonly contextWindow: number;
  readonly maxOutputTokens?: number | undefined;
  readonly price?: ModelPrice | undefined;
};

/** What the registry reads of `agent.yaml`, as `src/config` parses it. */
export type ProvidersConfig = {
  readonly providers: Readonly<Record<string, ProviderConfig>>;
  readonly tiers: Readonly<Record<string, ModelAddress>>;
  /** Keyed by model id, or by `provider:model` where several providers serve a model of that name. */
  readonly models: Readonly<Record<string, ModelEntry>>;
  readonly unknownPrice: 'refuse' | 'zero';
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
  readonly contextWindow: number;
  readonly maxOutputTokens: number;
};

/** The configured providers. */
export interface Providers {
  /**
   * Finds a model and its provider, which is made with the first use. Throws `invalid_config` for an unknown reference
   * or provider, `provider_key_missing` naming the variable, `price_unknown` if such models are refused.
   */
  resolve(model: ModelChoice): ModelBinding;
}

/** Assumed of a model without an entry. */
const DEFAULT_CONTEXT_WINDOW = 128_000;
const DEFAULT_MAX_OUTPUT_TOKENS = 8192;
/** A script costs nothing unless its model's entry says so. */
const FREE: ModelPrice = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };

/** Makes the registry. Nothing is loaded or read from `env` before a model is resolved. */
export function createProviders(options: ProvidersOptions): Providers {
  const { config } = options;
  const made = new Map<string, Provider>();
  const providerOf = (address: ModelAddress): Provider => {
    // Every script is a model of its own; a real provider's models share one client.
    const isScript = config.providers[address.provider]?.kind === 'scripted';
    const key = isScript ? `${address.provider}:${address.model}` : address.provider;
    const known = made.get(key) ?? createProvider(address, options);
    made.set(key, known);
    return known;
  };
  return {
    resolve: (choice) => {
      const address = resolveReference(choice, config);
      return { ...describeModel(address, config), provider: providerOf(address) };
    },
  };
}

/** A registry whose models are known but never called: it needs no keys and no scripts. */
export function createUncalledProviders(config: ProvidersConfig): Providers {
  return {
    resolve: (choice) => {
      const address = resolveReference(choice, config);
      if (!Object.hasOwn(config.providers, address.provider)) throw unconfigured(address.provider);
      return { ...describeModel(address, config), provider: uncalled(address.provider) };
    },
  };
}

function describeModel(address: ModelAddress, config: ProvidersConfig): Omit<ModelBinding, 'provider'> {
  const entry = modelEntry(address, config);
  const settings = config.providers[address.provider];
  return {
    reference: `${address.provider}:${address.model}`,
    price: entry?.price ?? unknownPrice(address, config),
    model: address.model,
    contextWindow: entry?.contextWindow ?? DEFAULT_CONTEXT_WINDOW,
    maxOutputTokens: entry?.maxOutputTokens ?? settings?.maxOutputTokens ?? DEFAULT_MAX_OUTPUT_TOKENS,
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

function modelEntry({ provider, model }: ModelAddress, { models }: ProvidersConfig): ModelEntry | undefined {
  const key = [`${provider}:${model}`, model].find((name) => Object.hasOwn(models, name));
  const entry = key === undefined ? undefined : models[key];
  // A model of the same name may cost something else, or nothing, at another provider.
  return entry?.provider === provider ? entry : undefined;
}

function unknownPrice({ provider, model }: ModelAddress, config: ProvidersConfig): ModelPrice | undefined {
  if (config.providers[provider]?.kind === 'scripted') return FREE;
  if (config.unknownPrice === 'zero') return undefined;
  throw new SkeinError(
    'price_unknown',
    `The price of model "${model}" of provider "${provider}" is not known: give it an entry with a price in models, ` +
      'or set unknown_price to zero',
    { where: { path: `models.${model}.price` } },
  );
}

function createProvider({ provider: name, model }: ModelAddress, options: ProvidersOptions): Provider {
  const { config, clock, scripts, fetch, recording } = options;
  const settings = config.providers[name];
  if (settings === undefined) throw unconfigured(name);
  const { kind, baseUrl, timeouts } = settings;
  if (kind === 'scripted' && recording !== undefined) throw unrecorded(name);
  if (kind === 'scripted')
    return createScriptedProvider(scriptOf(name, settings.script ?? model, scripts), { id: name, clock });
  checkBaseUrl(baseUrl, `providers.${name}.base_url`);
  const apiKey = recording === 'replay' ? NO_KEY : keyOf(name, { ...settings, kind }, options);
  const common = {
    id: name,
    clock,
    ...(baseUrl && { baseUrl }),
    ...(timeouts && { timeouts }),
    ...(fetch && { fetch }),
  };
  if (kind === 'openai') return createOpenaiProvider({ ...common, ...(apiKey !== undefined && { apiKey }) });
  return createAnthropicProvider({ ...common, apiKey: apiKey ?? '' });
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

function scriptOf(provider: string, script: string, scripts: ProvidersOptions['scripts']): Script | ScriptedModel {
  const found = Object.hasOwn(scripts, script) ? scripts[script] : undefined;
  // Data of a wrong shape is refused by the provider's own schema.
  if (found !== undefined) return found as Script | ScriptedModel;
  throw new SkeinError(
    'invalid_config',
    `Scripted provider "${provider}" needs script "${script}", which was not given`,
    {
      where: { path: `providers.${provider}.script` },
    },
  );
}

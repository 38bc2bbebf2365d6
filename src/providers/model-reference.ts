import { SkeinError } from '../core/errors.ts';
import { own } from '../core/record.ts';

/**
 * Which model is meant: a reference (`provider:model`, an entry of `models`, or a tier), or a directive's
 * `<model>` (S2 §1): `id`, with `provider` or without, before `tier`; neither means the tier `general`.
 */
export type ModelChoice = string | { readonly provider?: string; readonly id?: string; readonly tier?: string };

/** A provider of the configuration and its own name of a model. */
export type ModelAddress = { readonly provider: string; readonly model: string };

/** How an address is stored; it resolves to the same again. */
export function referenceOf({ provider, model }: ModelAddress): string {
  return `${provider}:${model}`;
}

/** What a tier means, and the reference of the model that stands in for that one. */
export type Tier = ModelAddress & { readonly fallback?: string | undefined };

/** The tables a reference is looked up in. */
export type ReferenceTables = {
  readonly providers: Readonly<Record<string, unknown>>;
  readonly tiers: Readonly<Record<string, Tier>>;
  /** Keyed by model id, or by `provider:model` where several providers serve a model of that name. */
  readonly models: Readonly<Record<string, { readonly provider: string }>>;
  /** The provider known to make a model of this name; asked about names that stand nowhere else. */
  readonly makerOf: (model: string) => string | undefined;
};

/** The tier of a directive that names no model. */
const DEFAULT_TIER = 'general';

/** Finds the model. Throws `invalid_config` naming the reference and what would be known. */
export function resolveReference(choice: ModelChoice, tables: ReferenceTables): ModelAddress {
  if (typeof choice === 'string') return resolveText(choice, tables);
  if (choice.id !== undefined) {
    return choice.provider === undefined
      ? resolveText(choice.id, tables)
      : checked({ provider: choice.provider, model: choice.id }, tables, choice.id);
  }
  return resolveTier(choice.tier ?? DEFAULT_TIER, tables);
}

/**
 * The models that stand in for a choice, one after the other: the one that is named, else that of the choice's tier, and
 * on by the tiers that are fallbacks themselves, none twice. Throws `invalid_config` like {@link resolveReference}.
 */
export function fallbackChain(choice: ModelChoice, named: string | undefined, tables: ReferenceTables): ModelAddress[] {
  const chain = [resolveReference(choice, tables)];
  let next = named ?? tierOf(choice, tables)?.fallback;
  while (next !== undefined) {
    const address = resolveText(next, tables);
    if (chain.some(({ provider, model }) => provider === address.provider && model === address.model)) break;
    chain.push(address);
    next = tierOf(next, tables)?.fallback;
  }
  return chain.slice(1);
}

/** The tier that a choice is made by, if it is one. */
function tierOf(choice: ModelChoice, { tiers, providers }: ReferenceTables): Tier | undefined {
  if (typeof choice !== 'string') return choice.id === undefined ? own(tiers, choice.tier ?? DEFAULT_TIER) : undefined;
  return Object.hasOwn(providers, choice.split(':', 1)[0] ?? '') && choice.includes(':')
    ? undefined
    : own(tiers, choice);
}

/** Model ids may contain colons themselves (`llama3:8b`): a prefix counts only if it is a provider. */
function resolveText(text: string, tables: ReferenceTables): ModelAddress {
  const colon = text.indexOf(':');
  const prefix = text.slice(0, Math.max(0, colon));
  if (colon > 0 && Object.hasOwn(tables.providers, prefix)) {
    return checked({ provider: prefix, model: text.slice(colon + 1) }, tables, text);
  }
  if (Object.hasOwn(tables.tiers, text)) return resolveTier(text, tables);
  const provider = providerOfModel(text, tables);
  if (provider !== undefined) return checked({ provider, model: text }, tables, text);
  return refuse(
    text,
    `"${text}" is neither provider:model (providers: ${names(tables.providers)}), nor an entry of models, ` +
      `nor a tier (${names(tables.tiers)})`,
  );
}

function resolveTier(tier: string, tables: ReferenceTables): ModelAddress {
  const address = own(tables.tiers, tier);
  return address === undefined
    ? refuse(tier, `there is no tier "${tier}"; tiers: ${names(tables.tiers)}`)
    : checked(address, tables, tier);
}

/** Where a bare model id is served: by its entry's provider, by the only one that has a model of that name, or by its maker. */
function providerOfModel(model: string, { models, makerOf }: ReferenceTables): string | undefined {
  const listed = own(models, model);
  if (listed !== undefined) return listed.provider;
  const [only, ...more] = Object.keys(models).filter((key) => key.endsWith(`:${model}`));
  if (only === undefined) return makerOf(model);
  if (more.length > 0) return refuse(model, `"${model}" has several providers: write ${[only, ...more].join(' or ')}`);
  return models[only]?.provider;
}

function checked(address: ModelAddress, tables: ReferenceTables, reference: string): ModelAddress {
  if (address.model === '') return refuse(reference, `"${reference}" names no model`);
  if (Object.hasOwn(tables.providers, address.provider)) return address;
  return refuse(
    reference,
    `"${reference}" is a model of provider "${address.provider}", which is not configured; providers: ` +
      names(tables.providers),
  );
}

function names(table: Readonly<Record<string, unknown>>): string {
  return Object.keys(table).join(', ') || 'none';
}

function refuse(reference: string, message: string): never {
  throw new SkeinError('invalid_config', message, { detail: { model: reference } });
}

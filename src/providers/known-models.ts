import type { Clock } from '../core/clock.ts';
import type { ModelPrice } from '../core/provider.ts';
import { describeModels } from './describe-model.ts';
import type { ModelAddress } from './model-reference.ts';
import { openPriceTable, type PriceTable } from './price-table.ts';
import type { ProvidersConfig } from './provider-registry.ts';

/** A model that threads could use, and what is known of it. */
export type KnownModel = {
  /** `provider:model`. */
  readonly reference: string;
  /** Tiers that mean it. */
  readonly tiers: readonly string[];
  /** Undefined if nobody knows it. */
  readonly price: ModelPrice | undefined;
  readonly contextWindow: number;
  readonly maxOutputTokens: number;
};

/** The models of the configured providers: those of tiers first, then those of `models`, then those of the price table. */
export function knownModels(config: ProvidersConfig, clock: Pick<Clock, 'now'>): readonly KnownModel[] {
  const table = openPriceTable(clock);
  const describe = describeModels({ ...config, unknownPrice: 'zero' }, table);
  const tiers = Object.entries(config.tiers);
  const models = new Map<string, KnownModel>();
  for (const address of [...tiers.map(([, tier]) => tier), ...entriesOf(config), ...listedOf(config, table)]) {
    const { reference, price, contextWindow, maxOutputTokens } = describe(address);
    const names = tiers.filter(([, tier]) => isSame(tier, address)).map(([name]) => name);
    if (!models.has(reference))
      models.set(reference, { reference, tiers: names, price, contextWindow, maxOutputTokens });
  }
  return [...models.values()];
}

/** A key may say the provider once more. */
function entriesOf({ models }: ProvidersConfig): ModelAddress[] {
  return Object.entries(models).map(([key, { provider }]) => ({
    provider,
    model: key.startsWith(`${provider}:`) ? key.slice(provider.length + 1) : key,
  }));
}

function listedOf({ providers }: ProvidersConfig, table: PriceTable): ModelAddress[] {
  return Object.entries(providers).flatMap(([provider, settings]) => {
    const seller = table.sellerId({ ...settings, name: provider });
    return seller === undefined ? [] : table.models(seller).map(({ id }) => ({ provider, model: id }));
  });
}

function isSame(one: ModelAddress, other: ModelAddress): boolean {
  return one.provider === other.provider && one.model === other.model;
}

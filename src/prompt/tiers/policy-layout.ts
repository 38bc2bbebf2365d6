import { TIER_KEYS, type ItemKey, type TierItem } from '../../core/assembly.ts';
import { symbolsFirst } from './policy-keys.ts';
import { cutRow } from './policy-plan.ts';

/** What stands in a tier: blocks with the hash they were sent with, then messages. */
export interface PlacedTier {
  readonly blocks: readonly (readonly [ItemKey, string])[];
  readonly history: readonly ItemKey[];
}

/** What a layout is planned from. */
export interface LayoutOrder {
  /** Tiers that stay as they are; the history that stands in none of them goes to the end of the last. */
  readonly kept: readonly PlacedTier[];
  /** Blocks to be placed in the tiers behind them. */
  readonly pool: readonly TierItem[];
  readonly items: ReadonlyMap<ItemKey, TierItem>;
  /** All messages, the oldest first. */
  readonly history: readonly ItemKey[];
  /** How often each block is expected to change with the next change. */
  readonly rates: ReadonlyMap<ItemKey, number>;
  /** Tokens in front of all items. */
  readonly headTokens: number;
}

/** Keeps tiers, and cuts the pool into those behind them, the least likely to change first. */
export function planLayout(order: LayoutOrder): readonly PlacedTier[] {
  const { kept, pool, items, history, rates, headTokens } = order;
  const held = new Set(kept.flatMap((tier) => tier.history));
  const loose = history.filter((key) => !held.has(key));
  const before = kept.reduce((sum, { blocks }) => sum + expected(blocks, rates), 0);
  const row = rank(pool, rates, before);
  const ends = cutRow(row, {
    tiers: partsFor(kept) - kept.length,
    head: kept.length > 0 ? 0 : headTokens + sizeOf(history, items),
    baseRisk: riskOf(before),
  });
  const open = ends.map((end, at): PlacedTier => {
    const keys = symbolsFirst(row.slice(ends[at - 1] ?? 0, end).map(({ key }) => key));
    return { blocks: keys.map((key) => [key, items.get(key)?.hash ?? '']), history: [] };
  });
  return withHistory([...kept, ...open], Math.max(0, kept.length - 1), loose);
}

/**
 * Parts of a prompt: as many as a provider takes marks, one of them for the active part. One more where two stay: the first is
 * as it was then, so it needs no mark; where that of the second is too far away to find it by, the assembler sets one for it.
 */
function partsFor(kept: readonly unknown[]): number {
  return kept.length > 1 ? TIER_KEYS.length + 1 : TIER_KEYS.length;
}

/** Adds messages to the end of a tier. */
export function withHistory(tiers: readonly PlacedTier[], at: number, added: readonly ItemKey[]): PlacedTier[] {
  return tiers.map((tier, index) => (index === at ? { ...tier, history: [...tier.history, ...added] } : tier));
}

function rank(pool: readonly TierItem[], rates: ReadonlyMap<ItemKey, number>, before: number) {
  const row = pool
    .map((item) => ({ item, rate: rates.get(item.key) ?? 0 }))
    .toSorted((one, other) => one.rate - other.rate);
  let sum = before;
  return row.map(({ item: { key, tokens }, rate }) => ({ key, tokens, risk: riskOf((sum += rate)) }));
}

/** Probability that something changes which is expected to change so often. */
function riskOf(rate: number): number {
  return 1 - Math.exp(-rate);
}

function expected(blocks: PlacedTier['blocks'], rates: ReadonlyMap<ItemKey, number>): number {
  return blocks.reduce((sum, [key]) => sum + (rates.get(key) ?? 0), 0);
}

function sizeOf(keys: readonly ItemKey[], items: ReadonlyMap<ItemKey, TierItem>): number {
  return keys.reduce((sum, key) => sum + (items.get(key)?.tokens ?? 0), 0);
}

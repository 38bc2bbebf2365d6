import * as z from 'zod';
import type { AroundItems, ItemKey, TierAssignment, TierEvent, TierItem, TierPolicy } from '../../core/assembly.ts';
import { Forecast, ForecastState, REDUNDANT_PRIORS, STRICT_PRIORS, type ForecastPriors } from './policy-forecast.ts';
import { beginsHistory, byKey, isFile, isHistory, isSymbol, Key, pathOf } from './policy-keys.ts';
import { planLayout, withHistory, type PlacedTier } from './policy-layout.ts';

/** What the policy may count on. */
export interface CacheAwareOptions {
  /** `strict`: each file once. `redundant`: a block that is still current may stay beside, or instead of, what is asked for. */
  readonly blocks: 'strict' | 'redundant';
  /** Tokens in front of all items, where nobody says how many they are. */
  readonly headTokens: number;
  readonly priors: ForecastPriors;
}

/** Each file once. */
export const STRICT_BLOCKS: CacheAwareOptions = {
  blocks: 'strict',
  headTokens: 2500,
  priors: STRICT_PRIORS,
};

/** Blocks may stay for as long as they are current. */
export const REDUNDANT_BLOCKS: CacheAwareOptions = {
  ...STRICT_BLOCKS,
  blocks: 'redundant',
  priors: REDUNDANT_PRIORS,
};

const Tier = z.strictObject({
  blocks: z.array(z.tuple([Key, z.string()]).readonly()).readonly(),
  history: z.array(Key).readonly(),
});
const State = z.strictObject({ tiers: z.array(Tier), dropped: z.array(z.string()), forecast: ForecastState });

/** Says how likely items are to change: learned, or in the bench known. */
export type Rates = Pick<Forecast, 'observe' | 'rates' | 'state'>;

/**
 * Lays a prompt out for the least money, in tiers and an active part, which is the tail: there the last mark stands, on the
 * message before the prompt, so that what has to stand between (the list of files) is read too.
 *
 * 1. A tier whose blocks are all what they were is not touched, but for history added at its end.
 * 2. When a tier breaks, everything from it on is written anew anyway: the history there moves to the end of the tier in
 *    front, and the blocks are cut into tiers anew by how likely they are to change.
 * 3. In `strict`, a file stands in the prompt once: its text or its symbol block.
 */
export class CacheAwarePolicy implements TierPolicy {
  readonly #options: CacheAwareOptions;
  readonly #rates: Rates;
  readonly #dropped: Set<string>;
  #tiers: readonly PlacedTier[];

  constructor(options: CacheAwareOptions = STRICT_BLOCKS, state?: unknown, rates?: Rates) {
    const before = state === undefined ? undefined : State.parse(state);
    this.#options = options;
    this.#tiers = before?.tiers ?? [];
    this.#dropped = new Set(before?.dropped);
    this.#rates = rates ?? new Forecast(options.priors, before?.forecast);
  }

  state(): unknown {
    return { tiers: this.#tiers, dropped: [...this.#dropped], forecast: this.#rates.state() };
  }

  assign(
    items: readonly TierItem[],
    events: readonly TierEvent[],
    { headTokens }: AroundItems = this.#options,
  ): TierAssignment {
    this.#follow(events);
    const present = byKey(items);
    const isBroken = (block: readonly [ItemKey, string]): boolean => this.#isBroken(block, present);
    const blocks = this.#tiers.flatMap((tier) => tier.blocks);
    const broken = new Set(blocks.filter(isBroken).map(([key]) => key));
    const placed = blocks.map(([key]) => key);
    this.#rates.observe(events, placed, broken);
    const isCold = this.#tiers.length === 0 || events.some(({ kind }) => kind === 'cache_cold');
    const first = isCold ? 0 : this.#firstBroken(items, broken);
    const pool = this.#unplaced(items, new Set(placed.filter((key) => !broken.has(key))));
    if (first < this.#tiers.length || pool.length > 0) {
      this.#tiers = this.#plan(items, present, { first, headTokens });
    } else this.#append(items);
    return this.#assignment();
  }

  #follow(events: readonly TierEvent[]): void {
    for (const event of events) {
      if (event.kind === 'selected') this.#dropped.delete(event.path);
      if (event.kind === 'dropped') this.#dropped.add(event.path);
    }
  }

  /** Whether a block cannot stay: it is not current, or must not stand beside its file. */
  #isBroken([key, hash]: readonly [ItemKey, string], present: ReadonlyMap<ItemKey, TierItem>): boolean {
    const isHidden = this.#options.blocks === 'strict' && isSymbol(key) && present.has(`file:${pathOf(key)}`);
    return isHidden || present.get(key)?.hash !== hash;
  }

  /** The first tier with a broken block, or with a message that is no longer where it was in the history. */
  #firstBroken(items: readonly TierItem[], broken: ReadonlySet<ItemKey>): number {
    let said: readonly ItemKey[] = [];
    const at = this.#tiers.findIndex(({ blocks, history }) => {
      said = [...said, ...history];
      return blocks.some(([key]) => broken.has(key)) || !beginsHistory(said, items);
    });
    return at < 0 ? this.#tiers.length : at;
  }

  /** Blocks that should be in the prompt beside those that are: texts of selected files, symbols of those without a text. */
  #unplaced(items: readonly TierItem[], placed: ReadonlySet<ItemKey>): TierItem[] {
    const files = items.filter(({ key }) => isFile(key) && (placed.has(key) || !this.#dropped.has(pathOf(key))));
    const shown = new Set(files.map(({ key }) => pathOf(key)));
    const symbols = items.filter(({ key }) => isSymbol(key) && !shown.has(pathOf(key)));
    return [...symbols, ...files].filter(({ key }) => !placed.has(key));
  }

  /** The cheapest layout that leaves the tiers in front of the first broken one as they are. */
  #plan(
    items: readonly TierItem[],
    present: ReadonlyMap<ItemKey, TierItem>,
    { first, headTokens }: AroundItems & { readonly first: number },
  ): readonly PlacedTier[] {
    const blocks = items.filter(({ key }) => !isHistory(key));
    const expected = this.#rates.rates(blocks);
    const order = {
      headTokens,
      items: present,
      history: items.map(({ key }) => key).filter(isHistory),
      rates: new Map(blocks.map(({ key }, at) => [key, expected[at] ?? 0])),
    };
    const kept = this.#tiers.slice(0, Math.min(first, Math.max(0, this.#tiers.length - 1)));
    const placed = new Set(kept.flatMap((tier) => tier.blocks.map(([key]) => key)));
    return planLayout({ ...order, kept, pool: this.#unplaced(items, placed) });
  }

  #append(items: readonly TierItem[]): void {
    const held = new Set(this.#tiers.flatMap(({ history }) => history));
    const loose = items.map(({ key }) => key).filter((key) => isHistory(key) && !held.has(key));
    this.#tiers = withHistory(this.#tiers, this.#tiers.length - 1, loose);
  }

  #assignment(): TierAssignment {
    const keys = this.#tiers.map(({ blocks, history }) => [...blocks.map(([key]) => key), ...history]);
    const tail = keys.pop() ?? [];
    const [L0 = [], L1 = [], L2 = [], L3 = []] = keys;
    return { tiers: { L0, L1, L2, L3 }, tail };
  }
}

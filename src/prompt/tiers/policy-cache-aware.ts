import * as z from 'zod';
import { TIER_KEYS, type ItemKey, type TierAssignment, type TierEvent, type TierItem, type TierPolicy } from '../../core/assembly.ts';
import { Forecast, ForecastState } from './policy-forecast.ts';
import { byKey, isHistory, isSymbol, pathOf, symbolsFirst } from './policy-keys.ts';
import { cutRow, type CachePrices } from './policy-plan.ts';

/** What the policy may count on. */
export interface CacheAwareOptions {
  /** `strict`: each file once. `redundant`: a block that is still current may stay beside, or instead of, what is asked for. */
  readonly blocks: 'strict' | 'redundant';
  readonly prices: CachePrices;
  /** Tokens a tier must have to be kept. */
  readonly minimum: number;
  /** Tokens of the system prompt, which stands in front of everything. */
  readonly systemTokens: number;
  /** Changes ahead that a layout is judged by. */
  readonly horizon: number;
  readonly tailMark: boolean;
}

/** Anthropic's prices and minimum. */
export const CACHE_AWARE: CacheAwareOptions = {
  blocks: 'strict',
  prices: { write: 1.25, read: 0.1 },
  minimum: 1024,
  systemTokens: 2500,
  horizon: 2,
  tailMark: true,
};

const Key = z.custom<ItemKey>((value) => typeof value === 'string' && /^(?:file|symbol|history):/.test(value));
const Tier = z.strictObject({ blocks: z.array(z.tuple([Key, z.string()])), history: z.array(Key) });
const State = z.strictObject({
  tiers: z.array(Tier),
  dropped: z.array(z.string()),
  forecast: ForecastState,
});
type Tier = z.infer<typeof Tier>;

/** Estimates how likely items are to change: the learned one, or in the bench one that knows. */
export type Rates = Pick<Forecast, 'observe' | 'rates' | 'turns' | 'turnsLeft' | 'state'>;

/**
 * Lays a prompt out for the least money.
 *
 * 1. A tier whose items are all what they were is not touched, but for history added at its end.
 * 2. When a tier breaks, everything from it on is written anew anyway: the history there moves to the end of the tier in
 *    front, and the items are cut into tiers anew by how likely they are to change.
 * 3. In `strict`, a file stands in the prompt once: its text or its symbol block.
 */
export class CacheAwarePolicy implements TierPolicy {
  readonly #options: CacheAwareOptions;
  readonly #rates: Rates;
  readonly #dropped: Set<string>;
  #tiers: Tier[];

  constructor(options: CacheAwareOptions = CACHE_AWARE, state?: unknown, rates?: Rates) {
    const before = state === undefined ? undefined : State.parse(state);
    this.#options = options;
    this.#tiers = before?.tiers ?? [];
    this.#dropped = new Set(before?.dropped);
    this.#rates = rates ?? new Forecast(before?.forecast);
  }

  state(): unknown {
    return { tiers: this.#tiers, dropped: [...this.#dropped], forecast: this.#rates.state() };
  }

  assign(items: readonly TierItem[], events: readonly TierEvent[]): TierAssignment {
    this.#follow(events);
    const present = byKey(items);
    const broken = this.#broken(present);
    const placed = this.#tiers.flatMap(({ blocks }) => blocks.map(([key]) => key));
    this.#rates.observe(events, placed, broken);
    const first = events.some(({ kind }) => kind === 'cache_cold') ? 0 : this.#firstBroken(present, broken);
    const fresh = this.#unplaced(items, new Set(placed.filter((key) => !broken.has(key))));
    const history = items.filter(({ key }) => isHistory(key)).map(({ key }) => key);
    const tail = fresh.length === 0 && first === TIER_KEYS.length ? [] : this.#plan(present, first, history);
    return this.#assignment(items, present, tail, history);
  }

  #follow(events: readonly TierEvent[]): void {
    for (const event of events) {
      if (event.kind === 'selected') this.#dropped.delete(event.path);
      if (event.kind === 'dropped') this.#dropped.add(event.path);
    }
  }

  #broken(present: ReadonlyMap<ItemKey, TierItem>): Set<ItemKey> {
    const broken = new Set<ItemKey>();
    for (const { blocks } of this.#tiers) {
      for (const [key, hash] of blocks) {
        const hidden = this.#options.blocks === 'strict' && isSymbol(key) && present.has(`file:${pathOf(key)}`);
        if (hidden || present.get(key)?.hash !== hash) broken.add(key);
      }
    }
    return broken;
  }

  #firstBroken(present: ReadonlyMap<ItemKey, TierItem>, broken: ReadonlySet<ItemKey>): number {
    if (this.#tiers.length === 0) return 0;
    const at = this.#tiers.findIndex(
      ({ blocks, history }) => blocks.some(([key]) => broken.has(key)) || history.some((key) => !present.has(key)),
    );
    return at < 0 ? TIER_KEYS.length : at;
  }

  /** What should be in the prompt and is not. */
  #unplaced(items: readonly TierItem[], placed: ReadonlySet<ItemKey>): TierItem[] {
    return items.filter(({ key }) => {
      if (isHistory(key) || placed.has(key)) return false;
      // A file's text says what its symbol block would, and the other way round for one that is not selected.
      if (isSymbol(key)) return !placed.has(`file:${pathOf(key)}`) && !this.#isShown(key, items);
      return !this.#dropped.has(pathOf(key));
    });
  }

  #isShown(key: ItemKey, items: readonly TierItem[]): boolean {
    this.#shownFor = this.#shownFor?.items === items ? this.#shownFor : { items, paths: this.#selectedPaths(items) };
    return this.#shownFor.paths.has(pathOf(key));
  }

  #shownFor: { readonly items: readonly TierItem[]; readonly paths: ReadonlySet<string> } | undefined;

  #selectedPaths(items: readonly TierItem[]): ReadonlySet<string> {
    const files = items.filter(({ key }) => key.startsWith('file:')).map(({ key }) => pathOf(key));
    return new Set(files.filter((path) => !this.#dropped.has(path)));
  }

  /** The best layout among those that leave the first tiers as they are; answers with what goes into the tail. */
  #plan(present: ReadonlyMap<ItemKey, TierItem>, first: number, history: readonly ItemKey[]): ItemKey[] {
    const items = [...present.values()];
    const rates = new Map(this.#rates.rates(items.filter(({ key }) => !isHistory(key))).entries().map(([at, rate]) => [items.filter(({ key }) => !isHistory(key))[at]?.key, rate] as const));
    let best: { readonly cost: number; readonly tiers: Tier[]; readonly tail: ItemKey[] } | undefined;
    for (let base = 0; base <= first; base++) {
      const kept = this.#tiers.slice(0, base);
      if (kept.length < base) break;
      const pool = this.#unplaced(items, new Set(kept.flatMap(({ blocks }) => blocks.map(([key]) => key))));
      const planned = this.#planFrom({ kept, pool, present, rates, history });
      if (!best || planned.cost < best.cost) best = planned;
    }
    this.#tiers = best?.tiers ?? [];
    return best?.tail ?? [];
  }

  #planFrom({ kept, pool, present, rates, history }: PlanOrder): { cost: number; tiers: Tier[]; tail: ItemKey[] } {
    const { prices, horizon, minimum, systemTokens } = this.#options;
    const { turns, turnsLeft } = this.#rates;
    const base = this.#expect({ kept, present, rates, history });
    const row = pool
      .map((item) => ({ item, rate: rates.get(item.key) ?? 0 }))
      .toSorted((one, other) => one.rate - other.rate);
    let sum = -Math.log(1 - base.risk);
    const ranked = row.map(({ item, rate }) => {
      sum += rate;
      return { key: item.key, tokens: item.tokens, risk: 1 - Math.exp(-sum) };
    });
    const order = { turns, turnsNow: turnsLeft, minimum, prices, horizon, baseRisk: base.risk };
    const open = TIER_KEYS.length - kept.length;
    const head = kept.length > 0 ? 0 : systemTokens + history.reduce((total, key) => total + (present.get(key)?.tokens ?? 0), 0);
    const cuts = cutRow(ranked, { ...order, head, tiers: open });
    const tiers = kept.map(({ blocks, history: said }) => ({ blocks, history: [...said] }));
    let from = 0;
    for (const end of cuts.ends) {
      const keys = symbolsFirst(ranked.slice(from, end).map(({ key }) => key));
      tiers.push({ blocks: keys.map((key) => [key, present.get(key)?.hash ?? '']), history: [] });
      from = end;
    }
    // All history not in a kept tier goes to the end of the last of them, or of L0.
    const held = new Set(kept.flatMap(({ history: said }) => said));
    const loose = history.filter((key) => !held.has(key));
    tiers[Math.max(0, kept.length - 1)]?.history.push(...loose);
    return { cost: cuts.cost + base.cost, tiers, tail: ranked.slice(from).map(({ key }) => key) };
  }

  /** Risk and expected price of the tiers that stay, with the loose history at their end. */
  #expect({ kept, present, rates, history }: Omit<PlanOrder, 'pool'>): { risk: number; cost: number } {
    const { prices, horizon, systemTokens } = this.#options;
    const { turns, turnsLeft } = this.#rates;
    const sizeOf = (keys: readonly ItemKey[]): number => keys.reduce((sum, key) => sum + (present.get(key)?.tokens ?? 0), 0);
    const held = new Set(kept.flatMap(({ history: said }) => said));
    const loose = sizeOf(history.filter((key) => !held.has(key)));
    const sizes = kept.map(({ blocks, history: said }) => sizeOf(blocks.map(([key]) => key)) + sizeOf(said));
    const whole = systemTokens + sizes.reduce((sum, size) => sum + size, 0) + loose;
    let rate = 0;
    let front = 0;
    let anew = 0;
    for (const [at, { blocks }] of kept.entries()) {
      const before = 1 - Math.exp(-rate);
      rate += blocks.reduce((sum, [key]) => sum + (rates.get(key) ?? 0), 0);
      anew += (1 - Math.exp(-rate) - before) * (whole - front);
      front += (sizes[at] ?? 0) + (at === 0 ? systemTokens : 0);
    }
    const now = kept.length === 0 ? whole * prices.write : loose * prices.write + (whole - loose) * prices.read;
    const later = whole * prices.read * (turnsLeft - 1 + horizon * turns) + horizon * anew * (prices.write - prices.read);
    return { risk: 1 - Math.exp(-rate), cost: now + later };
  }

  #assignment(items: readonly TierItem[], present: ReadonlyMap<ItemKey, TierItem>, tail: readonly ItemKey[], history: readonly ItemKey[]): TierAssignment {
    void items;
    const held = new Set(this.#tiers.flatMap(({ history: said }) => said));
    const loose = history.filter((key) => !held.has(key));
    const last = this.#tiers.findLast(({ blocks, history: said }) => blocks.length + said.length > 0);
    // A new message in the last tier pays if it is read there at least once.
    const { write, read } = this.#options.prices;
    const left = this.#rates.turnsLeft;
    const keep = last && write + read * (left - 1) <= left;
    if (keep) last.history.push(...loose);
    void present;
    if (this.#options.tailMark) {
      const [L0 = [], L1 = [], L2 = [], active = []] = this.#tiers.map(({ blocks, history: said }) => [...blocks.map(([key]) => key), ...said]);
      return { tiers: { L0, L1, L2, L3: [] }, tail: [...active, ...tail, ...(keep ? [] : loose)] };
    }
    const tiers = TIER_KEYS.map((_, at) => {
      const tier = this.#tiers[at];
      return [...(tier?.blocks.map(([key]) => key) ?? []), ...(tier?.history ?? [])];
    });
    const [L0 = [], L1 = [], L2 = [], L3 = []] = tiers;
    return { tiers: { L0, L1, L2, L3 }, tail: [...tail, ...(keep ? [] : loose)] };
  }
}

type PlanOrder = {
  readonly kept: readonly Tier[];
  readonly pool: readonly TierItem[];
  readonly present: ReadonlyMap<ItemKey, TierItem>;
  readonly rates: ReadonlyMap<ItemKey | undefined, number>;
  readonly history: readonly ItemKey[];
};

import * as z from 'zod';
import {
  TIER_KEYS,
  type ItemKey,
  type TierAssignment,
  type TierEvent,
  type TierItem,
  type TierPolicy,
} from '../../core/assembly.ts';
import { beginsHistory, byKey, isHistory, isSymbol, Key, pathOf, symbolsFirst } from './policy-keys.ts';

/** When an item moves to a more stable tier. */
export interface StabilityOptions {
  /** Turns an item must have been the same to be in L0, L1, L2, L3. */
  readonly entry: readonly [number, number, number, number];
  /** Tokens that a tier begins with at least. */
  readonly minimum: number;
}

/** The counters of S1's tracker: three turns to L3, three more to each tier below. */
export const STABILITY: StabilityOptions = { entry: [12, 9, 6, 3], minimum: 1024 };

/** The place behind the last tier. */
const TAIL = TIER_KEYS.length;
/** Symbol blocks have been what they are for longer than the session. */
const FIRST_SYMBOLS = 1;

/** Hash, tier, turns unchanged. */
const Tracked = z.tuple([z.string(), z.number(), z.number()]);
const State = z.strictObject({ tracked: z.array(z.tuple([Key, Tracked])).default([]) });
type Tracked = z.infer<typeof Tracked>;

/**
 * Every item is counted: how many turns it has been what it is.
 *
 * 1. An item that changed starts again in the tail.
 * 2. A tier takes items in only when it has changed anyway or is empty; what leaves the tier above changes that one too.
 * 3. History moves as it is counted, so that older messages are never behind newer ones.
 */
export class StabilityPolicy implements TierPolicy {
  readonly #options: StabilityOptions;
  #tracked: Map<ItemKey, Tracked>;

  constructor(options: StabilityOptions = STABILITY, state?: unknown) {
    this.#options = options;
    this.#tracked = new Map(State.parse(state ?? {}).tracked);
  }

  state(): unknown {
    return { tracked: [...this.#tracked] };
  }

  assign(items: readonly TierItem[], events: readonly TierEvent[]): TierAssignment {
    const shown = byKey(items);
    const wanted = items.filter(({ key }) => !isSymbol(key) || !shown.has(`file:${pathOf(key)}`));
    const changed = this.#track(
      wanted,
      events.some(({ kind }) => kind === 'turn_ended'),
    );
    this.#promote(shown, changed);
    return this.#assignment();
  }

  /** Counts on, and answers which tiers are no longer what they were. */
  #track(items: readonly TierItem[], ended: boolean): Set<number> {
    const before = this.#tracked;
    const isFirst = before.size === 0;
    const changed = new Set<number>();
    const wanted = byKey(items);
    for (const [key, [hash, tier]] of before) if (wanted.get(key)?.hash !== hash) changed.add(tier);
    // What stays keeps its place in the row; what is new stands behind it.
    const kept = [...before].filter(([key, [hash]]) => wanted.get(key)?.hash === hash);
    this.#tracked = new Map(kept.map(([key, [hash, tier, turns]]) => [key, [hash, tier, turns + (ended ? 1 : 0)]]));
    if (!beginsHistory([...this.#tracked.keys()].filter(isHistory), items)) this.#forgetHistory(changed);
    const symbolTurns = this.#options.entry[FIRST_SYMBOLS];
    for (const { key, hash } of items) {
      if (this.#tracked.has(key)) continue;
      this.#tracked.set(key, isFirst && isSymbol(key) ? [hash, FIRST_SYMBOLS, symbolTurns] : [hash, TAIL, 0]);
    }
    return changed;
  }

  /** Something else stands in front of it now, so all of it starts again, behind that. */
  #forgetHistory(changed: Set<number>): void {
    for (const [key, [, tier]] of this.#tracked) {
      if (!isHistory(key)) continue;
      changed.add(tier);
      this.#tracked.delete(key);
    }
  }

  #promote(items: ReadonlyMap<ItemKey, TierItem>, changed: Set<number>): void {
    for (let tier = 0; tier < TAIL; tier++) {
      const held = this.#sizeOf(tier, items);
      if (held > 0 && !changed.has(tier)) continue;
      const entry = this.#options.entry[tier] ?? Infinity;
      const coming = [...this.#tracked].filter(([, [, from, turns]]) => from > tier && turns >= entry);
      const size = coming.reduce((sum, [key]) => sum + (items.get(key)?.tokens ?? 0), held);
      if (size < this.#options.minimum) {
        this.#leave(tier, changed);
        continue;
      }
      for (const [key, [hash, from, turns]] of coming) {
        changed.add(from);
        this.#tracked.set(key, [hash, tier, turns]);
      }
    }
  }

  /** A tier too small to be kept joins the one behind it. */
  #leave(tier: number, changed: Set<number>): void {
    for (const [key, [hash, from, turns]] of this.#tracked) {
      if (from !== tier) continue;
      this.#tracked.set(key, [hash, tier + 1, turns]);
      changed.add(tier + 1);
    }
  }

  #sizeOf(tier: number, items: ReadonlyMap<ItemKey, TierItem>): number {
    let size = 0;
    for (const [key, [, at]] of this.#tracked) if (at === tier) size += items.get(key)?.tokens ?? 0;
    return size;
  }

  #assignment(): TierAssignment {
    const rows: ItemKey[][] = Array.from({ length: TAIL + 1 }, () => []);
    for (const [key, [, tier]] of this.#tracked) rows[tier]?.push(key);
    const ordered = rows.map((keys) => [
      ...symbolsFirst(keys.filter((key) => !isHistory(key))),
      ...keys.filter(isHistory),
    ]);
    const [L0 = [], L1 = [], L2 = [], L3 = [], tail = []] = ordered;
    return { tiers: { L0, L1, L2, L3 }, tail };
  }
}

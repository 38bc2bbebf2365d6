/** Relative prices of a token that is written to the cache and of one that is read from it. */
export interface CachePrices {
  readonly write: number;
  readonly read: number;
}

/** An item on its way into a layout. */
export interface RankedItem<Key> {
  readonly key: Key;
  readonly tokens: number;
  /** Probability that this item or one before it changes with the next change. */
  readonly risk: number;
}

/** Where a row of items, the least likely to change first, is cut into tiers. */
export interface Cuts {
  /** One per tier: the place of the first item behind it. What is behind the last one goes into the tail. */
  readonly ends: readonly number[];
  /** Expected price of what stands in these tiers and the tail from now on, over the horizon. */
  readonly cost: number;
}

/** What the cut of a row depends on. */
export interface CutOrder {
  /** Tiers there are to fill. */
  readonly tiers: number;
  /** Turns from one change to the next, the turn of the change included. */
  readonly turns: number;
  /** Turns until the next change, this one included. */
  readonly turnsNow: number;
  /** Tokens a tier must have to be kept at all. */
  readonly minimum: number;
  readonly prices: CachePrices;
  /** Changes that the layout is expected to serve. */
  readonly horizon: number;
  /** Tokens that stand in the first of these tiers whatever is cut, and are written anew with it. */
  readonly head: number;
  /** Probability that something in front of all tiers changes, so that they are written anew. */
  readonly baseRisk: number;
}

/** Places at which a row may be cut: more would change little and cost time. */
const PLACES = 72;

/**
 * Cuts a row of items into tiers so that the expected price is least. A change in a tier means that this tier and all
 * behind it are written anew, and those in front are read. For tiers T1…Tn that change first with probability f(T), a turn of
 * change costs Σ f(T) × (write × tokens from T on + read × tokens in front of T). One pass per tier over pairs of places, so
 * the time depends on the number of places, not of items.
 */
export function cutRow<Key>(row: readonly RankedItem<Key>[], order: CutOrder): Cuts {
  const places = placesOf(row);
  const tokens = tokensBefore(row);
  const total = tokens.at(-1) ?? 0;
  const risk = (place: number): number => (place === 0 ? order.baseRisk : (row[place - 1]?.risk ?? 1));
  const { prices, turns, turnsNow, horizon, minimum } = order;
  // Price of items in the tail, and of those that are in a tier and not written anew.
  const quiet = turnsNow - 1 + horizon * turns;
  const tailPrice = (from: number): number => (total - (tokens[from] ?? 0)) * (turnsNow + horizon * turns);
  const held = (end: number): number => (tokens[end] ?? 0) * (prices.write + prices.read * quiet);
  let best: readonly Partial[] = places.map((place) => ({ place, cost: place === 0 ? 0 : Infinity, ends: [] }));
  for (let tier = 0; tier < order.tiers; tier++) {
    best = places.map((end) => {
      let least: Partial = { place: end, cost: Infinity, ends: [] };
      for (const from of best) {
        if (from.place > end) break;
        const size = (tokens[end] ?? 0) - (tokens[from.place] ?? 0);
        if (size > 0 && size < minimum) continue;
        const front = tier === 0 ? -order.head : (tokens[from.place] ?? 0);
        const change = size === 0 ? 0 : (risk(end) - risk(from.place)) * front;
        // Written anew from `from` on: what is in front of it is saved from that.
        const cost = from.cost - horizon * change * (prices.write - prices.read);
        if (cost < least.cost) least = { place: end, cost, ends: [...from.ends, end] };
      }
      return least;
    });
  }
  let chosen: Cuts = { ends: Array.from({ length: order.tiers }, () => 0), cost: Infinity };
  for (const { place, cost, ends } of best) {
    // All of the held tokens are written anew with any change in them, less what `cost` says is saved.
    const anew = horizon * risk(place) * (tokens[place] ?? 0) * (prices.write - prices.read);
    const whole = cost + anew + held(place) + tailPrice(place);
    if (whole < chosen.cost) chosen = { ends, cost: whole };
  }
  return chosen;
}

type Partial = { readonly place: number; readonly cost: number; readonly ends: readonly number[] };

/** The ends of the row, every place among its last items, and evenly spread ones before. */
function placesOf(row: readonly unknown[]): number[] {
  const near = Math.max(0, row.length - PLACES / 2);
  const step = Math.max(1, Math.ceil(near / (PLACES / 2)));
  const places: number[] = [];
  for (let place = 0; place < near; place += step) places.push(place);
  for (let place = near; place <= row.length; place++) places.push(place);
  return places;
}

function tokensBefore(row: readonly { readonly tokens: number }[]): number[] {
  const sums = [0];
  for (const { tokens } of row) sums.push((sums.at(-1) ?? 0) + tokens);
  return sums;
}

/** An item on its way into a layout. */
export interface RankedItem<Key> {
  readonly key: Key;
  readonly tokens: number;
  /** Probability that this item or one before it changes with the next change. */
  readonly risk: number;
}

/** What the cut of a row depends on. */
export interface CutOrder {
  /** Tiers there are to fill. */
  readonly tiers: number;
  /** Tokens that stand in the first of these tiers whatever is cut, and are written anew with it. */
  readonly head: number;
  /** Probability that something in front of all tiers changes, so that they are written anew. */
  readonly baseRisk: number;
}

/** Places at which a row may be cut: more would change little and cost time. */
const PLACES = 72;

/**
 * Cuts a row of items, the least likely to change first, into tiers so that the expected price is least. Answers the place
 * behind the last item of each tier.
 *
 * A change in a tier means that this tier and all behind it are written anew, and what is in front is read. So a cut in front
 * of a tier saves the tokens in front of it with the probability f that this tier is the first to change: the cuts with the
 * largest sum of f × tokens are wanted, whatever a token costs to write and to read. One pass per tier over pairs of places:
 * the time depends on the number of places, not of items.
 */
export function cutRow<Key>(row: readonly RankedItem<Key>[], order: CutOrder): readonly number[] {
  const tokens = tokensBefore(row);
  const risk = (place: number): number => (place === 0 ? order.baseRisk : (row[place - 1]?.risk ?? 1));
  const places = placesOf(row);
  let best: readonly Cut[] = places.map((place) => ({ place, saved: place === 0 ? 0 : -Infinity, ends: [] }));
  for (let tier = 0; tier < order.tiers; tier++) {
    const starts = best;
    best = places.map((end) => bestStart(starts, end, (from) => savedBy({ from, end, tier })));
  }
  return best.at(-1)?.ends ?? [];

  function savedBy({
    from,
    end,
    tier,
  }: {
    readonly from: number;
    readonly end: number;
    readonly tier: number;
  }): number {
    const size = (tokens[end] ?? 0) - (tokens[from] ?? 0);
    if (size === 0) return 0;
    return (risk(end) - risk(from)) * (tier === 0 ? -order.head : (tokens[from] ?? 0));
  }
}

/** The best cuts of what is in front of a place. */
type Cut = { readonly place: number; readonly saved: number; readonly ends: readonly number[] };

function bestStart(starts: readonly Cut[], end: number, savedFrom: (from: number) => number): Cut {
  let best: Cut | undefined;
  let most = -Infinity;
  for (const start of starts) {
    if (start.place > end) break;
    const saved = start.saved + savedFrom(start.place);
    if (best && saved <= most) continue;
    best = start;
    most = saved;
  }
  return { place: end, saved: most, ends: [...(best?.ends ?? []), end] };
}

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

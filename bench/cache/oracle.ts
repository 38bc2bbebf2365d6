import type { ItemKey, TierEvent, TierItem } from '../../src/core/assembly.ts';
import type { Rates } from '../../src/prompt/tiers/policy-cache-aware.ts';
import type { ForecastState } from '../../src/prompt/tiers/policy-forecast.ts';
import { pathOf, isSymbol } from '../../src/prompt/tiers/policy-keys.ts';
import { FORESIGHT, SESSION } from './constants.ts';
import type { Plan } from './replay.ts';

/** Knows when each block will change, and how many turns there are until the next change. */
export function knownRates({ session, commits }: Plan, strict: boolean): Rates {
  const touches = new Map<string, number[]>();
  const outlines = new Map<string, number[]>();
  const outline = new Map([...session.files].map(([path, { symbolHash }]) => [path, symbolHash]));
  for (const [at, changes] of session.commits.slice(0, commits).entries()) {
    for (const { path, after } of changes) {
      touches.set(path, [...(touches.get(path) ?? []), at]);
      if (outline.get(path) !== after.symbolHash) outlines.set(path, [...(outlines.get(path) ?? []), at]);
      outline.set(path, after.symbolHash);
    }
  }
  let commit = -1;
  /** Commits from now until the block changes; Infinity = never. */
  const wait = (key: ItemKey): number => {
    const path = pathOf(key);
    const all = touches.get(path) ?? [];
    if (isSymbol(key)) {
      if (!strict) return (outlines.get(path)?.find((at) => at >= commit) ?? Infinity) - commit + 1;
      return (all.find((at) => at > commit) ?? Infinity) - commit;
    }
    const edit = (all.find((at) => at >= commit) ?? Infinity) - commit + 1;
    if (!strict) return edit;
    const last = all.findLast((at) => at <= commit) ?? commit;
    return Math.min(edit, last + SESSION.selectedFor - commit);
  };
  return {
    observe: (events: readonly TierEvent[]) => {
      const changed = commit < 0 || events.some(({ kind }) => kind === 'edited' || kind === 'selected');
      commit += changed ? 1 : 0;
    },
    rates: (items: readonly TierItem[]) =>
      items.map(({ key }) => FORESIGHT.rate / Math.max(1, wait(key)) ** FORESIGHT.power),
    state: (): ForecastState => {
      throw new Error('The future is not kept');
    },
  };
}

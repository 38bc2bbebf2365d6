import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  TIER_KEYS,
  type ItemKey,
  type TierAssignment,
  type TierEvent,
  type TierItem,
  type TierPolicy,
} from '../../src/core/assembly.ts';
import { Desk, turns } from '../../src/prompt/tiers/fixtures/desk.ts';
import type { TierLayout } from '../../src/prompt/tiers/policy-by-name.ts';
import { isFile, isHistory, pathOf } from '../../src/prompt/tiers/policy-keys.ts';

/** A policy, and what may be shown more than once for it. */
export type PolicyUnderTest = Pick<TierLayout, 'repeats'> & {
  /** `state`: what one of them remembered. */
  readonly create: (state?: unknown) => TierPolicy;
};

/** What every {@link TierPolicy} must do, wherever it places things. */
export function tierPolicyConformance(name: string, { repeats, create }: PolicyUnderTest): void {
  const play = (check: (seen: Seen) => void): void => playTurns({ repeats, create }, check);

  describe(`${name}: an assignment`, () => {
    test('shows every file, the selected ones by their text, and none twice unless blocks may stay', () => {
      const most = repeats === 'never' ? 1 : Infinity;
      play(({ desk, now }) => {
        const keys = sequence(now);
        // What an item was may have been sent more than once: one that was removed and is there again as it was.
        const once = repeats === 'older' ? keys.filter((key) => !key.includes('#')) : keys;
        expect(new Set(once).size).toBe(once.length);
        for (const one of desk.files.keys()) {
          const shown = keys.filter((key) => !isHistory(key) && nameOf(key) === one);
          expect(shown.length).toBeGreaterThan(0);
          expect(shown.length).toBeLessThanOrEqual(most);
          expect(shown.some((key) => isFile(key)) || !desk.selected.has(one)).toBe(true);
        }
      });
    });

    test('names what is there, and what was there only if earlier blocks may stay', () => {
      play(({ items, now }) => {
        const gone = sequence(now).filter((key) => !items.has(key));
        expect(gone.filter((key) => repeats !== 'older' || !key.includes('#'))).toEqual([]);
      });
    });

    test('has the history once and in its order', () => {
      play(({ desk, now }) => {
        const said = sequence(now).filter((key) => isHistory(key) && !key.includes('#'));
        expect(said).toEqual(desk.history.map((id) => `history:${id}`));
      });
    });

    test('leaves everything in front of it as it was in a turn that only talks', () => {
      const desk = new Desk();
      const policy = create();
      const start = desk.act([{ do: 'toggle', path: 0 }]);
      const first = sequence(policy.assign(desk.items([]), start));
      const talked = desk.act([]);
      const second = sequence(policy.assign(desk.items([]), talked));
      expect(second.slice(0, first.length)).toEqual(first);
    });

    test('is the same from a policy that has read the state back, as JSON', () => {
      play(({ again, now }) => expect(again).toEqual(now));
    });
  });
}

type Hashes = ReadonlyMap<ItemKey, string>;

/** One turn as it is checked. */
export type Seen = {
  readonly desk: Desk;
  readonly items: Hashes;
  readonly now: TierAssignment;
  /** What one answers that has read the state before this turn back. */
  readonly again: TierAssignment;
  readonly before: { readonly assignment: TierAssignment; readonly items: Hashes } | undefined;
  readonly events: readonly TierEvent[];
};

/** Turns of a thread that ends with its process, again and again: in the last of them its policy is read back, and goes on. */
const RESTORED_EVERY = 3;

/**
 * Plays random turns against a policy and one beside it, which has the first one's state read back in every turn; every third
 * time it is that one which goes on.
 */
export function playTurns({ repeats, create }: PolicyUnderTest, check: (seen: Seen) => void): void {
  fc.assert(
    fc.property(turns, (all) => {
      const desk = new Desk();
      let policy = create();
      let before: Seen['before'];
      for (const [at, steps] of all.entries()) {
        const events = desk.act(steps);
        const items = desk.items(repeats === 'never' ? [] : placedFiles(before?.assignment));
        const restored = create(JSON.parse(JSON.stringify(policy.state())));
        const now = policy.assign(items, events);
        const hashes = hashesOf(items);
        check({ desk, items: hashes, now, again: restored.assign(items, events), before, events });
        if (at % RESTORED_EVERY === RESTORED_EVERY - 1) policy = restored;
        before = { assignment: now, items: hashes };
      }
    }),
    { numRuns: 60 },
  );
}

/** Everything an assignment shows, in the order in which it is sent. */
export function sequence({ tiers, tail }: TierAssignment): ItemKey[] {
  return [...TIER_KEYS.flatMap((tier) => tiers[tier]), ...tail];
}

function placedFiles(assignment: TierAssignment | undefined): string[] {
  return Object.values(assignment?.tiers ?? {})
    .flat()
    .filter(isFile)
    .map(nameOf);
}

function hashesOf(items: readonly TierItem[]): Hashes {
  return new Map(items.map(({ key, hash }) => [key, hash]));
}

/** The path of a key, without what says which bytes it stands for. */
function nameOf(key: ItemKey): string {
  return pathOf(key).replace(/#.*/, '');
}

import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { TIER_KEYS, type ItemKey, type TierAssignment, type TierEvent, type TierItem } from '../../core/assembly.ts';
import { createTierPolicy, TIER_POLICIES, type TierPolicyName } from './policy-by-name.ts';
import { isFile, isHistory, isSymbol, pathOf } from './policy-keys.ts';

const PATHS = ['a/one', 'a/two', 'a/three', 'b/one', 'b/two', 'c/one'];

/** Something a person or a model does; `path` is an index. */
type Step =
  | { readonly do: 'edit' | 'reshape' | 'toggle' | 'remove'; readonly path: number }
  | { readonly do: 'talk' | 'compact' | 'cool'; readonly path?: never };

const path = fc.nat(PATHS.length - 1);
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constantFrom('edit', 'reshape', 'toggle', 'remove'), path }),
  fc.record({ do: fc.constantFrom('talk', 'talk', 'compact', 'cool') }),
);
const turns = fc.array(fc.array(step, { maxLength: 4 }), { minLength: 1, maxLength: 20 });

/** A session in memory: what the caller of a policy knows. */
class Desk {
  readonly files = new Map(PATHS.map((name) => [name, { text: 0, outline: 0 }]));
  readonly selected = new Set<string>();
  history: string[] = [];
  #said = 0;

  act(steps: readonly Step[]): TierEvent[] {
    const events = steps.flatMap((one) => this.#do(one));
    this.history = [...this.history, `${this.#said++}`, `${this.#said++}`];
    return [...events, { kind: 'turn_ended' }];
  }

  items(kept: readonly string[]): TierItem[] {
    const named = [...this.files];
    const symbols = named.map(([name, { outline }]) => ({
      key: `symbol:${name}` as const,
      hash: `s${outline}`,
      tokens: 600,
    }));
    const shown = named.filter(([name]) => this.selected.has(name) || kept.includes(name));
    const files = shown.map(([name, { text }]) => ({ key: `file:${name}` as const, hash: `f${text}`, tokens: 2000 }));
    const said = this.history.map((id) => ({ key: `history:${id}` as const, hash: id, tokens: 300 }));
    return [...symbols, ...files, ...said];
  }

  #do(one: Step): TierEvent[] {
    if (one.do === 'cool') return [{ kind: 'cache_cold' }];
    if (one.do === 'compact') return this.#compact();
    if (one.path === undefined) return [];
    const name = PATHS[one.path] ?? '';
    const file = this.files.get(name);
    if (one.do === 'toggle') return this.#toggle(name);
    if (one.do === 'remove') return this.#remove(name);
    this.files.set(name, {
      text: (file?.text ?? 0) + 1,
      outline: (file?.outline ?? 0) + (one.do === 'reshape' ? 1 : 0),
    });
    return [{ kind: 'edited', key: `file:${name}` }];
  }

  #toggle(name: string): TierEvent[] {
    if (this.selected.delete(name)) return [{ kind: 'dropped', path: name }];
    if (!this.files.has(name)) return [];
    this.selected.add(name);
    return [{ kind: 'selected', path: name }];
  }

  #remove(name: string): TierEvent[] {
    this.files.delete(name);
    return this.selected.delete(name) ? [{ kind: 'dropped', path: name }] : [];
  }

  #compact(): TierEvent[] {
    const removed = this.history.slice(0, -2);
    if (removed.length === 0) return [];
    const summary = `${this.#said++}`;
    this.history = [summary, ...this.history.slice(-2)];
    const keyOf = (id: string): ItemKey => `history:${id}`;
    return [{ kind: 'history_replaced', removed: removed.map(keyOf), added: [keyOf(summary)] }];
  }
}

/** Everything an assignment shows, in the order in which it is sent. */
function sequence({ tiers, tail }: TierAssignment): ItemKey[] {
  return [...TIER_KEYS.flatMap((tier) => tiers[tier]), ...tail];
}

type Seen = {
  readonly desk: Desk;
  readonly items: ReadonlyMap<ItemKey, string>;
  readonly now: TierAssignment;
  readonly before: { readonly assignment: TierAssignment; readonly items: ReadonlyMap<ItemKey, string> } | undefined;
  readonly events: readonly TierEvent[];
};

/** Plays random turns against a policy, which loses its memory and gets its state back, as JSON, every few turns. */
function play(name: TierPolicyName, keeps: boolean, check: (seen: Seen) => void): void {
  fc.assert(
    fc.property(turns, (all) => {
      const desk = new Desk();
      let policy = createTierPolicy(name);
      let before: Seen['before'];
      for (const [at, steps] of all.entries()) {
        const events = desk.act(steps);
        const tiers = before ? Object.values(before.assignment.tiers).flat() : [];
        const items = desk.items(keeps ? tiers.filter(isFile).map((key) => pathOf(key).replace(/#.*/, '')) : []);
        if (at % 3 === 2) policy = createTierPolicy(name, JSON.parse(JSON.stringify(policy.state())));
        const now = policy.assign(items, events);
        const hashes = new Map(items.map(({ key, hash }) => [key, hash]));
        check({ desk, items: hashes, now, before, events });
        before = { assignment: now, items: hashes };
      }
    }),
    { numRuns: 60 },
  );
}

test.each(['cache-aware', 'stability'] as const)('%s: a file never appears twice, and everything appears', (name) => {
  play(name, false, ({ desk, now }) => {
    const blocks = sequence(now).filter((key) => !isHistory(key));
    // A file that is selected is shown by its text, any other by its symbols.
    const wanted = [...desk.files.keys()].map((one) => `${desk.selected.has(one) ? 'file' : 'symbol'}:${one}`);
    expect(blocks.toSorted()).toEqual(wanted.toSorted());
  });
});

test.each(['cache-aware-redundant', 'append-only'] as const)(
  '%s: what is selected stands there as it is now',
  (name) => {
    play(name, true, ({ desk, now }) => {
      const keys = sequence(now);
      expect(new Set(keys).size).toBe(keys.length);
      for (const one of desk.files.keys()) {
        const shown = keys.filter((key) => pathOf(key).replace(/#.*/, '') === one);
        expect(shown.length).toBeGreaterThan(0);
        expect(shown.some((key) => isFile(key)) || !desk.selected.has(one)).toBe(true);
      }
    });
  },
);

test('cache-aware-redundant: every block is current', () => {
  play('cache-aware-redundant', true, ({ items, now }) => {
    for (const key of sequence(now)) expect(items.has(key)).toBe(true);
  });
});

test.each(TIER_POLICIES)('%s: the history stands there once and in its order', (name) => {
  play(name, name !== 'cache-aware' && name !== 'stability', ({ desk, now }) => {
    const said = sequence(now).filter((key) => isHistory(key) && !key.includes('#'));
    expect(said).toEqual(desk.history.map((id) => `history:${id}`));
  });
});

test.each(['cache-aware', 'cache-aware-redundant'] as const)(
  '%s: what stands in front of the tier of the first changed item is sent again as it was',
  (name) => {
    play(name, name === 'cache-aware-redundant', ({ items, now, before, events, desk }) => {
      if (!before || events.some(({ kind }) => kind === 'cache_cold')) return;
      const old = [...TIER_KEYS.map((tier) => before.assignment.tiers[tier]), before.assignment.tail];
      const isGone = (key: ItemKey): boolean => {
        const hidden = name === 'cache-aware' && isSymbol(key) && desk.selected.has(pathOf(key));
        return hidden || items.get(key) !== before.items.get(key);
      };
      const broken = old.findIndex((keys) => keys.some(isGone));
      // New blocks go into the active part at the latest.
      const kept = old.slice(0, broken < 0 ? TIER_KEYS.length : broken).flat();
      expect(sequence(now).slice(0, kept.length)).toEqual(kept);
    });
  },
);

test.each(TIER_POLICIES)('%s: a turn that only talks leaves everything in front of it as it was', (name) => {
  const desk = new Desk();
  const policy = createTierPolicy(name);
  const start = desk.act([{ do: 'toggle', path: 0 }]);
  const first = sequence(policy.assign(desk.items([]), start));
  const talked = desk.act([]);
  const second = sequence(policy.assign(desk.items([]), talked));
  expect(second.slice(0, first.length)).toEqual(first);
});

test('cache-aware: what stands in front of all items counts: the more, the less may stand there that changes', () => {
  const items = Array.from({ length: 12 }, (_, at) => ({ key: `file:f${at}.ts` as const, hash: 'h', tokens: 1000 }));
  const events = items.slice(6).map(({ key }) => ({ kind: 'edited' as const, key }));
  const firstOf = (headTokens: number): number =>
    createTierPolicy('cache-aware').assign(items, events, { headTokens }).tiers.L0.length;
  expect(firstOf(100_000)).toBeLessThan(firstOf(100));
});

test('append-only: an edit that was said leaves the old text where it is, under the hash it had', () => {
  const desk = new Desk();
  const policy = createTierPolicy('append-only');
  const start = desk.act([{ do: 'toggle', path: 0 }]);
  policy.assign(desk.items([]), start);
  const events = desk.act([{ do: 'edit', path: 0 }]);
  const { tiers } = policy.assign(desk.items([]), events);
  expect(tiers.L1.filter(isFile)).toEqual(['file:a/one#f0']);
});

test('append-only: a change that nobody said is added whole', () => {
  const desk = new Desk();
  const policy = createTierPolicy('append-only');
  const start = desk.act([{ do: 'toggle', path: 0 }]);
  policy.assign(desk.items([]), start);
  desk.act([{ do: 'edit', path: 0 }]);
  const { tiers } = policy.assign(desk.items([]), [{ kind: 'turn_ended' }]);
  expect(tiers.L1.filter(isFile)).toEqual(['file:a/one#f0', 'file:a/one']);
});

test('append-only: the list of files stands in L0 once, and again where it has changed', () => {
  const policy = createTierPolicy('append-only');
  const said = (id: string): TierItem => ({ key: `history:${id}`, hash: id, tokens: 10 });
  const listed = (hash: string): TierItem => ({ key: 'tree:files', hash, tokens: 500 });
  const first = policy.assign([listed('one'), said('a')], []);
  expect([first.tiers.L0, first.tiers.L1]).toEqual([['tree:files'], ['history:a']]);
  const same = policy.assign([listed('one'), said('a'), said('b')], []);
  expect(same.tiers.L0).toEqual(['tree:files']);
  const longer = [said('a'), said('b'), said('c')];
  const changed = policy.assign([listed('two'), ...longer], []);
  expect(changed.tiers).toMatchObject({
    L0: ['tree:files#one'],
    L1: ['history:a', 'history:b', 'history:c', 'tree:files'],
  });
  // As it was at first: that is a change, too.
  const back = policy.assign([listed('one'), ...longer], []);
  expect(back.tiers).toMatchObject({
    L0: ['tree:files#one'],
    L1: ['history:a', 'history:b', 'history:c', 'tree:files#two', 'tree:files'],
  });
  // The history was compacted: what has changed of the list is one entry.
  const replaced = policy.assign([listed('three'), said('s'), said('c')], []);
  expect(replaced.tiers).toMatchObject({ L0: ['tree:files#one'], L1: ['tree:files', 'history:s', 'history:c'] });
});

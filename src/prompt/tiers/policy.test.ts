import { describe, expect, test } from 'vitest';
import { playTurns, sequence } from '../../../test/conformance/tier-policy.ts';
import { TIER_KEYS, type ItemKey, type TierEvent, type TierItem, type TierPolicy } from '../../core/assembly.ts';
import { Desk } from './fixtures/desk.ts';
import { createTierPolicy, tierLayout } from './policy-by-name.ts';
import { isFile, isSymbol, pathOf } from './policy-keys.ts';

test.each(['cache-aware', 'cache-aware-redundant'] as const)(
  '%s: what stands in front of the tier of the first changed item is sent again as it was',
  (name) => {
    const { repeats } = tierLayout(name);
    playTurns({ repeats, create: (state) => createTierPolicy(name, state) }, ({ items, now, before, events, desk }) => {
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

test('cache-aware: what stands in front of all items counts: the more, the less may stand there that changes', () => {
  const items = Array.from({ length: 12 }, (_, at) => ({ key: `file:f${at}.ts` as const, hash: 'h', tokens: 1000 }));
  const events = items.slice(6).map(({ key }) => ({ kind: 'edited' as const, key }));
  const firstOf = (headTokens: number): number =>
    createTierPolicy('cache-aware').assign(items, events, { headTokens }).tiers.L0.length;
  expect(firstOf(100_000)).toBeLessThan(firstOf(100));
});

describe('cache-aware: a file named as what every object has', () => {
  const place = (policy: TierPolicy, file: TierItem, events: readonly TierEvent[] = []): readonly ItemKey[] =>
    sequence(policy.assign([file], events));

  test.each(['constructor', 'toString', '__proto__'])('is one like any other: %s', (path) => {
    const file = { key: `file:${path}`, hash: 'a', tokens: 10 } as const;
    const policy = createTierPolicy('cache-aware');
    expect(place(policy, file)).toEqual([file.key]);
    expect(place(policy, { ...file, hash: 'b' }, [{ kind: 'edited', key: file.key }])).toEqual([file.key]);
  });

  test.each(['constructor', 'toString', '__proto__'])('is that after a restart as well: %s', (path) => {
    const file = { key: `file:${path}`, hash: 'a', tokens: 10 } as const;
    const policy = createTierPolicy('cache-aware');
    place(policy, file, [{ kind: 'selected', path }]);
    const state: unknown = JSON.parse(JSON.stringify(policy.state()));
    expect(state).toMatchObject({ forecast: { traces: [[path, ['fresh', 1]]] } });
    const restored = createTierPolicy('cache-aware', state);
    expect(restored.state()).toEqual(state);
    expect(place(restored, { ...file, hash: 'b' })).toEqual([file.key]);
  });

  test('is known from the state of an older release, which had an object of them', () => {
    const traces = { constructor: ['fresh', 1] };
    const older = { tiers: [], dropped: [], forecast: { changes: 1, traces } };
    expect(createTierPolicy('cache-aware', older).state()).toMatchObject({
      forecast: { traces: Object.entries(traces) },
    });
  });
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

test('append-only: after an edit that was said, a change that nobody said is added once, and so is the way back', () => {
  const policy = createTierPolicy('append-only');
  const others: TierItem[] = [
    { key: 'tree:files', hash: 't', tokens: 1 },
    { key: 'file:other', hash: 'o', tokens: 1000 },
  ];
  const textsOf = (hash: string, events: Parameters<typeof policy.assign>[1] = []): readonly ItemKey[] =>
    policy
      .assign([...others, { key: 'file:x', hash, tokens: 10 }], events)
      .tiers.L1.filter((key) => key.startsWith('file:x'));
  textsOf('a');
  expect(textsOf('b', [{ kind: 'edited', key: 'file:x' }])).toEqual(['file:x#a']);
  const changed = ['file:x#a', 'file:x'];
  expect([textsOf('c'), textsOf('c'), textsOf('c')]).toEqual([changed, changed, changed]);
  expect(textsOf('b')).toEqual(['file:x#a', 'file:x#c', 'file:x']);
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

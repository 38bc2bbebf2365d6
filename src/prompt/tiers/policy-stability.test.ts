import { describe, expect, test } from 'vitest';
import { TIER_KEYS, type ItemKey, type TierAssignment, type TierEvent, type TierItem } from '../../core/assembly.ts';
import { STABILITY, StabilityPolicy } from './policy-stability.ts';

const A = 'file:a.ts';
const B = 'file:b.ts';
const ENDED: readonly TierEvent[] = [{ kind: 'turn_ended' }];

const item = (key: ItemKey, tokens: number, hash = 'as it was'): TierItem => ({ key, hash, tokens });
const said = (...ids: readonly number[]): TierItem[] => ids.map((id) => item(`history:${id}`, 300));

/** Where an item stands. */
function placeOf({ tiers }: TierAssignment, key: ItemKey): string {
  return TIER_KEYS.find((tier) => tiers[tier].includes(key)) ?? 'tail';
}

/** A policy that has had so many turns with these items. */
function aged(turns: number, ...items: readonly TierItem[]): StabilityPolicy {
  const policy = new StabilityPolicy();
  policy.assign(items, []);
  for (let turn = 0; turn < turns; turn++) policy.assign(items, ENDED);
  return policy;
}

describe('By age alone, what stays the same', () => {
  test('is in L3 after three turns, in L2 after six, in L1 after nine, in L0 after twelve', () => {
    expect(STABILITY).toEqual({ entry: [12, 9, 6, 3], minimum: 1024 });
    const policy = aged(0, item(A, 2000));
    const places = Array.from({ length: 14 }, () => placeOf(policy.assign([item(A, 2000)], ENDED), A));
    const thrice = (tier: string): string[] => [tier, tier, tier];
    expect(places).toEqual(['tail', 'tail', ...['L3', 'L2', 'L1'].flatMap(thrice), 'L0', 'L0', 'L0']);
  });

  test('gets no older while no turn ends', () => {
    const policy = aged(2, item(A, 2000));
    for (let again = 0; again < 5; again++) expect(placeOf(policy.assign([item(A, 2000)], []), A)).toBe('tail');
    expect(placeOf(policy.assign([item(A, 2000)], ENDED), A)).toBe('L3');
  });

  test.each([
    [4, 'L3'],
    [7, 'L2'],
    [10, 'L1'],
    [13, 'L0'],
  ])('and is edited after %i turns, starts again behind all tiers; its neighbour in %s stays', (turns, tier) => {
    const policy = aged(turns, item(A, 2000), item(B, 2000));
    expect(placeOf(policy.assign([item(A, 2000), item(B, 2000)], []), B)).toBe(tier);
    const edited = [item(A, 2000), item(B, 2000, 'edited')];
    const now = policy.assign(edited, []);
    expect([placeOf(now, A), placeOf(now, B)]).toEqual([tier, 'tail']);
    const places = Array.from({ length: 3 }, () => placeOf(policy.assign(edited, ENDED), B));
    expect(places).toEqual(['tail', 'tail', 'L3']);
  });

  test('and is a symbol block at the beginning, has been so for nine turns', () => {
    const blocks = [item('symbol:a.ts', 800), item('symbol:b.ts', 800)];
    expect(placeOf(new StabilityPolicy().assign(blocks, []), 'symbol:a.ts')).toBe('L1');
  });
});

describe('A tier', () => {
  test.each([
    [1023, 'tail'],
    [1024, 'L3'],
  ])('that would have %i tokens: what is old enough for it stands in %s', (tokens, place) => {
    const items = [item(A, 600), item(B, tokens - 600)];
    expect(placeOf(aged(3, ...items).assign(items, []), A)).toBe(place);
  });

  test('that has become too small joins the one behind it', () => {
    const [first, second] = [item(A, 600), item(B, 600)];
    const third = item('file:c.ts', 2000);
    const policy = aged(7, first, second);
    policy.assign([first, second, third], []);
    for (let turn = 0; turn < 3; turn++) policy.assign([first, second, third], ENDED);
    // The first two are in L1 by now, the third in L3.
    const before = policy.assign([first, second, third], []);
    expect([placeOf(before, A), placeOf(before, third.key)]).toEqual(['L1', 'L3']);
    expect(placeOf(policy.assign([first, third], []), A)).toBe('L3');
  });

  test('takes history in with its neighbours: when it has changed anyway, and not before', () => {
    const blocks = [item(A, 2000), item(B, 2000)];
    const policy = aged(1, ...blocks);
    for (const count of [1, 2, 3]) policy.assign([...blocks, ...said(...Array(count).keys())], ENDED);
    const messages = said(0, 1, 2);
    // The files are in L3 for two turns; the oldest message is old enough for it now, and L3 is as it was.
    const old = policy.assign([...blocks, ...messages], ENDED);
    expect([old.tiers.L3, old.tail]).toEqual([[A, B], messages.map(({ key }) => key)]);
    const broken = policy.assign([item(A, 2000), item(B, 2000, 'edited'), ...messages], []);
    expect(broken.tiers.L3).toEqual([A, 'history:0']);
    expect(broken.tail).toEqual([B, 'history:1', 'history:2']);
  });
});

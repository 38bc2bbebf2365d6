import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Limits } from '../core/limits.ts';
import { resolveLimits, type LimitSources } from './limits.ts';

const USD = 1_000_000_000;
const DEFAULTS: Limits = { turns: 25, tokens: 200_000, spend: USD, spawns: 10, depth: 10, durationSeconds: 600 };

function resolve(limits: Record<string, unknown>, more: Partial<LimitSources> = {}): ReturnType<typeof resolveLimits> {
  return resolveLimits({ defaults: DEFAULTS, directive: { id: 'my/task', limits }, ...more });
}

describe('defaults < directive < caller', () => {
  test.each([
    ['nothing written', {}, {}, {}],
    ['the directive', { turns: 5, spend: 0.25 }, {}, { turns: 5, spend: USD / 4 }],
    ['the caller', { turns: 5 }, { turns: 7 }, { turns: 7 }],
    ['both, on different fields', { turns: 5 }, { duration_seconds: 1.5 }, { turns: 5, durationSeconds: 1.5 }],
    [
      'more than the default',
      { tokens: 1_000_000, spawns: 0, depth: 0 },
      {},
      { tokens: 1_000_000, spawns: 0, depth: 0 },
    ],
    ['text from XML', { turns: '5', spend: ' 0.10 ' }, {}, { turns: 5, spend: USD / 10 }],
    ['the only currency', { spend: 2, spend_currency: 'USD' }, { spend_currency: 'USD' }, { spend: 2 * USD }],
    ['undefined counts as absent', { turns: undefined }, { tokens: undefined }, {}],
    ['no money at all', { spend: 0 }, {}, { spend: 0 }],
  ])('%s', (_, limits, overrides, expected) => {
    expect(resolve(limits, { overrides })).toEqual({ limits: { ...DEFAULTS, ...expected }, warnings: [] });
  });
});

describe('old spellings', () => {
  test('are read in a directive, with a warning each', () => {
    const { limits, warnings } = resolve({ max_turns: 3, max_tokens: 10, max_spend: 0.5 });
    expect(limits).toMatchObject({ turns: 3, tokens: 10, spend: USD / 2 });
    expect(warnings).toEqual([
      'directive "my/task": limit "max_turns" is an old spelling of "turns"',
      'directive "my/task": limit "max_tokens" is an old spelling of "tokens"',
      'directive "my/task": limit "max_spend" is an old spelling of "spend"',
    ]);
  });

  test('are refused beside the new one', () => {
    expect(() => resolve({ turns: 1, max_turns: 2 })).toThrow('stands beside "turns"');
  });

  test('are refused from a caller', () => {
    expect(() => resolve({}, { overrides: { max_turns: 2 } })).toThrow('"max_turns" is not a limit');
  });
});

describe('refusals', () => {
  test.each([
    ['an unknown name', { trns: 5 }, '"trns" is not a limit; the limits are turns, tokens, spend'],
    ['an inherited name', { constructor: 5 }, '"constructor" is not a limit'],
    ['an old spelling there never was', { max_depth: 5 }, '"max_depth" is not a limit'],
    ['another currency', { spend_currency: 'EUR' }, 'only USD'],
    ['no turns', { turns: 0 }, '"turns" is wrong'],
    ['a fraction of a turn', { turns: 1.5 }, '"turns" is wrong'],
    ['a negative amount', { spend: -1 }, '"spend" is wrong'],
    ['an endless amount', { spend: Infinity }, '"spend" is wrong'],
    ['an amount that is not exact', { spend: 1e8 }, '"spend" is wrong'],
    ['a word', { tokens: 'many' }, '"tokens" is wrong'],
    ['a number in another notation', { tokens: '1e9' }, '"tokens" is wrong'],
    ['null', { tokens: null }, '"tokens" is wrong'],
    ['no time', { duration_seconds: 0 }, '"duration_seconds" is wrong'],
  ])('names directive and field for %s', (_, limits, message) => {
    const [field = ''] = Object.keys(limits);
    expect(() => resolve(limits)).toThrow(
      expect.objectContaining({
        code: 'invalid_item',
        message: expect.stringContaining(message),
        where: { path: `limits.${field}` },
      }),
    );
    expect(() => resolve(limits)).toThrow('directive "my/task"');
  });

  test('what the caller got wrong is the caller’s error', () => {
    expect(() => resolve({}, { overrides: { trns: 1 } })).toThrow(
      expect.objectContaining({ code: 'invalid_argument' }),
    );
  });

  test.each([
    ['null', null],
    ['a number', 5],
    ['a text', 'turns'],
    ['an empty list', []],
    ['a list', [{ turns: 1 }]],
  ])('limits of a caller that are %s are none', (_, overrides) => {
    const message = 'limit overrides: limits are an object of names and values';
    expect(() => resolve({}, { overrides: overrides as never })).toThrow(
      expect.objectContaining({ code: 'invalid_argument', message }),
    );
  });

  test('a key named __proto__ is an unknown limit', () => {
    expect(() => resolve(JSON.parse('{"__proto__": {"turns": 1}}'))).toThrow('is not a limit');
  });
});

const PARENT: Limits = { turns: 10, tokens: 1000, spend: USD / 2, spawns: 4, depth: 3, durationSeconds: 60 };

function child(limits: Record<string, unknown>, remaining: number, spawnsLeft = 4): Limits {
  return resolve(limits, { parent: { limits: PARENT, remaining, spawnsLeft } }).limits;
}

describe('a child', () => {
  test('has the smaller of each field and one level less', () => {
    expect(child({ turns: 5, tokens: 9999, spend: 0.1, duration_seconds: 9999 }, USD / 2)).toEqual({
      turns: 5,
      tokens: 1000,
      spend: USD / 10,
      spawns: 4,
      depth: 2,
      durationSeconds: 60,
    });
  });

  test.each([
    ['an even share of what is left', {}, USD / 2, 4, USD / 10],
    ['a share rounded down', {}, 100, 2, 33],
    ['no more than its default', { spend: undefined }, 100 * USD, 0, USD / 2],
    ['what it asks for', { spend: 0.2 }, USD / 2, 4, USD / 5],
    ['no more than the parent’s limit', { spend: 5 }, 100 * USD, 4, USD / 2],
    ['no more than the parent has left', { spend: 0.5 }, 123, 4, 123],
    ['nothing when nothing is left', {}, 0, 4, 0],
    ['nothing when the parent has overspent', { spend: 0.1 }, -5, 4, 0],
    ['everything as the last child', {}, 100, 0, 100],
  ])('gets %s', (_, limits, remaining, spawnsLeft, expected) => {
    expect(child(limits, remaining, spawnsLeft).spend).toBe(expected);
  });

  test('at the deepest level is refused', () => {
    const parent = { limits: { ...PARENT, depth: 0 }, remaining: USD, spawnsLeft: 1 };
    expect(() => resolve({}, { parent })).toThrow(expect.objectContaining({ code: 'depth_exceeded' }));
  });

  test('never has more than its parent, whatever is asked for', () => {
    const asked = fc.record(
      {
        turns: fc.integer({ min: 1 }),
        tokens: fc.integer({ min: 1 }),
        spend: fc.double({ min: 0, max: 1e6, noNaN: true }),
        spawns: fc.nat(),
        depth: fc.nat(),
        duration_seconds: fc.double({ min: 0.001, max: 1e9, noNaN: true }),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(asked, asked, fc.nat(USD), fc.nat(20), (limits, overrides, remaining, spawnsLeft) => {
        const given = resolve(limits, { overrides, parent: { limits: PARENT, remaining, spawnsLeft } }).limits;
        const parent = { ...PARENT, depth: PARENT.depth - 1, spend: Math.min(PARENT.spend, remaining) };
        for (const field of Object.keys(parent) as (keyof Limits)[]) {
          expect(given[field]).toBeLessThanOrEqual(parent[field]);
        }
      }),
    );
  });

  test('n children without explicit spend leave the parent something', () => {
    let remaining = USD / 2;
    for (let spawnsLeft = 4; spawnsLeft > 0; spawnsLeft--) remaining -= child({}, remaining, spawnsLeft).spend;
    expect(remaining).toBeGreaterThan(0);
  });
});

import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { mergeConfig } from './merge.ts';

describe('maps, lists and scalars', () => {
  test.each([
    ['a scalar is replaced', { a: 1 }, { a: 2 }, { a: 2 }],
    ['a new key is added', { a: 1 }, { b: 2 }, { a: 1, b: 2 }],
    ['maps are merged deep', { a: { b: { c: 1, d: 2 } } }, { a: { b: { c: 3 } } }, { a: { b: { c: 3, d: 2 } } }],
    ['a map replaces a scalar', { a: 1 }, { a: { b: 2 } }, { a: { b: 2 } }],
    ['a scalar replaces a map', { a: { b: 2 } }, { a: 1 }, { a: 1 }],
    ['null replaces', { a: { b: 2 } }, { a: null }, { a: null }],
    ['a list without ids is replaced', { a: [1, 2] }, { a: [3] }, { a: [3] }],
    ['a list of maps without ids is replaced', { a: [{ b: 1 }] }, { a: [{ c: 1 }] }, { a: [{ c: 1 }] }],
    ['an empty list replaces a list without ids', { a: [1] }, { a: [] }, { a: [] }],
    ['extends at the top is metadata', { a: 1 }, { extends: 'base.yaml', a: 2 }, { a: 2 }],
    ['extends further down is data', { a: {} }, { a: { extends: 'x' } }, { a: { extends: 'x' } }],
    ['names of Object.prototype are keys like others', {}, { constructor: { a: 1 } }, { constructor: { a: 1 } }],
  ])('%s', (_, base, override, expected) => {
    expect(mergeConfig(base, override)).toEqual(expected);
  });
});

describe('lists with ids', () => {
  const base = {
    list: [
      { id: 'a', match: { path: 'x' }, keep: 1 },
      { id: 'b', value: 1 },
    ],
  };

  test.each([
    [
      'an entry is merged deep and keeps what the override leaves out',
      [{ id: 'a', keep: 2 }],
      [
        { id: 'a', match: { path: 'x' }, keep: 2 },
        { id: 'b', value: 1 },
      ],
    ],
    ['a new entry follows at the end', [{ id: 'c' }], [...base.list, { id: 'c' }]],
    [
      'the order of the base stays',
      [
        { id: 'b', value: 2 },
        { id: 'a', keep: 3 },
      ],
      [
        { id: 'a', match: { path: 'x' }, keep: 3 },
        { id: 'b', value: 2 },
      ],
    ],
    ['an empty list changes nothing', [], base.list],
  ])('%s', (_, list, expected) => {
    expect(mergeConfig(base, { list })).toEqual({ list: expected });
  });

  test.each([
    ['replaced', [{ id: 'a', x: 1 }], [{ id: 'a', y: 2 }]],
    ['taken with and without ids', [], [{ id: 'a' }, { name: 'b' }]],
    ['taken with an id twice', undefined, [{ id: 'a' }, { id: 'a' }]],
    ['taken empty', [{ id: 'a' }], []],
  ])('further down a list is data: it is %s', (_, base, list) => {
    const hook = (payload: unknown) => ({ hooks: [{ id: 'h', action: { params: { payload } } }] });
    expect(mergeConfig(hook(base), hook(list))).toEqual(hook(list));
  });

  test('ids are recognised when the base is empty', () => {
    expect(mergeConfig({ list: [] }, { list: [{ id: 'a' }] })).toEqual({ list: [{ id: 'a' }] });
  });

  test.each([
    ['an entry without id', [{ id: 'a' }, { value: 1 }], 'needs an id'],
    ['an id that is no text', [{ id: 'a' }, { id: 429 }], 'an id is a text, not 429'],
    ['an id that is no text among entries without', [{ id: 'a' }, {}, { id: null }], 'an id is a text, not null'],
    ['ids that are no text alone', [{ id: 429 }], 'an id is a text, not 429'],
    ['the same id twice', [{ id: 'c' }, { id: 'c' }], '"c" appears twice'],
  ])('refuses %s', (_, list, message) => {
    expect(() => mergeConfig(base, { list }, { file: 'p.yaml' })).toThrow(
      expect.objectContaining({
        code: 'invalid_config',
        message: expect.stringContaining(message),
        where: { file: 'p.yaml', path: 'list' },
      }),
    );
  });
});

test.each([
  [{ path: 'b', op: 'exists' }, { path: 'c' }, { path: 'c', op: 'exists' }],
  [{ path: 'b', op: 'eq', value: 1 }, { path: 'c' }, { path: 'c', op: 'eq', value: 1 }],
  [{ path: 'b', op: 'eq', value: 1 }, { value: 2 }, { path: 'b', op: 'eq', value: 2 }],
])('of the condition %j another %j is the same kind', (base, override, merged) => {
  expect(mergeConfig({ condition: base }, { condition: override })).toEqual({ condition: merged });
});

describe('things of another kind are replaced whole', () => {
  const any = { any: [{ path: 'a', op: 'eq', value: 1 }] };
  const leaf = { path: 'b', op: 'eq', value: 2 };
  const exists = { path: 'b', op: 'exists' };
  test.each([
    ['a match', { match: any }, { match: leaf }, { match: leaf }],
    ['a condition', { condition: leaf }, { condition: any }, { condition: any }],
    ['a test by one that takes no value', { condition: leaf }, { condition: exists }, { condition: exists }],
    ['a test that takes no value', { condition: exists }, { condition: leaf }, { condition: leaf }],
    ['a condition by none', { condition: leaf }, { condition: {} }, { condition: {} }],
    ['no condition', { condition: {} }, { condition: leaf }, { condition: leaf }],
    ['a match by none', { match: any }, { match: {} }, { match: {} }],
    ['an action', { action: { primary: 'load' } }, { action: { set_extends: 'x' } }, { action: { set_extends: 'x' } }],
    [
      'a retry policy',
      { retry_policy: { type: 'exponential', base: 2, max: 60 } },
      { retry_policy: { type: 'fixed', delay: 300 } },
      { retry_policy: { type: 'fixed', delay: 300 } },
    ],
    [
      'a named policy',
      { policies: { slow: { type: 'exponential', base: 2 } } },
      { policies: { slow: { type: 'fixed' } } },
      { policies: { slow: { type: 'fixed' } } },
    ],
    [
      'how much a model thinks',
      { models: { x: { reasoning: { effort: 'high' } } } },
      { models: { x: { reasoning: { budget_tokens: 2000 } } } },
      { models: { x: { reasoning: { budget_tokens: 2000 } } } },
    ],
    [
      'not the reasoning that a tool asks for',
      { config: { body: { reasoning: { effort: 'high' } } } },
      { config: { body: { reasoning: { budget_tokens: 2000 } } } },
      { config: { body: { reasoning: { effort: 'high', budget_tokens: 2000 } } } },
    ],
    ['not the same kind', { match: leaf }, { match: { value: 3 } }, { match: { ...leaf, value: 3 } }],
    [
      'not a policy whose type stays',
      { retry_policy: { type: 'exponential', base: 2, max: 60 } },
      { retry_policy: { max: 30 } },
      { retry_policy: { type: 'exponential', base: 2, max: 30 } },
    ],
  ])('%s', (_, base, override, expected) => {
    expect(mergeConfig(base, override)).toEqual(expected);
  });
});

describe('a hook has action or actions', () => {
  const one = { action: { function: 'f' } };
  const several = { actions: [{ function: 'f' }, { function: 'g' }] };
  test.each([
    ['actions replace action', one, several, several],
    ['action replaces actions', several, one, one],
    ['both are laid over as they are', one, { ...one, ...several }, { ...one, ...several }],
    ['neither is needed', one, { timeout_ms: 5 }, { ...one, timeout_ms: 5 }],
  ])('%s', (_, base, override, expected) => {
    const listed = (part: object): { readonly hooks: readonly object[] } => ({ hooks: [{ id: 'a', ...part }] });
    expect(mergeConfig(listed(base), listed(override))).toEqual(listed(expected));
  });

  test.each(['builtin_hooks', 'infra_hooks', 'project_hooks', 'user_hooks'])('in %s, too', (list) => {
    const listed = (part: object) => ({ [list]: [{ id: 'a', ...part }] });
    expect(mergeConfig(listed(one), listed(several))).toEqual(listed(several));
  });

  test.each([
    ['a map', (part: object) => ({ properties: part })],
    ['an entry of another list', (part: object) => ({ patterns: [{ id: 'a', ...part }] })],
  ])('and %s has both if it says so', (_, place) => {
    expect(mergeConfig(place(one), place(several))).toEqual(place({ ...one, ...several }));
  });
});

describe('hostile documents', () => {
  test.each([
    ['at the top', '{"__proto__": {"polluted": 1}}', ''],
    ['deep inside', '{"a": {"b": {"__proto__": {"polluted": 1}}}}', 'a.b'],
    ['in an entry with id', '{"a": [{"id": "x", "__proto__": {}}]}', 'a.x'],
    ['in an entry without id', '{"a": [{"__proto__": {}}]}', 'a.0'],
  ])('refuses __proto__ %s', (_, json, path) => {
    expect(() => mergeConfig({}, JSON.parse(json))).toThrow(
      expect.objectContaining({ code: 'invalid_config', where: { path } }),
    );
  });

  test('refuses nesting without end', () => {
    const loop: Record<string, unknown> = {};
    loop['again'] = loop;
    expect(() => mergeConfig({}, loop)).toThrow('deeper than 64');
  });
});

const json = fc.jsonValue({ maxDepth: 4 });
const document = fc.dictionary(fc.string(), json);

function attempt(base: Record<string, unknown>, override: Record<string, unknown>): unknown {
  try {
    return mergeConfig(base, override);
  } catch (error) {
    return error;
  }
}

test('merging never changes a prototype or its inputs', () => {
  const key = fc.constantFrom('__proto__', 'constructor', 'prototype', 'a', 'id');
  const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
    tree: fc.oneof(
      { maxDepth: 4 },
      fc.constantFrom('x', 1, null),
      fc.dictionary(key, tie('tree')),
      fc.array(tie('tree')),
    ),
  }));
  const before = Object.getOwnPropertyNames(Object.prototype);
  fc.assert(
    fc.property(fc.dictionary(key, tree), fc.dictionary(key, tree), (base, override) => {
      const texts = [JSON.stringify(base), JSON.stringify(override)];
      attempt(base, override);
      expect(Object.getOwnPropertyNames(Object.prototype)).toEqual(before);
      expect([JSON.stringify(base), JSON.stringify(override)]).toEqual(texts);
    }),
  );
});

test('an empty override changes nothing, and merging twice is merging once', () => {
  fc.assert(
    fc.property(document, document, (base, override) => {
      fc.pre(!('extends' in base) && !('extends' in override) && !Object.hasOwn(base, '__proto__'));
      expect(attempt(base, {})).toEqual(base);
      const once = attempt(base, override);
      fc.pre(!(once instanceof Error));
      expect(attempt({ ...Object(once) }, override)).toEqual(once);
    }),
  );
});

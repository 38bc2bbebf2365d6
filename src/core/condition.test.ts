import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { costOf } from '../../test/fixtures/cost-of.ts';
import { compileCondition, CONDITION_OPERATORS } from './condition.ts';
import { resolvePath } from './path.ts';
import { SkeinError } from './errors.ts';

const PLACE = { file: 'hooks.yaml', path: 'hooks[a].condition' };

const CONTEXT = {
  text: 'Too Many Requests',
  empty: '',
  count: 3,
  zero: 0,
  yes: true,
  nothing: null,
  list: ['deploy', 'web', { id: 1 }],
  numbers: [1, 2],
  map: { inner: { deep: 'value' }, count: 2 },
};

function matches(spec: unknown, context: unknown = CONTEXT): boolean {
  return compileCondition(spec, PLACE)(context);
}

describe('operators', () => {
  test.each([
    ['text', 'eq', 'Too Many Requests', true],
    ['text', 'eq', 'too many requests', false],
    ['count', 'eq', 3, true],
    ['count', 'eq', '3', false],
    ['count', 'eq', 3.0, true],
    ['yes', 'eq', true, true],
    ['yes', 'eq', 1, false],
    ['missing', 'eq', null, true],
    ['nothing', 'eq', null, true],
    ['missing', 'eq', '', false],
    ['list', 'eq', ['deploy', 'web', { id: 1 }], true],
    ['list', 'eq', ['web', 'deploy', { id: 1 }], false],
    ['map.inner', 'eq', { deep: 'value' }, true],
    ['map.inner', 'eq', { deep: 'value', more: 1 }, false],
    ['map.inner', 'eq', ['value'], false],
    ['text', 'ne', 'other', true],
    ['text', 'ne', 'Too Many Requests', false],
    ['missing', 'ne', 'other', true],
    ['count', 'gt', 2, true],
    ['count', 'gt', 3, false],
    ['count', 'gte', 3, true],
    ['count', 'gte', 4, false],
    ['count', 'lt', 4, true],
    ['count', 'lt', 3, false],
    ['count', 'lte', 3, true],
    ['count', 'lte', 2, false],
    ['text', 'gt', 'A', true],
    ['text', 'lt', 'A', false],
    ['text', 'gt', 1, false],
    ['count', 'gt', '1', false],
    ['missing', 'lt', 10, false],
    ['nothing', 'lte', 10, false],
    ['count', 'in', [1, 2, 3], true],
    ['count', 'in', ['3'], false],
    ['count', 'in', [], false],
    ['missing', 'in', [null], true],
    ['map.inner', 'in', [{ deep: 'value' }], true],
    ['text', 'contains', 'Many', true],
    ['text', 'contains', 'many', false],
    ['count', 'contains', '3', true],
    ['count', 'contains', 3, true],
    ['zero', 'contains', '0', false],
    ['empty', 'contains', '', false],
    ['missing', 'contains', '', false],
    ['list', 'contains', 'web', true],
    ['list', 'contains', 'we', false],
    ['numbers', 'contains', 2, true],
    ['map.inner', 'contains', '"deep"', true],
    ['text', 'regex', 'Many', true],
    ['text', 'regex', 'many', false],
    ['text', 'regex', '(?i)too many requests', true],
    ['text', 'regex', '^Many', false],
    ['count', 'regex', '^[0-9]$', true],
    ['empty', 'regex', '^$', false],
    ['missing', 'regex', '.*', false],
    ['text', 'exists', undefined, true],
    ['empty', 'exists', undefined, true],
    ['zero', 'exists', true, true],
    ['nothing', 'exists', undefined, false],
    ['missing', 'exists', undefined, false],
    ['map.inner.deep', 'exists', undefined, true],
  ])('%s %s %j is %s', (path, op, value, expected) => {
    expect(matches({ path, op, ...(value !== undefined && { value }) })).toBe(expected);
  });

  test('an absent operator means eq', () => {
    expect(matches({ path: 'count', value: 3 })).toBe(true);
    expect(matches({ path: 'count', value: 4 })).toBe(false);
  });
});

describe('S2 §8, condition_evaluator', () => {
  test('all ten operators are there', () => {
    const ten = ['eq', 'ne', 'gt', 'gte', 'lt', 'lte', 'in', 'contains', 'regex', 'exists'];
    expect([...CONDITION_OPERATORS]).toEqual(ten);
  });

  test.each<[string, unknown, boolean]>([
    [
      'any/all/not combinators',
      { all: [{ any: [{ path: 'count', value: 3 }] }, { not: { path: 'count', value: 4 } }] },
      true,
    ],
    ['dotted path resolution', { path: 'map.inner.deep', value: 'value' }, true],
    ['missing paths', { path: 'map.none.deep', op: 'exists' }, false],
  ])('%s', (_row, spec, expected) => {
    expect(matches(spec)).toBe(expected);
  });
});

const YES = { path: 'count', op: 'eq', value: 3 };
const NO = { path: 'count', op: 'eq', value: 4 };

describe('combinators', () => {
  test.each([
    [undefined, true],
    [null, true],
    [{}, true],
    [{ any: [NO, YES] }, true],
    [{ any: [NO, NO] }, false],
    [{ any: [] }, false],
    [{ all: [YES, YES] }, true],
    [{ all: [YES, NO] }, false],
    [{ all: [] }, true],
    [{ not: NO }, true],
    [{ not: YES }, false],
    [{ not: {} }, false],
    [{ all: [{ any: [NO, { not: NO }] }, { not: { all: [YES, NO] } }] }, true],
  ])('%j is %s', (spec, expected) => {
    expect(matches(spec)).toBe(expected);
  });
});

describe('paths', () => {
  test.each([
    ['list.0', 'deploy'],
    ['list.2.id', 1],
    ['list.3', undefined],
    ['list.-1', undefined],
    ['list.00', undefined],
    ['list.length', undefined],
    ['text.length', undefined],
    ['text.0', undefined],
    ['map.inner.deep', 'value'],
    ['map.inner.deep.more', undefined],
    ['nothing.more', undefined],
    ['__proto__', undefined],
    ['constructor.name', undefined],
    ['map.__proto__.toString', undefined],
    ['map.hasOwnProperty', undefined],
    ['', undefined],
  ])('%s leads to %j', (path, expected) => {
    expect(resolvePath(CONTEXT, path)).toEqual(expected);
  });

  test('segments given as a list may contain dots', () => {
    expect(resolvePath({ 'a.b': { c: 1 } }, ['a.b', 'c'])).toBe(1);
  });

  test('a field is also found under event.', () => {
    expect(matches({ path: 'event.count', op: 'eq', value: 3 })).toBe(true);
  });

  test('an own property named __proto__ is data like any other', () => {
    expect(resolvePath(JSON.parse('{"__proto__": {"x": 1}}'), '__proto__.x')).toBe(1);
  });
});

describe('refusals', () => {
  test.each([
    ['a text', 'yes', 'hooks[a].condition'],
    ['a boolean', false, 'hooks[a].condition'],
    ['a list', [YES], 'hooks[a].condition'],
    ['an unknown operator', { path: 'a', op: 'equals', value: 1 }, 'hooks[a].condition.op'],
    ['an inherited operator name', { path: 'a', op: 'toString', value: 1 }, 'hooks[a].condition.op'],
    ['a missing path', { op: 'eq', value: 1 }, 'hooks[a].condition.path'],
    ['an empty segment', { path: 'a..b', op: 'eq', value: 1 }, 'hooks[a].condition.path'],
    ['a missing value', { path: 'a', op: 'eq' }, 'hooks[a].condition'],
    ['an unknown key', { path: 'a', op: 'eq', value: 1, vaule: 2 }, 'hooks[a].condition'],
    ['a combinator beside a test', { any: [YES], path: 'a' }, 'hooks[a].condition'],
    ['two combinators', { any: [YES], all: [YES] }, 'hooks[a].condition'],
    ['any without a list', { any: YES }, 'hooks[a].condition.any'],
    ['in without a list', { path: 'a', op: 'in', value: 'abc' }, 'hooks[a].condition.value'],
    ['an order over a map', { path: 'a', op: 'gt', value: {} }, 'hooks[a].condition.value'],
    ['contains over a list', { path: 'a', op: 'contains', value: ['x'] }, 'hooks[a].condition.value'],
    ['exists: false', { path: 'a', op: 'exists', value: false }, 'hooks[a].condition.value'],
    ['a regex that is no text', { path: 'a', op: 'regex', value: 3 }, 'hooks[a].condition.value'],
    ['a broken regex', { path: 'a', op: 'regex', value: '(' }, 'hooks[a].condition.value'],
    ['a regex with look-ahead', { path: 'a', op: 'regex', value: '(?=a)' }, 'hooks[a].condition.value'],
    ['an overlong regex', { path: 'a', op: 'regex', value: 'x'.repeat(5000) }, 'hooks[a].condition.value'],
    [
      'a regex that is long once its repetitions are written out',
      { path: 'a', op: 'regex', value: '\\p{L}{1000}'.repeat(6) },
      'hooks[a].condition.value',
    ],
    [
      'a bad branch deep inside',
      { all: [YES, { not: { any: [{}, { op: 'eq' }] } }] },
      'hooks[a].condition.all[1].not.any[1].path',
    ],
  ])('refuses %s and says where', (_, spec, path) => {
    expect(() => compileCondition(spec, PLACE)).toThrow(
      expect.objectContaining({ code: 'invalid_config', where: { file: 'hooks.yaml', path } }),
    );
  });

  test('names the allowed operators', () => {
    expect(() => compileCondition({ path: 'a', op: 'like', value: 1 }, PLACE)).toThrow(CONDITION_OPERATORS.join(', '));
  });

  test('refuses nesting without end instead of overflowing the stack', () => {
    let spec: unknown = YES;
    for (let level = 0; level < 10_000; level++) spec = { not: spec };
    expect(() => compileCondition(spec, PLACE)).toThrow(SkeinError);
  });
});

test('a pattern that backtracking engines take years for is decided at once', () => {
  const condition = compileCondition({ path: 'text', op: 'regex', value: '^(a|aa)+$' }, PLACE);
  const given = { text: `${'a'.repeat(50_000)}b` };
  expect(condition(given)).toBe(false);
  expect(costOf(() => condition(given), 500)).toBeLessThan(500);
});

test('not negates every condition, and any and all are dual', () => {
  const leaf = fc.record({
    path: fc.constantFrom('text', 'count', 'missing', 'list.0'),
    op: fc.constantFrom('eq', 'ne', 'contains'),
    value: fc.constantFrom('deploy', 3, 'Too'),
  });
  fc.assert(
    fc.property(fc.array(leaf, { maxLength: 4 }), (leaves) => {
      const negated = leaves.map((spec) => ({ not: spec }));
      expect(matches({ not: { any: leaves } })).toBe(matches({ all: negated }));
      expect(matches({ not: { all: leaves } })).toBe(matches({ any: negated }));
    }),
  );
});

test('any input either compiles to a condition or is refused as config', () => {
  const outcome = (spec: unknown, context: unknown): string => {
    try {
      return typeof compileCondition(spec, PLACE)(context);
    } catch (error) {
      return error instanceof SkeinError ? error.code : 'crash';
    }
  };
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (spec, context) => {
      expect(['boolean', 'invalid_config']).toContain(outcome(spec, context));
    }),
  );
});

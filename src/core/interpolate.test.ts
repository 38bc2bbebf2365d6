import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { costOf } from '../../test/fixtures/cost-of.ts';
import { compileTemplate, templatePaths } from './interpolate.ts';

const CONTEXT = {
  cost: { turns: 4, spend: 0.5 },
  limit_code: 'turns_exceeded',
  error: { message: 'boom' },
  list: ['a', { b: true }],
  nothing: null,
  zero: 0,
  no: false,
};

function fill(template: unknown, context: unknown = CONTEXT): unknown {
  return compileTemplate(template)(context);
}

describe('expressions', () => {
  test.each([
    ['${limit_code}', 'turns_exceeded'],
    ['${cost}', { turns: 4, spend: 0.5 }],
    ['${cost.turns}', 4],
    ['${event.cost.turns}', 4],
    ['${ cost.turns }', 4],
    ['${list}', ['a', { b: true }]],
    ['${list.1.b}', true],
    ['${zero}', 0],
    ['${no}', false],
    ['${missing}', ''],
    ['${nothing}', ''],
    ['${error.message}!', 'boom!'],
    ['turns: ${cost.turns}', 'turns: 4'],
    ['${zero}${no}', '0false'],
    ['all ${cost}', 'all {"turns":4,"spend":0.5}'],
    ['all ${list}', 'all ["a",{"b":true}]'],
    ['[${missing}${nothing}]', '[]'],
    ['${__proto__}', ''],
    ['${constructor.name}', ''],
    ['${list.length}', ''],
    ['${error.message.length}', ''],
    ['${error.__proto__.toString}', ''],
  ])('%s becomes %j', (template, expected) => {
    expect(fill(template)).toEqual(expected);
  });

  test('an own field named event wins over the alias, which still finds the rest', () => {
    const context = { event: { name: 'inner' }, name: 'outer', other: 1 };
    expect(fill(['${event.name}', '${event.other}'], context)).toEqual(['inner', 1]);
  });
});

describe('S2 §8, interpolation', () => {
  test.each<[string, unknown, unknown]>([
    ['${path.to.value} resolution', '${cost.turns}', 4],
    ['missing paths become ""', '${path.to.nothing}', ''],
    ['nested dicts and lists', { a: [{ b: '${limit_code}' }] }, { a: [{ b: 'turns_exceeded' }] }],
    ['$$ escaping', '$${cost.turns}', '${cost.turns}'],
  ])('%s', (_row, template, expected) => {
    expect(fill(template)).toEqual(expected);
  });
});

describe('literal text', () => {
  test.each([
    ['', ''],
    ['plain', 'plain'],
    ['$', '$'],
    ['$$', '$'],
    ['$$$', '$$'],
    ['$$$$', '$$'],
    ['costs $$5', 'costs $5'],
    ['$${limit_code}', '${limit_code}'],
    ['$$${limit_code}', '$turns_exceeded'],
    ['$x ${limit_code}', '$x turns_exceeded'],
    ['${}', '${}'],
    ['${} ${zero}', '${} 0'],
    ['${limit_code', '${limit_code'],
    ['${zero} ${limit_code', '0 ${limit_code'],
    ['a } b', 'a } b'],
    ['${a${zero}}', '}'],
    ['{input:key}', '{input:key}'],
  ])('%s becomes %j', (template, expected) => {
    expect(fill(template)).toBe(expected);
  });
});

describe('structures', () => {
  test('maps and lists are filled at every depth, keys are not', () => {
    const template = { '${zero}': [{ turn: '${cost.turns}', text: 'at ${cost.turns}' }, 7, null, true] };
    expect(fill(template)).toEqual({ '${zero}': [{ turn: 4, text: 'at 4' }, 7, null, true] });
  });

  test('a value without expressions is returned as it is', () => {
    const template = { a: [1, { b: 'text', c: null }], d: Number.NaN };
    expect(fill(template)).toBe(template);
  });

  test('filling leaves the template untouched', () => {
    const template = Object.freeze({ a: Object.freeze(['${zero}']) });
    const filled = compileTemplate(template);
    expect([filled(CONTEXT), filled({ zero: 1 })]).toEqual([{ a: [0] }, { a: [1] }]);
    expect(template).toEqual({ a: ['${zero}'] });
  });

  test('a key named __proto__ stays a key', () => {
    const filled = fill(JSON.parse('{"__proto__": {"polluted": "${zero}"}}'));
    expect(Object.getPrototypeOf(filled)).toBe(Object.prototype);
    expect(JSON.stringify(filled)).toBe('{"__proto__":{"polluted":0}}');
  });

  test('nesting without end is refused', () => {
    let template: unknown = '${a}';
    for (let level = 0; level < 10_000; level++) template = [template];
    expect(() => compileTemplate(template)).toThrow(expect.objectContaining({ code: 'invalid_argument' }));
  });
});

test.each([
  ['openings', '${'.repeat(100_000)],
  ['openings and one close', `${'${'.repeat(100_000)}}`],
  ['empty expressions', '${}'.repeat(70_000)],
  ['dollars', '$'.repeat(200_000)],
  ['closes', '}'.repeat(200_000)],
  ['dots', `\${${'.'.repeat(200_000)}}`],
  ['expressions', '${a}'.repeat(50_000)],
])('200 kB of %s take less than 50 ms', (_, template) => {
  const work = (): unknown => compileTemplate(template)({ a: 'x' });
  expect(work).not.toThrow();
  expect(costOf(work, 50)).toBeLessThan(50);
});

test('escaping any text with $$ gives the text back', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('$', '{', '}', 'a', '.') }), (text) => {
      expect(fill(text.replaceAll('$', '$$$$'))).toBe(text);
    }),
  );
});

test('filling agrees with a reference made by a regular expression', () => {
  const reference = (text: string): string =>
    text.replaceAll(/\$\$|\$\{([^}]+)\}/g, (_, path: string | undefined) =>
      path === undefined ? '$' : path.trim() === 'a' ? 'X' : '',
    );
  const unit = fc.constantFrom('$', '{', '}', 'a', '${a}', '$$', ' ');
  fc.assert(
    fc.property(fc.string({ unit, maxLength: 20 }), (text) => {
      expect(fill(`-${text}`, { a: 'X' })).toBe(reference(`-${text}`));
    }),
    { numRuns: 1000 },
  );
});

describe('the paths of a template', () => {
  test.each<[unknown, readonly string[]]>([
    ['${cost}', ['cost']],
    ['a ${ cost.turns } b ${env.KEY}', ['cost.turns', 'env.KEY']],
    [{ a: ['${x}', { b: '${y.0}' }], '${key}': 1 }, ['x', 'y.0']],
    ['$${x} $ ${} ${open', []],
    [5, []],
    [null, []],
  ])('of %j are %j', (template, paths) => {
    expect(templatePaths(template)).toEqual(paths);
  });

  test('are refused for one that is nested too deeply', () => {
    let deep: unknown = '${x}';
    for (let depth = 0; depth < 65; depth++) deep = [deep];
    expect(() => templatePaths(deep)).toThrow(expect.objectContaining({ code: 'invalid_argument' }));
  });
});

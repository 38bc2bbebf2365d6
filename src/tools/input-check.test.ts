import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { threadCpuUs } from '../../bench/thread-cpu.ts';
import { SkeinError } from '../core/errors.ts';
import { coerceParams } from './coerce-params.ts';
import { compileInputCheck } from './input-check.ts';

const object = (properties: Record<string, unknown>, more: Record<string, unknown> = {}) => ({
  type: 'object',
  properties,
  ...more,
});

/** One schema, inputs that fit and inputs that do not with a piece of what is said. */
type Case = [string, Record<string, unknown>, readonly unknown[], readonly [unknown, string][]];
const CASES: readonly Case[] = [
  ['required', object({ a: {} }, { required: ['a', 'b'] }), [{ a: 1, b: 2 }], [[{ a: 1 }, 'b is required']]],
  ['required inherited names', object({}, { required: ['constructor'] }), [], [[{}, 'constructor is required']]],
  ['optional inherited names', object({ constructor: { type: 'string' } }), [{}], [[{ constructor: 1 }, 'string']]],
  ['a type', object({ a: { type: 'string' } }), [{ a: '' }, {}], [[{ a: 1 }, 'a must be string, found integer']]],
  ['several types', object({ a: { type: ['string', 'null'] } }), [{ a: null }], [[{ a: [] }, 'string or null']]],
  ['integers', object({ a: { type: 'integer' } }), [{ a: 2 }, { a: 1e20 }], [[{ a: 1.5 }, 'found number']]],
  [
    'bounds',
    object({ a: { minimum: 1, exclusiveMaximum: 3 } }),
    [{ a: 1 }],
    [
      [{ a: 3 }, 'less than 3'],
      [{ a: 0 }, 'at least 1'],
    ],
  ],
  ['multiples', object({ a: { multipleOf: 0.1 } }), [{ a: 0.3 }], [[{ a: 0.35 }, 'multiple of 0.1']]],
  ['lengths', object({ a: { minLength: 2, maxLength: 2 } }), [{ a: '😀😀' }], [[{ a: '😀' }, 'has 1']]],
  ['patterns', object({ a: { pattern: '^a.c' } }), [{ a: 'abcd' }], [[{ a: 'xabc' }, 'pattern']]],
  [
    'enums',
    object({ a: { enum: ['x', 1, null, { k: [1] }] } }),
    [{ a: null }, { a: { k: [1] } }],
    [[{ a: '1' }, 'one of']],
  ],
  [
    'constants',
    object({ a: { const: { x: 1, y: 2 } } }),
    [{ a: { y: 2, x: 1 } }],
    [[{ a: { x: 1 } }, 'must be {"x":1,"y":2}']],
  ],
  [
    'nesting',
    object({ a: { type: 'array', items: object({ q: { type: 'string' } }) } }),
    [{ a: [{ q: '' }] }],
    [[{ a: [{}, { q: 1 }] }, 'a[1].q must be string']],
  ],
  ['no more names', object({ a: {} }, { additionalProperties: false }), [{ a: 1 }], [[{ b: 1 }, 'known are a']]],
  [
    'more names of a kind',
    object({ a: {} }, { additionalProperties: { type: 'number' } }),
    [{ b: 1 }],
    [[{ b: '' }, 'number']],
  ],
  [
    'names by pattern',
    object({}, { patternProperties: { '^x': { type: 'number' } }, additionalProperties: false }),
    [{ x1: 1 }],
    [
      [{ x1: '' }, 'number'],
      [{ y: 1 }, 'not a known name'],
    ],
  ],
  [
    'tuples',
    object({ a: { prefixItems: [{ type: 'string' }], items: false } }),
    [{ a: ['x'] }, { a: [] }],
    [[{ a: ['x', 1] }, 'not allowed']],
  ],
  [
    'unique items',
    object({ a: { uniqueItems: true } }),
    [{ a: [1, '1', { a: 1 }] }],
    [
      [
        {
          a: [
            { a: 1, b: 2 },
            { b: 2, a: 1 },
          ],
        },
        'repeats item 0',
      ],
    ],
  ],
  [
    'any of',
    object({ a: { anyOf: [{ type: 'string' }, { type: 'integer' }] } }),
    [{ a: 1 }, { a: '' }],
    [[{ a: true }, 'none of the allowed forms']],
  ],
  [
    'one of',
    object({}, { oneOf: [{ required: ['a'] }, { required: ['b'] }] }),
    [{ a: 1 }],
    [
      [{ a: 1, b: 1 }, 'fits 2'],
      [{}, 'fits 0'],
    ],
  ],
  ['not', object({ a: { not: { type: 'string' } } }), [{ a: 1 }], [[{ a: '' }, 'excluded']]],
  [
    'conditions',
    // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
    object({}, { if: { required: ['a'] }, then: { required: ['b'] } }),
    [{}, { a: 1, b: 1 }],
    [[{ a: 1 }, 'b is required']],
  ],
  [
    'dependencies',
    object({}, { dependentRequired: { a: ['b'] } }),
    [{ b: 1 }],
    [[{ a: 1 }, 'b is required when a is given']],
  ],
  [
    'references',
    { $defs: { x: { type: 'string' } }, ...object({ a: { $ref: '#/$defs/x' } }) },
    [{ a: '' }],
    [[{ a: 1 }, 'string']],
  ],
  [
    'recursion',
    { $ref: '#/$defs/n', $defs: { n: object({ next: { $ref: '#/$defs/n' }, v: { type: 'number' } }) } },
    [{ next: { next: {} } }],
    [[{ next: { next: { v: '' } } }, 'next.next.v must be number']],
  ],
  ...['Array%3CFoo%3E', 'Array<Foo>', 'a%2520b', '100%', 'a~1b', 'a%7E1b', '50%25'].map((name): Case => {
    const names = ['Array<Foo>', 'a%20b', '100%', 'a/b', '50%25', '50%'];
    const number = { type: 'number' };
    const $defs = { ...Object.fromEntries(names.map((each) => [each, { type: 'string' }])), '50%': number };
    const schema = { $defs, ...object({ a: { $ref: `#/$defs/${name}` } }) };
    return [`references as ${name}`, schema, [{ a: '' }], [[{ a: 1 }, 'string']]];
  }),
  ['references to itself', { $ref: '#' }, [], [[{}, 'too much work']]],
  [
    'an empty schema',
    {},
    [{}, { a: 1 }],
    [
      [[], 'must be an object'],
      [null, 'must be an object'],
      ['{}', 'must be an object'],
    ],
  ],
];

describe('an input check', () => {
  test.each(CASES)('knows %s', (_name, schema, fitting, unfitting) => {
    const check = compileInputCheck(schema);
    for (const input of fitting) expect(check(input)).toEqual({ ok: true, value: input });
    for (const [input, words] of unfitting) {
      const checked = check(input);
      expect(checked.ok ? 'fits' : checked.failure.code).toBe('tool_input_invalid');
      expect(checked.ok ? '' : checked.failure.message).toContain(words);
    }
  });

  test.each([
    [{ type: 'str' }, '#/type'],
    [object({ a: { type: 'string', required: true } }), '#/properties/a/required'],
    [object({ a: 1 }), '#/properties/a'],
    [{ pattern: '(?=a)' }, '#/pattern'],
    [{ pattern: '(' }, '#/pattern'],
    [{ pattern: '\\p{L}{1000}'.repeat(6) }, '#/pattern'],
    [{ patternProperties: { '(?:(?:ab){100}){10}(?:(?:cd){10}){100}[^e]{1000}': {} } }, '#/patternProperties'],
    [{ $ref: 'http://x/y' }, '#/$ref'],
    [{ $ref: '#/$defs/gone' }, '#/$ref'],
    [{ $ref: '#/$defs/100%' }, '#/$ref'],
    [object({ a: { $ref: '#/constructor' } }), '#/properties/a/$ref'],
    [{ unevaluatedProperties: false }, '#/unevaluatedProperties'],
    [{ anyOf: [] }, '#/anyOf'],
    // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
    [{ if: {}, then: 3 }, '#/then'],
    ['no schema', '#'],
  ])('refuses the schema %j, pointing at it', (schema, path) => {
    expect(() => compileInputCheck(schema)).toThrow(
      expect.toSatisfy(
        (error) => error instanceof SkeinError && error.code === 'invalid_item' && error.where?.path === path,
      ),
    );
  });

  test('fills in defaults where something is missing, at any depth, as copies', () => {
    const inner = { type: 'object', properties: { n: { default: 1 }, o: { default: { deep: [] } } } };
    const schema = object({ a: inner, list: { type: 'array', items: inner }, s: { type: 'string', default: 'x' } });
    const checked = compileInputCheck(schema)({ a: {}, list: [{ n: 2 }] });
    const filled = { n: 1, o: { deep: [] } };
    expect(checked).toEqual({ ok: true, value: { a: filled, list: [{ ...filled, n: 2 }], s: 'x' } });
    const value = checked.ok ? checked.value : {};
    expect((value['a'] as { o: unknown }).o).not.toBe(inner.properties.o.default);
  });

  test('fills in defaults below references, also those that lead back to themselves', () => {
    const node = { type: 'object', properties: { size: { default: 1 }, next: { $ref: '#/$defs/node' } } };
    const schema = { ...object({ list: { $ref: '#/$defs/node' } }), $defs: { node } };
    const checked = compileInputCheck(schema)({ list: { next: { next: { size: 3 } } } });
    expect(checked).toEqual({ ok: true, value: { list: { size: 1, next: { size: 1, next: { size: 3 } } } } });
  });

  test('gives a copy also where nothing is filled in: a tool may change it', () => {
    const input = { a: 1 };
    const checked = compileInputCheck(object({ a: { type: 'number' } }))(input);
    expect(checked).toEqual({ ok: true, value: input });
    expect(checked.ok && checked.value).not.toBe(input);
  });

  test.each([
    ['nothing to fill in', object({})],
    ['something to fill in beside it', object({ s: { default: 1 } })],
    ['something to fill in next to it', object({ o: object({ s: { default: 1 } }) })],
    ['a reference', { $ref: '#/$defs/x', $defs: { x: object({}) } }],
  ])('gives copies of lists and objects at any depth: with %s', (_name, schema) => {
    const input = { list: [[3], [1]], o: { deep: { list: [0] } } };
    const before = structuredClone(input);
    const checked = compileInputCheck(schema)(input);
    const value = (checked.ok ? checked.value : {}) as typeof input;
    expect(value).toMatchObject(input);
    value.list.reverse();
    value.list[1]?.push(4);
    value.o.deep.list.push(1);
    expect(input).toEqual(before);
  });

  test('copies nothing but lists and plain objects', () => {
    const given = { when: new Date(0), bytes: new Uint8Array(2), bare: Object.assign(Object.create(null), { a: [1] }) };
    const checked = compileInputCheck(object({}))(given);
    const { when, bytes, bare } = (checked.ok ? checked.value : {}) as typeof given;
    expect([when, bytes]).toEqual([given.when, given.bytes]);
    expect([when === given.when, bytes === given.bytes, bare === given.bare]).toEqual([true, true, false]);
  });

  test('stops filling in where references multiply', () => {
    const again = { $ref: '#' };
    const schema = { properties: { n: { default: 1 } }, allOf: [again, again], $defs: {} };
    expect(compileInputCheck(schema)({})).toMatchObject({ ok: false, failure: { code: 'tool_input_invalid' } });
  });

  test('leaves the input as it was', () => {
    const input = Object.freeze({ a: Object.freeze({}) });
    expect(compileInputCheck(object({ a: object({ b: { default: 1 } }) }))(input).ok).toBe(true);
    expect(input).toEqual({ a: {} });
  });

  test.each([
    ['the input', {}, '{"_thread_context": {}}'],
    ['a list deep in the input', {}, '{"a": {"b": [{"_thread_context": 1}]}}'],
    ['a default of the schema', { a: { default: { _thread_context: 1 } } }, '{}'],
    ['the input, where the schema asks for it', { _thread_context: { type: 'object' } }, '{"_thread_context": {}}'],
    ['the input, as a prototype', {}, '{"__proto__": {"polluted": 1}}'],
  ])('refuses a name that is the runtime’s: in %s', (_, properties, input) => {
    expect(compileInputCheck(object(properties))(JSON.parse(input))).toMatchObject({
      ok: false,
      failure: { code: 'permission_denied', message: expect.stringMatching(/"[\w.]*(_thread_context|__proto__)"/) },
    });
  });

  test('refuses nesting without end', () => {
    const deep = JSON.parse(`${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}`);
    const checked = compileInputCheck({
      $ref: '#/$defs/n',
      $defs: { n: { properties: { a: { $ref: '#/$defs/n' } } } },
    })(deep);
    expect(checked.ok ? '' : checked.failure.message).toContain('nested deeper');
  });

  test('stops at a schema whose alternatives multiply', () => {
    const twice = {
      anyOf: [
        { properties: { a: { $ref: '#/$defs/n' } }, required: ['z'] },
        { properties: { a: { $ref: '#/$defs/n' } }, required: ['y'] },
      ],
    };
    const deep = JSON.parse(`${'{"a":'.repeat(40)}1${'}'.repeat(40)}`);
    const checked = compileInputCheck({ $ref: '#/$defs/n', $defs: { n: twice } })(deep);
    expect(checked.ok).toBe(false);
  });

  const MANY = Array.from({ length: 20_000 }, (_, n) => `name${n}`);
  test.each([
    ['lacks', { required: MANY }, Array.from({ length: 1_000 }, () => ({}))],
    ['lacks beside another', { dependentRequired: { a: MANY } }, Array.from({ length: 1_000 }, () => ({ a: 1 }))],
    [
      'has',
      { properties: Object.fromEntries(MANY.map((name) => [name, {}])), additionalProperties: false },
      [Object.fromEntries(MANY.map((name) => [`x${name}`, 1]))],
    ],
  ])('is not slowed down by an input that %s names without end', (_name, items, x) => {
    const check = compileInputCheck(object({ x: { type: 'array', items } }));
    const startedAt = threadCpuUs();
    expect(check({ x }).ok).toBe(false);
    expect(threadCpuUs() - startedAt).toBeLessThan(4_000_000);
  });

  test('is not slowed down by a hostile pattern', () => {
    const check = compileInputCheck(object({ a: { pattern: '^(a+)+$' } }));
    expect(check({ a: `${'a'.repeat(50_000)}!` }).ok).toBe(false);
  });

  test.each([
    ['patterns', 65, 'a'],
    ['characters', 3, 'a'.repeat(3_000)],
  ])('takes no schema whose patterns have too many %s in all', (_name, count, start) => {
    const anyOf = Array.from({ length: count }, (_, n) => ({ pattern: start + n }));
    expect(() => compileInputCheck(object({ a: { anyOf } }))).toThrow('more than 64 patterns, or 8192 characters');
    expect(compileInputCheck(object({ a: { anyOf: anyOf.slice(1) } }))({ a: `${start}1` }).ok).toBe(true);
  });

  test('compiles a pattern once that stands in many places', () => {
    const many = Array.from({ length: 100 }, (_, n) => [
      `a${n}`,
      { pattern: '^a+$', patternProperties: { '^a+$': {} } },
    ]);
    expect(compileInputCheck(object(Object.fromEntries(many)))({ a1: 'aa' }).ok).toBe(true);
  });

  const SLOW = '(?:\\p{L}{1000}){1}[0-9]';
  const NAMES = Object.fromEntries(
    Array.from({ length: 20 }, (_, n) => [`p${n}`, { pattern: SLOW.replace('9', `${n % 10}`) }]),
  );
  test.each([
    ['values', object({ a: { pattern: SLOW } }), { a: 'é'.repeat(200_000) }],
    ['many values', object(NAMES), Object.fromEntries(Object.keys(NAMES).map((name) => [name, 'é'.repeat(20_000)]))],
    ['names', object({}, { patternProperties: { [SLOW]: {} } }), { ['é'.repeat(200_000)]: 1 }],
    [
      'other names',
      object({}, { patternProperties: { [SLOW]: {} }, additionalProperties: {} }),
      { ['é'.repeat(200_000)]: 1 },
    ],
  ])('refuses %s for which a pattern takes too long', (_name, schema, input) => {
    const check = compileInputCheck(schema);
    const startedAt = threadCpuUs();
    expect(check(input)).toMatchObject({ ok: false, failure: { message: expect.stringContaining('too much work') } });
    expect(threadCpuUs() - startedAt).toBeLessThan(10_000_000);
  });

  test('takes long texts where a pattern is simple', () => {
    const check = compileInputCheck(object({ a: { pattern: '^[\\s\\S]*\\S[\\s\\S]*$' } }));
    expect(check({ a: 'a line\n'.repeat(50_000) }).ok).toBe(true);
  });
});

const SCHEMA = object({
  s: { type: 'string' },
  b: { type: 'boolean' },
  i: { type: 'integer' },
  n: { type: 'number' },
  o: { type: 'object' },
  l: { type: 'array' },
  z: { type: ['integer', 'null'] },
  m: { type: ['string', 'integer'] },
  e: { enum: [1, 'two'] },
  r: { $ref: '#/$defs/flag' },
  f: { anyOf: [{ type: 'boolean' }, { type: 'array' }] },
  any: {},
});
const WITH_DEFS = { ...SCHEMA, $defs: { flag: { type: 'boolean' } } };

describe('the text of a param', () => {
  test.each([
    ['s', '5', '5'],
    ['s', ' x ', ' x '],
    ['b', 'true', true],
    ['b', ' False ', false],
    ['i', '-7', -7],
    ['i', '1e3', 1000],
    ['n', ' 1.50 ', 1.5],
    ['o', '{"a": 1}', { a: 1 }],
    ['l', '[1]', [1]],
    ['z', 'null', null],
    ['m', '5', 5],
    ['m', 'five', 'five'],
    ['e', '1', 1],
    ['e', 'two', 'two'],
    ['r', 'true', true],
    ['f', '[]', []],
    ['o', '{"id": 1234567890123456789}', { id: '1234567890123456789' }],
    ['any', '5', '5'],
    ['undeclared', '5', '5'],
    ['constructor', 'true', 'true'],
  ])('for %s is read from %j as %j', (name, text, value) => {
    expect(coerceParams(WITH_DEFS, { [name]: text })).toEqual({ ok: true, value: { [name]: value } });
  });

  test.each([
    ['b', 'yes'],
    ['b', '1'],
    ['i', '1.5'],
    ['i', '0x10'],
    ['i', ''],
    ['i', '9007199254740993'],
    ['n', '9007199254740993'],
    ['n', '0x10'],
    ['n', ''],
    ['n', 'Infinity'],
    ['n', '1e999'],
    ['n', '1_000'],
    ['o', '[1]'],
    ['o', 'null'],
    ['o', '{a: 1}'],
    ['l', '{}'],
  ])('for %s does not fit when it is %j', (name, text) => {
    const coerced = coerceParams(WITH_DEFS, { [name]: text });
    expect(coerced.ok ? undefined : coerced.failure).toMatchObject({
      code: 'tool_input_invalid',
      detail: { issues: [{ path: name }] },
    });
  });

  test.each([10, 100])('is read by a schema that leads back to itself in %d ways', (ways) => {
    const again = Array.from({ length: ways }, () => ({ $ref: '#/$defs/a' }));
    const schema = {
      ...object({ x: { $ref: '#/$defs/a' } }),
      $defs: { a: { anyOf: [...again, { type: 'integer' }] } },
    };
    const startedAt = threadCpuUs();
    expect(coerceParams(schema, { x: '5' })).toEqual({ ok: true, value: { x: 5 } });
    expect(threadCpuUs() - startedAt).toBeLessThan(500_000);
  });

  test('is left alone when it is not text any more', () => {
    const params = { b: true, i: 'x'.length, o: { a: 1 } };
    expect(coerceParams(WITH_DEFS, params)).toEqual({ ok: true, value: params });
  });

  test('brings every JSON value back that is written as JSON', () => {
    const typed = fc.oneof(
      fc.tuple(fc.constant('o'), fc.dictionary(fc.string(), fc.jsonValue())),
      fc.tuple(fc.constant('l'), fc.array(fc.jsonValue())),
      fc.tuple(fc.constant('b'), fc.boolean()),
      fc.tuple(fc.constant('i'), fc.maxSafeInteger()),
      fc.tuple(
        fc.constant('n'),
        fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => number + 0),
      ),
    );
    fc.assert(
      fc.property(typed, ([name, value]) => {
        const text = JSON.stringify(value);
        expect(coerceParams(WITH_DEFS, { [name]: text })).toEqual({ ok: true, value: { [name]: JSON.parse(text) } });
      }),
    );
  });
});

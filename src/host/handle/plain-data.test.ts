import vm from 'node:vm';
import { describe, expect, test } from 'vitest';
import { plainCopyOf } from './plain-data.ts';

describe('Inputs', () => {
  test('are copied: what becomes of the caller’s objects is not theirs', () => {
    const given = { basket: 'tea', more: [{ item: 'milk' }] };
    const copy = plainCopyOf(given, 'inputs');
    given.basket = 'bread';
    given.more[0] = { item: 'salt' };
    expect(copy).toEqual({ basket: 'tea', more: [{ item: 'milk' }] });
  });

  test.each<[string, unknown, unknown]>([
    ['without what is undefined', { a: undefined, b: null }, { b: null }],
    ['with null for holes', { a: [1, , undefined] }, { a: [1, null, null] }], // oxlint-disable-line no-sparse-arrays
    ['of another realm', { a: vm.runInNewContext('({ x: [1] })') }, { a: { x: [1] } }],
    ['without a prototype', Object.assign(Object.create(null), { a: 1 }), { a: 1 }],
    ['with names that objects inherit', JSON.parse('{"__proto__":{"a":1},"constructor":1}'), undefined],
  ])('%s are as JSON has them', (_, given, expected) => {
    expect(JSON.stringify(plainCopyOf(given, 'inputs'))).toBe(JSON.stringify(expected ?? given));
  });

  const circle: Record<string, unknown> = {};
  circle['self'] = circle;
  const unreadable = {
    get day(): never {
      throw new TypeError('not before Monday');
    },
  };

  test.each<[string, unknown, string]>([
    ['a function', { a: { b: () => 1 } }, 'inputs.a.b is a function'],
    ['a bigint', { a: [1n] }, 'inputs.a[0] is a bigint'],
    ['what is no number', { a: Number.NaN }, 'inputs.a is NaN'],
    ['an object of a class', { a: new Date(0) }, 'inputs.a is a Date'],
    ['an object with a prototype of its own', { a: Object.create({}) }, 'inputs.a is no plain object'],
    ['an object whose class is none', { a: Object.create(Object.create(null)) }, 'inputs.a is no plain object'],
    ['an object whose class has no name', { a: Object.create({ constructor: undefined }) }, 'is no plain object'],
    ['a circle', circle, 'nested too deep, or a circle'],
    ['what can not be read', { a: [unreadable] }, "inputs can't be read: not before Monday"],
  ])('that hold %s are refused, and it is said where', (_, given, message) => {
    expect(() => plainCopyOf(given, 'inputs')).toThrow(
      expect.objectContaining({ code: 'invalid_input', message: expect.stringContaining(message) }),
    );
  });
});

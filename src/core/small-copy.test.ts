import { describe, expect, test } from 'vitest';
import { MAX_NEWS_BYTES } from './inspection.ts';
import { smallCopy } from './small-copy.ts';
import { createRedactor } from './redactor.ts';

const SECRET = 'hunter2-hunter2';
const redactor = createRedactor([SECRET]);
const clean = (text: string): string => redactor.text(text);

describe('A small copy', () => {
  test.each<[string, unknown, unknown]>([
    ['plain data', { a: [1, 'two', null, true], b: undefined }, { a: [1, 'two', null, true] }],
    ['functions', { done: function done() {} }, { done: '[function done]' }],
    ['numbers without an end, and symbols', [10n, Symbol('mark')], ['10', 'Symbol(mark)']],
    ['maps and sets', [new Map([[1, 2]]), new Set()], ['[Map of 1]', '[Set of 0]']],
    ['errors', new RangeError('too far'), { message: 'too far' }],
    ['a text that is too long', 'x'.repeat(3_000), `${'x'.repeat(2_000)}…`],
    ['secrets, as values and as names', { [SECRET]: [`so: ${SECRET}`] }, { '[redacted]': ['so: [redacted]'] }],
    ['what is too deep', [[[[[['deep']]]]]], [[[[['[1 values]']]]]]],
  ])('holds %s', (_, value, expected) => {
    expect(JSON.parse(JSON.stringify(smallCopy(value, clean)))).toEqual(expected);
  });

  test('cuts circles', () => {
    const circle: { self?: unknown } = {};
    circle.self = circle;
    expect(JSON.stringify(smallCopy(circle, clean))).toBe('{"self":{"self":{"self":{"self":{"self":"[object]"}}}}}');
  });

  test('has no half of a secret where a text is cut', () => {
    const text = `${'x'.repeat(1_995)}${SECRET}`;
    expect(smallCopy(text, clean)).toBe(`${'x'.repeat(1_995)}[reda…`);
  });

  test('stays small, whatever it is of', () => {
    const wide = Array.from({ length: 1_000 }, () => Array.from({ length: 1_000 }, () => ({ a: 1 })));
    expect(JSON.stringify(smallCopy(wide, clean)).length).toBeLessThan(10_000);
  });

  test.each([
    ['long texts', (n: number) => [`${n}`, 'x'.repeat(2_000)]],
    ['texts that JSON has six bytes a character for', (n: number) => [`${n}`, '\u0001'.repeat(2_000)]],
    ['long names', (n: number) => [`${n}${'\u0001'.repeat(2_000)}`, 1]],
    ['numbers', (n: number) => [`${n}`, -Number.MAX_VALUE / 3]],
    ['lists', (n: number) => [`${n}`, ['']]],
    ['functions', (n: number) => [`${n}`, () => undefined]],
  ] as const)('of a thousand fields fits into news, twice: %s', (_, field) => {
    const wide = Object.fromEntries(Array.from({ length: 1_000 }, (_each, n) => field(n)));
    expect(Buffer.byteLength(JSON.stringify(smallCopy(wide, clean)))).toBeLessThan(MAX_NEWS_BYTES / 2 - 5_000);
  });
});

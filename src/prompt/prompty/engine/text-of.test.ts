import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compileTemplate } from './template.ts';

describe.each(['jinja2', 'mustache'] as const)('A number in %s', (format) => {
  const template = compileTemplate('{{a}}', format);
  const textOf = (a: number): string => template.render({ a }).text;

  test.each([
    0, -0, 1, 0.5, 9.5, 28.25, 0.01, 0.07, 0.1, 1.005, 19.99, 100.1, 9_999_999.99, 10_000_000.01, 0.29, 1e21, 1e-7,
  ])('is written as JavaScript does: %d', (a) => {
    expect([textOf(a), textOf(-a)]).toEqual([String(a), String(-a)]);
  });

  test('is so whatever it is', () => {
    const decimal = fc.tuple(fc.integer(), fc.constantFrom(1, 10, 100, 1000)).map(([whole, by]) => whole / by);
    fc.assert(
      fc.property(fc.oneof(fc.double(), decimal), (a) => {
        expect(textOf(a)).toBe(String(a));
      }),
      { numRuns: 5000 },
    );
  });
});

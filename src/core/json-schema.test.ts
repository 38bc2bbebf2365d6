import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import * as mini from 'zod/mini';
import { jsonSchemaOf, outputSchemaOf } from './json-schema.ts';
import { compileSchema } from './json-schema/compile-schema.ts';

test.each<[string, z.ZodType]>([
  ['a date', z.coerce.date()],
  ['a big integer', z.coerce.bigint()],
  ['what is made a date first', z.preprocess((given) => given, z.date())],
  ['a check of its own', z.custom((given) => typeof given === 'string')],
  ['a map', z.map(z.string(), z.number())],
])('What JSON Schema has no word for may be anything: %s', (_name, when) => {
  expect(jsonSchemaOf(z.object({ when }), 'output')).toMatchObject({ properties: { when: {} }, required: ['when'] });
});

test('What goes in is asked for, not what comes out', () => {
  const schema = z.object({ at: z.codec(z.iso.datetime(), z.date(), { decode: () => new Date(0), encode: String }) });
  expect(jsonSchemaOf(schema, 'output')).toMatchObject({ properties: { at: { type: 'string', format: 'date-time' } } });
});

test('Two schemas with one id are refused', () => {
  const schema = z.object({ a: z.string().meta({ id: 'One' }), b: z.number().meta({ id: 'One' }) });
  expect(() => jsonSchemaOf(schema, 'output')).toThrow(
    expect.objectContaining({ code: 'invalid_argument', message: expect.stringContaining('The schema of output') }),
  );
});

describe('The schema of outputs', () => {
  const many = (length: number): z.ZodType =>
    z.tuple([z.string(), ...Array.from({ length }, (_, at) => text(`^x|${at}`))]);
  const text = (source: string, flags = ''): z.ZodString => z.string().regex(new RegExp(source, flags));

  test.each<[string, z.core.$ZodType, unknown]>([
    ['without regard to case', text('^X$', 'i'), 'x'],
    ['without regard to case, and others', text('^X', 'i').regex(/x$/).describe('an x').optional(), 'x'],
    ['without regard to case, of a schema of zod/mini', mini.string().check(mini.regex(/^X$/i)), 'x'],
    ['over several lines', text('^b$', 'm'), 'a\nb'],
    ['of names without regard to case', z.record(text('^X$', 'i'), z.number()), { x: 1 }],
    ['of a text that is trimmed before', z.string().trim().regex(/^x$/), ' x '],
    ['of a text in lower case', z.string().toLowerCase().regex(/^x$/).meta({ title: 'x' }), 'X'],
    ['with look-around', text('^(?=x)x$'), 'x'],
    ['with look-around, and others', text('^(?=x)x$').regex(/x/), 'x'],
    ['with look-around, of names', z.looseRecord(text('^(?=x)x$'), z.number()), { x: 1 }],
    ['of durations', z.iso.duration(), 'P1D'],
    ['of host names', z.hostname(), 'example.org'],
    ['of emoji', z.emoji(), '🧶'],
    ['that are too many', many(70), Array.from({ length: 71 }, () => 'x')],
  ])('has no patterns that would refuse what the schema takes: those %s', (_name, schema, value) => {
    const told = outputSchemaOf(z.object({ value: schema }));
    expect([z.safeParse(schema, value).success, compileSchema(told)({ value })]).toEqual([true, []]);
  });

  test.each<[string, z.core.$ZodType, unknown]>([
    ['a pattern', text('^x$', 'u'), 'y'],
    ['of two patterns that which can be checked', text('^(?=x)x$').regex(/x/), 'y'],
    ['the pattern of a format', z.iso.date(), 'today'],
  ])('keeps %s', (_name, schema, value) => {
    expect(compileSchema(outputSchemaOf(z.object({ value: schema })))({ value })).toHaveLength(1);
  });

  test('is made once: a thousand threads may have the same one', () => {
    const schema = z.object({ a: z.string() });
    expect(outputSchemaOf(schema)).toBe(outputSchemaOf(schema));
  });
});

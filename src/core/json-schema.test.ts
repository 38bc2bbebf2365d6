import { expect, test } from 'vitest';
import { z } from 'zod';
import { jsonSchemaOf } from './json-schema.ts';

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

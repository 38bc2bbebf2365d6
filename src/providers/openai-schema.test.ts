import { expect, test } from 'vitest';
import { openaiSchema } from './openai-schema.ts';

type Schema = Readonly<Record<string, unknown>>;

const inside = (part: Schema) => ({ type: 'object', properties: { a: part } });

test.each<[string, Schema, Schema]>([
  ['an object', { type: 'object' }, { type: 'object', properties: {} }],
  ['a list', { type: 'array' }, { type: 'array', items: {} }],
  ['one of several types', { type: ['array', 'null'] }, { type: ['array', 'null'], items: {} }],
  [
    'a property',
    { type: 'object', properties: { a: { type: 'array' } } },
    { type: 'object', properties: { a: { type: 'array', items: {} } } },
  ],
  [
    'a list in a list',
    { type: 'array', items: { type: 'array' } },
    { type: 'array', items: { type: 'array', items: {} } },
  ],
  ['a choice', { anyOf: [{ type: 'object' }, true] }, { anyOf: [{ type: 'object', properties: {} }, true] }],
  [
    'what is referred to',
    { $defs: { d: { type: 'array' } }, $ref: '#/$defs/d' },
    { $defs: { d: { type: 'array', items: {} } }, $ref: '#/$defs/d' },
  ],
  [
    'what is in further properties',
    { type: 'object', additionalProperties: { type: 'array' } },
    { type: 'object', additionalProperties: { type: 'array', items: {} }, properties: {} },
  ],
  [
    'a tuple',
    { type: 'array', items: [{ type: 'array' }] },
    { type: 'array', prefixItems: [{ type: 'array', items: {} }], items: {} },
  ],
])('%s gets what OpenAI asks for', (_title, part, expected) => {
  expect(openaiSchema(inside(part))).toEqual(inside(expected));
});

test('a schema that says nothing is that of an object', () => {
  expect(openaiSchema({})).toEqual({ type: 'object', properties: {} });
});

test.each<Schema>([
  { enum: [{ type: 'array' }], const: { type: 'array' }, default: { type: 'object' }, examples: [{ type: 'array' }] },
  // Properties that are called as keywords are.
  { type: 'object', properties: { type: { type: 'string' }, default: { type: 'string' }, items: { type: 'string' } } },
  { type: 'array', items: false },
  { type: 'object', properties: { any: true } },
  { 'x-origin': { type: 'array' } },
])('%j stays as it is', (part) => {
  expect(openaiSchema(inside(part))).toEqual(inside(part));
});

test('a property called as a value is a schema all the same', () => {
  const schema = { type: 'object', properties: { default: { type: 'array' } } };
  expect(openaiSchema(schema)).toMatchObject({ properties: { default: { items: {} } } });
});

test('a schema is not changed, and read once', () => {
  const schema = { type: 'object' };
  expect(openaiSchema(schema)).toBe(openaiSchema(schema));
  expect(schema).toEqual({ type: 'object' });
});

import { expect, test } from 'vitest';
import { offeredTool } from './offered-tool.ts';

type Schema = Readonly<Record<string, unknown>>;

test.each<Schema>([
  {},
  { type: 'object' },
  { type: ['object', 'null'] },
  { type: 'object', properties: { oneOf: { oneOf: [{ type: 'string' }] }, type: { type: 'array' } } },
  { $defs: { a: { enum: [1] } }, required: ['a'] },
  { properties: { 'A.b-c_1': {}, ['x'.repeat(64)]: {}, a: { properties: { 'größe in m': {} } } } },
])('%j is shown as it is', (inputSchema) => {
  expect(offeredTool({ description: 'Does it', inputSchema })).toEqual({ description: 'Does it', inputSchema });
});

test.each<Schema>([
  { oneOf: [{ type: 'object' }] },
  { type: 'object', anyOf: [{ required: ['a'] }] },
  { type: 'object', allOf: [] },
  { type: 'object', not: { required: ['a'] } },
  { enum: [{}] },
  { const: {} },
  { type: 'object', if: { required: ['a'] } },
  { $ref: '#/$defs/a', $defs: { a: { type: 'object' } } },
  { type: 'array', items: {} },
  { type: ['string', 'null'] },
  { type: 'object', properties: { größe: { type: 'number' } } },
  { properties: { 'a b': {} } },
  { properties: { ['x'.repeat(65)]: {} } },
  { properties: { '': {} } },
])('%j is told in words', (inputSchema) => {
  expect(offeredTool({ description: 'Does it', inputSchema })).toEqual({
    description: `Does it\nIts parameters, as JSON Schema: ${JSON.stringify(inputSchema)}`,
    inputSchema: { type: 'object' },
  });
});

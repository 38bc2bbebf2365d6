import { expect, test } from 'vitest';
import { REQUEST } from '../../test/conformance/sample-request.ts';
import type { ModelRequest } from '../core/provider.ts';
import { anthropicRequest } from './anthropic-request.ts';
import { currentSchema } from './current-schema.ts';
import { geminiRequest } from './gemini-request.ts';
import { openaiRequest } from './openai-request.ts';
import { openaiResponsesRequest } from './openai-responses-request.ts';

type Schema = Readonly<Record<string, unknown>>;

const NUMBER = { type: 'number' };
const inside = (part: unknown) => ({ type: 'object', properties: { a: part } });

test.each<[string, Schema, Schema]>([
  ['a tuple', { type: 'array', items: [NUMBER, true] }, { type: 'array', prefixItems: [NUMBER, true] }],
  ['what may follow', { items: [NUMBER], additionalItems: false }, { prefixItems: [NUMBER], items: false }],
  ['a tuple of nothing', { items: [], additionalItems: false, maxItems: 0 }, { items: false, maxItems: 0 }],
  [
    'a tuple in a tuple',
    { items: [{ items: [NUMBER] }], additionalItems: { items: [NUMBER] } },
    { prefixItems: [{ prefixItems: [NUMBER] }], items: { prefixItems: [NUMBER] } },
  ],
  ['a tuple of nothing in the words of today', { prefixItems: [], items: false }, { items: false }],
  ['a choice', { anyOf: [{ items: [NUMBER] }, NUMBER] }, { anyOf: [{ prefixItems: [NUMBER] }, NUMBER] }],
  [
    'what nothing refers to',
    { $defs: { d: { items: [NUMBER] } }, definitions: { d: { items: [NUMBER] } } },
    { $defs: { d: { prefixItems: [NUMBER] } }, definitions: { d: { prefixItems: [NUMBER] } } },
  ],
  [
    'what refers to a place of it',
    { items: [NUMBER, { $ref: '#/properties/a/items/0' }, { $ref: '#/properties/a/items/0/items' }] },
    { prefixItems: [NUMBER, { $ref: '#/properties/a/prefixItems/0' }, { $ref: '#/properties/a/prefixItems/0/items' }] },
  ],
])('%s is said in the words of 2020-12', (_title, part, expected) => {
  expect(currentSchema(inside(part))).toEqual(inside(expected));
});

test.each<Schema>([
  { type: 'array', items: NUMBER },
  { type: 'array', prefixItems: [NUMBER], items: false },
  { enum: [{ items: [1] }], const: { items: [1] }, default: { items: [1] }, examples: [{ items: [1] }] },
  // A property that is called as the keyword is.
  { properties: { items: NUMBER, $ref: NUMBER }, required: ['items'] },
  { $ref: '#/properties/items' },
  { items: { $ref: '#/$defs/items' } },
])('%j stays as it is', (part) => {
  expect(currentSchema(inside(part))).toEqual(inside(part));
});

test.each<[Schema, Schema]>([
  [{}, { type: 'object' }],
  [{ type: ['object', 'null'] }, { type: 'object' }],
  [{ properties: { a: NUMBER } }, { type: 'object', properties: { a: NUMBER } }],
  [{ $schema: 'http://json-schema.org/draft-07/schema#', type: 'object' }, { type: 'object' }],
])('%j says that it is of an object, and of no draft', (schema, expected) => {
  expect(currentSchema(schema)).toEqual(expected);
});

test('a schema is not changed, and read once', () => {
  const schema = inside({ items: [NUMBER] });
  expect(currentSchema(schema)).toBe(currentSchema(schema));
  expect(schema).toEqual(inside({ items: [NUMBER] }));
});

test.each<[string, (request: ModelRequest, carryName: string) => object]>([
  ['Anthropic', anthropicRequest],
  ['Chat Completions', (request) => openaiRequest(request, 'openai')],
  ['Responses', (request, carryName) => openaiResponsesRequest(request, carryName, true)],
  ['Gemini', geminiRequest],
])('%s is sent it so', (_title, toRequest) => {
  const tools = [{ name: 't', description: '', inputSchema: { properties: { a: { items: [NUMBER] } } } }];
  const sent = JSON.stringify(toRequest({ ...REQUEST, tools }, 'mine'));
  expect(sent).toContain('{"a":{"prefixItems":[{"type":"number"}]}},"type":"object"}');
});

import { describe, expect, test } from 'vitest';
import { checkParams, fitParams } from './tool-params.ts';

const ID = '12345678901234567890';
/** Takes one text, else a number. */
const WORD = { anyOf: [{ type: 'string', enum: ['one'] }, { type: 'integer' }] };
/** More of them than a failure names. */
const MANY = (value: unknown): Record<string, unknown> =>
  Object.fromEntries(Array.from({ length: 10 }, (_, at) => [`word${at}`, value]));

const inputSchema = {
  type: 'object',
  properties: {
    id: { type: ['string', 'number'] },
    maybe: { type: ['string', 'null'] },
    any: { anyOf: [{ type: 'string' }, { type: 'object' }] },
    word: WORD,
    count: { type: 'integer', default: 1 },
    flag: { type: 'boolean' },
    list: { type: 'array' },
    ...MANY(WORD),
  },
};
const tool = { inputSchema };

describe('Params that are JSON', () => {
  test.each([
    [
      'texts that the schema takes',
      { id: ID, maybe: 'null', any: '{"a":1}' },
      { id: ID, maybe: 'null', any: '{"a":1}' },
    ],
    ['what is no text', { id: 5, maybe: null, any: { a: 1 } }, { id: 5, maybe: null, any: { a: 1 } }],
    ['texts beside one that means something else', { id: '7', count: '2' }, { id: '7', count: 2 }],
  ])('keep %s', (_name, params, kept) => {
    expect(fitParams(tool, params)).toEqual({ ok: true, value: kept });
    expect(checkParams(tool, params)).toEqual({ ok: true, value: { count: 1, ...kept } });
  });

  test.each([
    [
      { count: '2', flag: 'True', list: '[1]' },
      { count: 2, flag: true, list: [1] },
    ],
    [{ word: '5' }, { word: 5 }],
    [{ word: 'one' }, { word: 'one' }],
    [
      { id: '7', maybe: 'null', word: '5' },
      { id: '7', maybe: 'null', word: 5 },
    ],
    [
      { id: '7', ...MANY('5') },
      { id: '7', ...MANY(5) },
    ],
  ])('are read where the schema takes no such text: %j', (params, read) => {
    expect(fitParams(tool, params)).toEqual({ ok: true, value: read });
  });

  test.each([
    [{ count: 'two' }, 'tool_input_invalid'],
    [{ any: 'x', list: '[{"__proto__":1}]' }, 'permission_denied'],
  ])('are refused where they can not be read: %j', (params, code) => {
    expect(fitParams(tool, params)).toMatchObject({ ok: false, failure: { code } });
  });
});

test.each([
  [
    { id: '5', maybe: 'null', any: '{"a":1}', count: '2' },
    { id: 5, maybe: null, any: { a: 1 }, count: 2 },
  ],
  [
    { id: 'five', maybe: 'no', any: '{' },
    { id: 'five', maybe: 'no', any: '{' },
  ],
])('Params that are XML have nothing but texts, and are read in any case: %j', (params, read) => {
  expect(fitParams(tool, params, 'xml')).toEqual({ ok: true, value: read });
});

import { expect, test } from 'vitest';
import { fitsStrict } from './strict-schema.ts';

const closed = (a: unknown) => ({
  type: 'object',
  properties: { a },
  required: ['a'],
  additionalProperties: false,
});

test.each<[string, unknown, boolean]>([
  ['a text', { type: 'string' }, true],
  ['a text or nothing', { type: ['string', 'null'] }, true],
  ['a list of texts', { type: 'array', items: { type: 'string' } }, true],
  ['a list of anything', { type: 'array' }, false],
  ['a list of anything or nothing', { type: ['array', 'null'] }, false],
  ['an object of its own', closed({ type: 'number' }), true],
  ['an open object', { type: 'object' }, false],
  ['an open object or nothing', { type: ['object', 'null'] }, false],
  ['anything', {}, false],
])('An input with %s fits strict mode: %#', (_name, part, fits) => {
  expect(fitsStrict(closed(part))).toBe(fits);
});

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { endingJson, readEnding, type Ending } from './ending.ts';
import type { Failure } from './errors.ts';
import type { Cost } from './limits.ts';

const number = fc.oneof(fc.nat(), fc.double(), fc.constantFrom(-0, 1e21, Number.NaN, Infinity));
const text = fc.string({ unit: 'binary' });

/** A field that is added to one of these types is an error here. */
const cost = fc.record<Cost>({
  turns: number,
  inputTokens: number,
  outputTokens: number,
  spend: number,
  cacheReadTokens: fc.option(number, { nil: undefined }),
  cacheWriteTokens: fc.option(number, { nil: undefined }),
});
const error = fc.record<Failure>(
  {
    code: fc.constantFrom('cancelled', 'provider_failed'),
    message: text,
    where: fc.record({ file: text }),
    detail: fc.dictionary(text, text),
  },
  { requiredKeys: ['code', 'message'] },
);
const ending = fc.record<Ending>({
  status: fc.constantFrom('completed', 'error', 'cancelled', 'continued'),
  outputs: fc.option(fc.dictionary(text, text), { nil: undefined }),
  text,
  error: fc.option(error, { nil: undefined }),
  cost,
});

test('An ending has the bytes that JSON gives it', () => {
  fc.assert(
    fc.property(ending, (one) => {
      expect(endingJson(one)).toBe(JSON.stringify(one));
    }),
  );
});

test('An ending that is damaged is no bug of who reads it', () => {
  expect(() => readEnding('{"status":')).toThrow(expect.objectContaining({ code: 'store_corrupt' }));
});

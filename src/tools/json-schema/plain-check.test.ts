import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { loadConfig } from '../../config/load.ts';
import { compileSchema } from './compile-schema.ts';
import { compilePlainCheck } from './plain-check.ts';

const EVENT_TYPES = loadConfig({ systemDir: 'config' }).config.events.eventTypes;

/** The same constraint, said in a way that is not plain: only the full check knows it. */
function fullCheck(schema: object): (value: unknown) => readonly unknown[] {
  return compileSchema({ allOf: [schema] });
}

const NAMES = ['a', 'b', 'constructor', '__proto__'];

const name = fc.constantFrom(...NAMES);
const value = fc.letrec((tie) => ({
  any: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom<unknown>('x', 'y', '', 1, 1.5, Number.NaN, Infinity, true, null, undefined),
    fc.array(tie('any'), { maxLength: 2 }),
    fc.dictionary(name, tie('any'), { maxKeys: 4 }),
  ),
})).any;
const schema = fc.letrec<{ any: Record<string, unknown> }>((tie) => ({
  any: fc.record(
    {
      type: fc.constantFrom('string', 'number', 'integer', 'boolean', 'object'),
      enum: fc.uniqueArray(fc.constantFrom('x', 'y', 'z'), { minLength: 1 }),
      required: fc.uniqueArray(name),
      properties: fc.oneof({ maxDepth: 2 }, fc.constant({}), fc.dictionary(name, tie('any'), { maxKeys: 3 })),
      description: fc.constant('says nothing'),
      minimum: fc.constant(1),
      minLength: fc.nat({ max: 2 }),
      additionalProperties: fc.boolean(),
    },
    { requiredKeys: [] },
  ),
})).any;

describe('A plain check', () => {
  test('lets no value pass that the full one refuses', () => {
    let passed = 0;
    const { counterexample } = fc.check(
      fc.property(schema, value, (given, looked) => {
        const passes = compilePlainCheck(given)?.(looked) ?? false;
        if (passes) passed++;
        return !passes || fullCheck(given)(looked).length === 0;
      }),
      { numRuns: 3_000 },
    );
    expect(counterexample).toBeNull();
    expect(passed).toBeGreaterThan(300);
  });

  test.each([
    ['a reference', { $ref: '#' }],
    ['a union of types', { type: ['string', 'null'] }],
    ['a bound', { type: 'integer', minimum: 1 }],
    ['a schema for names that are not declared', { additionalProperties: { type: 'string' } }],
    ['a word that is no text', { enum: [1] }],
    ['nothing that fits', false],
  ])('is not made of a schema with %s', (_what, given) => {
    expect(compilePlainCheck(given)).toBeUndefined();
  });

  test.each([
    ['cognition_in', { text: 'x', role: 'user' }],
    ['cognition_out', { text: 'x', model: 'm' }],
    [
      'usage',
      {
        input_tokens: 1,
        output_tokens: 1,
        cache_read_tokens: 0,
        cache_write_tokens: 0,
        spend: 0.1,
        interrupted: false,
      },
    ],
    ['tool_call_start', { tool: 't', call_id: 'c', input: {} }],
    ['tool_call_result', { call_id: 'c', output: 'x', duration_ms: 1 }],
    ['checkpoint_saved', { turn: 1 }],
  ])('lets %s pass, which every turn records', (type, payload) => {
    const { payloadSchema } = EVENT_TYPES[type] ?? { payloadSchema: false };
    expect(compilePlainCheck(payloadSchema)?.(payload)).toBe(true);
  });
});

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

const name = fc.constantFrom('a', 'b', 'constructor', '__proto__');
const leaf = fc.constantFrom<unknown>('x', 'y', '', '🧶', 1, 1.5, Number.NaN, Infinity, true, null, undefined);
const list = fc.array(leaf, { maxLength: 2 });
const inner = fc.oneof(leaf, list, fc.dictionary(name, leaf, { maxKeys: 2 }));
/** Mostly objects, since it is those that schemas say most of. */
const value = fc.oneof(
  { arbitrary: inner, weight: 1 },
  { arbitrary: fc.dictionary(name, inner, { maxKeys: 3 }), weight: 4 },
);

/** A word of a schema that is not in most of them: with all of them at once, hardly a value fits. */
function sometimes<Word>(word: fc.Arbitrary<Word>): fc.Arbitrary<Word | undefined> {
  return fc.option(word, { nil: undefined, freq: 2 });
}

function rarely<Word>(word: fc.Arbitrary<Word>): fc.Arbitrary<Word | undefined> {
  return fc.oneof({ arbitrary: fc.constant(undefined), weight: 9 }, { arbitrary: word, weight: 1 });
}

const words = {
  enum: rarely(fc.uniqueArray(fc.constantFrom('x', 'y', 'z'), { minLength: 1 })),
  required: rarely(fc.uniqueArray(name, { maxLength: 2 })),
  minLength: sometimes(fc.nat({ max: 2 })),
  minimum: rarely(fc.constant(1)),
  additionalProperties: rarely(fc.boolean()),
};
const type = fc.constantFrom('string', 'number', 'integer', 'boolean', 'object', 'array');
const item = fc
  .record({ ...words, type: sometimes(type), items: rarely(fc.constant({ type: 'string' })) })
  .map(written);
const items = sometimes(fc.oneof(item, fc.boolean(), fc.array(item, { maxLength: 2 })));
const field = fc.record({ ...words, type: sometimes(type), items }).map(written);
const schema = fc
  .record({
    ...words,
    type: rarely(type),
    required: sometimes(fc.uniqueArray(name, { maxLength: 2 })),
    properties: fc.dictionary(name, field, { maxKeys: 3 }),
  })
  .map(written);

/** A schema without the words that it does not have. */
function written(given: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(given).filter(([, word]) => word !== undefined));
}

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
    ['a schema for each place of a list', { items: [{ type: 'string' }] }],
    ['lists in lists', { items: { items: { type: 'string' } } }],
    ['nothing that fits', false],
  ])('is not made of a schema with %s', (_what, given) => {
    expect(compilePlainCheck(given)).toBeUndefined();
  });

  test.each([
    ['thread_started', { directive: 'd', model: 'm', inputs: {}, limits: {}, capabilities: ['c'] }],
    ['context_injected', { before: ['a', 'b'], after: [] }],
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
  ])('lets %s pass, which every thread records', (type, payload) => {
    const { payloadSchema } = EVENT_TYPES[type] ?? { payloadSchema: false };
    expect(compilePlainCheck(payloadSchema)?.(payload)).toBe(true);
  });

  test('leaves long lists to the full one, which counts what it costs', () => {
    const check = compilePlainCheck({ type: 'array', items: { type: 'string' } });
    expect(check?.(Array.from({ length: 100 }, () => 'x'))).toBe(true);
    expect(check?.(Array.from({ length: 101 }, () => 'x'))).toBe(false);
  });
});

import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import type { Directive } from '../../core/item.ts';
import { readDirective } from '../../items/read-directive.ts';
import { createPromptBench, firstMessageOf } from '../../../test/fixtures/prompt-bench.ts';
import { expectOutputs, refuseImpossible } from './expected-outputs.ts';

const URL_OUTPUT = '<outputs><output name="url"/></outputs>';
const NOTE_OUTPUT = '<outputs><output name="note" required="false">Beside it</output></outputs>';
const textOf = (outputs: string): string =>
  `\`\`\`xml\n<directive name="task" version="1"><metadata/>${outputs}</directive>\n\`\`\`\nDo it.`;
const directive = (outputs: string): Directive =>
  readDirective(textOf(outputs), { id: 'task', file: 'task.md', known: new Set() }).directive;
const schemaOf = (schema: z.ZodType) => z.toJSONSchema(schema, { io: 'input' });
const expectedOf = (outputs: string, schema: z.ZodType) => expectOutputs(directive(outputs), schemaOf(schema));

describe('What a caller asks for beside the declared outputs', () => {
  test('is offered with what it refers to, as results to be delivered', () => {
    const place = z.object({ city: z.string() }).meta({ id: 'Place' });
    const { definition, check } = expectedOf('', z.strictObject({ from: place, to: place }));
    expect(definition).toMatchObject({
      description: expect.stringContaining('Delivers the results'),
      inputSchema: {
        type: 'object',
        properties: { from: { $ref: '#/$defs/Place' }, to: { $ref: '#/$defs/Place' } },
        required: ['from', 'to'],
        additionalProperties: false,
        $defs: { Place: { properties: { city: { type: 'string' } } } },
      },
    });
    expect(check({ from: { city: 'a' }, to: { city: 'b' } })).toMatchObject({ ok: true });
    expect(check({ from: { city: 'a' }, to: { city: 1 } })).toMatchObject({ ok: false });
  });

  test('is asked for together with them', () => {
    const { definition, required, check } = expectedOf(URL_OUTPUT, z.object({ score: z.number() }));
    expect(definition.inputSchema).toEqual({
      type: 'object',
      properties: { url: { type: 'string' }, score: { type: 'number' } },
      required: ['url', 'score'],
    });
    expect(required).toEqual(['url', 'score']);
    expect(check({ url: 'u', score: 1 })).toEqual({ ok: true, value: { url: 'u', score: 1 } });
    expect(check({ url: 'u' })).toMatchObject({ ok: false });
    expect(check({ score: 1 })).toMatchObject({ ok: false, failure: { detail: { missing: ['url'] } } });
  });

  const SCORE = '<outputs><output name="score" type="integer">0 to {input:most}</output></outputs>';
  const NOTE = { type: 'string', description: 'Beside it' };
  const TOTAL = '<outputs><output name="score" type="integer">0 to 9</output></outputs>';

  test.each<[string, string, z.ZodType, Record<string, unknown>]>([
    ['what it leaves open', TOTAL, z.object({ score: z.any() }), { score: { type: 'integer', description: '0 to 9' } }],
    [
      'the narrower type, its own description',
      TOTAL,
      z.object({ score: z.number().describe('Points') }),
      { score: { type: 'integer', description: 'Points' } },
    ],
    [
      'its description where the schema has an empty one',
      TOTAL,
      z.object({ score: z.int().min(1).max(9).describe('') }),
      { score: { type: 'integer', minimum: 1, maximum: 9, description: '0 to 9' } },
    ],
    [
      'the narrower type beside its choice of values',
      TOTAL,
      z.object({ score: z.literal([1, 2.5]) }),
      { score: { type: 'integer', enum: [1, 2.5], description: '0 to 9' } },
    ],
    [
      'no type beside a choice',
      TOTAL,
      z.object({ score: z.union([z.int().max(9), z.string().max(3)]) }),
      { score: { anyOf: [expect.anything(), { type: 'string', maxLength: 3 }], description: '0 to 9' } },
    ],
    [
      'the one of its types that can be met',
      TOTAL,
      z.object({ score: z.number().nullable() }),
      { score: { type: 'integer', description: '0 to 9' } },
    ],
    [
      'no reference, which nobody would fill',
      SCORE,
      z.object({ a: z.string() }),
      { score: { type: 'integer' }, a: { type: 'string' } },
    ],
    ['no name that it forbids', NOTE_OUTPUT, z.strictObject({ a: z.string() }), { a: { type: 'string' } }],
    ['no name that can have no value', NOTE_OUTPUT, z.object({ note: z.number().optional() }), {}],
    [
      'the declared names that it may have',
      NOTE_OUTPUT,
      z.object({ a: z.string() }),
      { note: NOTE, a: { type: 'string' } },
    ],
  ])('takes from the declaration %s', (_name, outputs, schema, properties) => {
    expect(expectedOf(outputs, schema).definition.inputSchema['properties']).toEqual(properties);
  });

  test('is asked for in its own words, which are no template, and by name where it says none', () => {
    const literal = z.string().describe('{input:most} as it is');
    const { fields, hasMore } = expectedOf(SCORE, z.object({ score: z.number(), a: literal, b: z.string() }));
    expect(fields).toEqual([
      { name: 'score', description: '0 to {input:most}' },
      { name: 'a', description: '{input:most} as it is', isLiteral: true },
      { name: 'b', description: '' },
    ]);
    expect(hasMore).toBe(false);
  });

  test('has references in the prompt alone, also where there is no schema', () => {
    const { definition, fields } = expectOutputs(directive(SCORE), undefined);
    expect(definition.inputSchema['properties']).toEqual({ score: { type: 'integer' } });
    expect(fields).toMatchObject([{ name: 'score', description: '0 to {input:most}' }]);
  });

  test.each<[string, z.ZodType, Record<string, unknown>]>([
    ['one of several objects', z.union([z.object({ a: z.string() }), z.object({ b: z.string() })]), { b: 'x' }],
    ['two objects in one', z.object({ a: z.string() }).and(z.looseObject({ b: z.string() })), { a: 'x', b: 'y' }],
    ['an object that has an id', z.object({ a: z.string() }).meta({ id: 'A' }), { a: 'x' }],
  ])('is told to the model and must be there if it is %s', (_name, schema, outputs) => {
    const { definition, isExpected, fields, hasMore, check } = expectedOf('', schema);
    expect(definition.description).toContain('Delivers the results');
    expect(`${definition.description} ${JSON.stringify(definition.inputSchema)}`).toMatch(/"a":\{"type":"string"/);
    expect(definition.inputSchema).toMatchObject({ type: 'object' });
    expect(['oneOf', 'anyOf', 'allOf', '$ref'].filter((word) => Object.hasOwn(definition.inputSchema, word))).toEqual(
      [],
    );
    expect([isExpected, check({}).ok, check(outputs)]).toEqual([true, false, { ok: true, value: outputs }]);
    expect(hasMore || fields.length > 0).toBe(true);
  });

  test.each([
    ['names it may leave out', z.object({ a: z.string().optional() })],
    ['any names', z.record(z.string(), z.number())],
  ])('need not be there if it is an object with %s', (_name, schema) => {
    expect(expectedOf('', schema)).toMatchObject({ isExpected: false, hasMore: false });
  });

  test.each([
    ['no object', '', z.string(), 'asks for "string"'],
    ['a list', '', z.array(z.string()), 'asks for "array"'],
    ['no names but its own', URL_OUTPUT, z.strictObject({ score: z.number() }), '"url" is none of its names'],
    [
      'no value of the declared type',
      URL_OUTPUT,
      z.object({ url: z.number() }),
      '"url" is "number" in it, and "string"',
    ],
    ['none for what it requires', NOTE_OUTPUT, z.object({ note: z.boolean() }), '"note" is "boolean" in it'],
    [
      'other names of another type',
      URL_OUTPUT,
      z.object({ a: z.string() }).catchall(z.int()),
      '"url" is "integer" in it',
    ],
  ])('is refused before anything is spent if it accepts %s', (_name, outputs, schema, reason) => {
    expect(() => refuseImpossible(directive(outputs), schemaOf(schema))).toThrow(
      expect.objectContaining({ code: 'invalid_argument', message: expect.stringContaining(reason) }),
    );
  });

  test('is asked for in the prompt also where it has no names', () => {
    using bench = createPromptBench({ 'directives/task.md': textOf('') });
    const outputSchema = schemaOf(z.union([z.object({ a: z.string() }), z.object({ b: z.string() })]));
    const started = bench.start({ directive: 'task', outputSchema });
    expect('thread' in started && firstMessageOf(started.thread)).toContain('parameters={...})`');
  });

  test('keeps a thread from being admitted then', () => {
    using bench = createPromptBench({ 'directives/task.md': textOf('') });
    const refused = bench.start({ directive: 'task', outputSchema: schemaOf(z.string()) });
    expect(refused).toMatchObject({ code: 'invalid_argument' });
  });

  test.each([
    ['its own names, that one among them', URL_OUTPUT, z.strictObject({ url: z.string() })],
    ['no names but its own, and the other is optional', NOTE_OUTPUT, z.strictObject({ a: z.string() })],
    ['one of several objects', '', z.union([z.object({ a: z.string() }), z.object({ b: z.string() })])],
  ])('may accept %s', (_name, outputs, schema) => {
    expect(() => refuseImpossible(directive(outputs), schemaOf(schema))).not.toThrow();
  });
});

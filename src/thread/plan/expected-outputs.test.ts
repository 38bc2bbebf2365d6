import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import type { Directive } from '../../core/item.ts';
import { readDirective } from '../../items/read-directive.ts';
import { createPromptBench } from '../../../test/fixtures/prompt-bench.ts';
import { expectOutputs, refuseImpossible } from './expected-outputs.ts';

const URL_OUTPUT = '<outputs><output name="url"/></outputs>';
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

  test.each<[string, z.ZodType, Record<string, unknown>]>([
    ['one of several objects', z.union([z.object({ a: z.string() }), z.object({ b: z.string() })]), { b: 'x' }],
    ['two objects in one', z.object({ a: z.string() }).and(z.looseObject({ b: z.string() })), { a: 'x', b: 'y' }],
    ['an object that has an id', z.object({ a: z.string() }).meta({ id: 'A' }), { a: 'x' }],
  ])('is told to the model and must be there if it is %s', (_name, schema, outputs) => {
    const { definition, isExpected, check } = expectedOf('', schema);
    expect(definition.description).toContain('Delivers the results');
    expect(`${definition.description} ${JSON.stringify(definition.inputSchema)}`).toMatch(/"a":\{"type":"string"/);
    expect(definition.inputSchema).toMatchObject({ type: 'object' });
    expect(['oneOf', 'anyOf', 'allOf', '$ref'].filter((word) => Object.hasOwn(definition.inputSchema, word))).toEqual(
      [],
    );
    expect([isExpected, check({}).ok, check(outputs)]).toEqual([true, false, { ok: true, value: outputs }]);
  });

  test.each([
    ['names it may leave out', z.object({ a: z.string().optional() })],
    ['any names', z.record(z.string(), z.number())],
  ])('need not be there if it is an object with %s', (_name, schema) => {
    expect(expectedOf('', schema).isExpected).toBe(false);
  });

  test.each([
    ['no object', '', z.string(), 'asks for "string"'],
    ['a list', '', z.array(z.string()), 'asks for "array"'],
    ['no names but its own', URL_OUTPUT, z.strictObject({ score: z.number() }), 'must return "url"'],
  ])('is refused before anything is spent if it accepts %s', (_name, outputs, schema, reason) => {
    expect(() => refuseImpossible(directive(outputs), schemaOf(schema))).toThrow(
      expect.objectContaining({ code: 'invalid_argument', message: expect.stringContaining(reason) }),
    );
  });

  test('keeps a thread from being admitted then', () => {
    using bench = createPromptBench({ 'directives/task.md': textOf('') });
    const refused = bench.start({ directive: 'task', outputSchema: schemaOf(z.string()) });
    expect(refused).toMatchObject({ code: 'invalid_argument' });
  });

  test.each([
    ['its own names, that one among them', URL_OUTPUT, z.strictObject({ url: z.string() })],
    [
      'no names but its own, and the other is optional',
      URL_OUTPUT.replace('/>', ' required="false"/>'),
      z.strictObject({ a: z.string() }),
    ],
    ['one of several objects', '', z.union([z.object({ a: z.string() }), z.object({ b: z.string() })])],
  ])('may accept %s', (_name, outputs, schema) => {
    expect(() => refuseImpossible(directive(outputs), schemaOf(schema))).not.toThrow();
  });
});

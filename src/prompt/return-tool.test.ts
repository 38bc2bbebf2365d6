import { describe, expect, test } from 'vitest';
import type { DeclaredOutput } from '../core/item.ts';
import { checkOutputs, returnToolDefinition } from './return-tool.ts';

const output = (name: string, more: Partial<DeclaredOutput> = {}): DeclaredOutput => ({
  name,
  type: 'string',
  required: true,
  description: '',
  ...more,
});

describe('the return tool', () => {
  test('has a property for each output', () => {
    const { name, inputSchema } = returnToolDefinition([
      output('url', { description: 'The address' }),
      output('n', { type: 'integer', required: false }),
      output('free', { type: 'any' }),
    ]);
    expect(name).toBe('rye_agent_threads_directive_return');
    expect(inputSchema).toEqual({
      type: 'object',
      properties: { url: { type: 'string', description: 'The address' }, n: { type: 'integer' }, free: {} },
      required: ['url', 'free'],
    });
  });

  test('without outputs asks for nothing', () => {
    expect(returnToolDefinition([]).inputSchema).toEqual({ type: 'object', properties: {} });
  });
});

describe('checking outputs', () => {
  test.each<[DeclaredOutput['type'], unknown]>([
    ['string', ''],
    ['integer', 3],
    ['number', 0.5],
    ['boolean', false],
    ['array', []],
    ['object', {}],
    ['any', null],
    ['any', 'x'],
  ])('as %s, %j is accepted', (type, value) => {
    expect(checkOutputs([output('a', { type })], { a: value })).toEqual({ ok: true, value: { a: value } });
  });

  test.each<[DeclaredOutput['type'], unknown]>([
    ['string', 3],
    ['integer', '3'],
    ['integer', 3.5],
    ['number', '3'],
    ['boolean', 'true'],
    ['array', { length: 1 }],
    ['object', []],
  ])('as %s, %j is not converted but refused', (type, value) => {
    expect(checkOutputs([output('a', { type })], { a: value })).toMatchObject({
      ok: false,
      failure: { code: 'invalid_output', detail: { missing: [], wrong: ['a'] } },
    });
  });

  test('everything wrong stands in one message', () => {
    const result = checkOutputs([output('a'), output('b', { type: 'integer' }), output('c')], { b: '3', c: null });
    expect(result).toMatchObject({ ok: false, failure: { detail: { missing: ['a', 'c'], wrong: ['b'] } } });
    expect(result.ok ? '' : result.failure.message).toBe(
      '"a" is missing; text is expected; "c" is missing; text is expected; "b" is string "3"; a whole number is expected',
    );
  });

  test('a value is shown by its beginning, without half a character', () => {
    const result = checkOutputs([output('n', { type: 'integer' })], { n: `${'a'.repeat(58)}😀 and more` });
    expect(result.ok ? '' : result.failure.message).toBe(
      `"n" is string "${'a'.repeat(58)}…; a whole number is expected`,
    );
  });

  test('optional outputs may stay away, extras are kept, null is dropped', () => {
    const outputs = [output('a', { required: false }), output('b', { required: false })];
    expect(checkOutputs(outputs, { b: null, extra: [1] })).toEqual({ ok: true, value: { extra: [1] } });
  });

  test('an inherited name does not count as given', () => {
    expect(checkOutputs([output('toString', { type: 'any' })], {}).ok).toBe(false);
  });

  test.each([[undefined], [null], ['x'], [[]], [5]])('%j are no outputs', (given) => {
    expect(checkOutputs([], given)).toMatchObject({ ok: false, failure: { code: 'invalid_output' } });
  });
});

import { describe, expect, test } from 'vitest';
import { thrownBy } from '../../test/fixtures/thrown-by.ts';
import type { DeclaredInput } from '../core/item.ts';
import { parseText } from './fixtures/parse-text.ts';
import { fillInputRefs } from './input-refs.ts';
import { fillDirective, resolveInputs } from './inputs.ts';

const input = (name: string, more: Partial<DeclaredInput> = {}): DeclaredInput => ({
  name,
  type: 'string',
  required: false,
  description: '',
  ...more,
});
const resolve = (inputs: DeclaredInput[], given: Record<string, unknown>) => resolveInputs({ id: 'd', inputs }, given);

describe('resolving inputs', () => {
  test.each<[string, DeclaredInput[], Record<string, unknown>, Record<string, unknown>]>([
    ['a default is filled in', [input('a', { default: 'x' })], {}, { a: 'x' }],
    ['a given value wins over the default', [input('a', { default: 'x' })], { a: '' }, { a: '' }],
    ['a default satisfies required', [input('a', { required: true, default: 0, type: 'integer' })], {}, { a: 0 }],
    ['null counts as not given', [input('a', { default: 'x' })], { a: null }, { a: 'x' }],
    ['an optional input may stay away', [input('a')], {}, {}],
    ['extras are passed through', [], { b: [1] }, { b: [1] }],
    ['false is a value', [input('a', { type: 'boolean', required: true })], { a: false }, { a: false }],
  ])('%s', (_, inputs, given, expected) => {
    expect(resolve(inputs, given)).toEqual(expected);
  });

  test.each<[DeclaredInput['type'], unknown, unknown]>([
    ['integer', '3', 3],
    ['integer', 3, 3],
    ['number', '-1.5e2', -150],
    ['boolean', 'TRUE', true],
    ['boolean', 'no', false],
    ['array', '[1, "a"]', [1, 'a']],
    ['object', '{"a": {"b": 1}}', { a: { b: 1 } }],
    ['string', 5, '5'],
    ['string', true, 'true'],
    ['string', '{"a":1}', '{"a":1}'],
  ])('as %s, %j becomes %j', (type, given, expected) => {
    expect(resolve([input('a', { type })], { a: given })).toEqual({ a: expected });
  });

  test.each<[DeclaredInput['type'], unknown]>([
    ['integer', '3.5'],
    ['integer', 1e300],
    ['integer', ''],
    ['integer', '0x10'],
    ['number', 'ten'],
    ['number', Number.NaN],
    ['number', '1e999'],
    ['number', true],
    ['boolean', 'maybe'],
    ['boolean', 1],
    ['array', '{"a":1}'],
    ['array', { length: 0 }],
    ['object', '[]'],
    ['object', '{"__proto__": {}}'],
    ['object', '{'],
    ['string', ['a']],
    ['string', {}],
  ])('as %s, %j is refused with what is expected', (type, given) => {
    const error = thrownBy(() => resolve([input('a', { type })], { a: given }));
    expect(error.code).toBe('invalid_input');
    expect(error.message).toMatch(/"a" is .* expected/);
    expect(error.detail).toEqual({ declared_inputs: [input('a', { type })] });
  });

  test('every missing input is named, with what is declared', () => {
    const inputs = [input('a', { required: true }), input('b', { required: true, type: 'integer' }), input('c')];
    const error = thrownBy(() => resolve(inputs, { c: 'x' }));
    expect(error.code).toBe('missing_input');
    expect(error.message).toContain('a, b');
    expect(error.detail).toEqual({ declared_inputs: inputs });
  });

  test('every wrong input is named', () => {
    const inputs = [input('a', { type: 'integer' }), input('b', { type: 'boolean' })];
    expect(thrownBy(() => resolve(inputs, { a: 'x', b: 'y' })).message).toMatch(/"a".*"b"/);
  });

  test('an own __proto__ is refused and no inherited name is an input', () => {
    const given: Record<string, unknown> = JSON.parse('{"__proto__": {"a": 1}}');
    expect(thrownBy(() => resolve([], given)).code).toBe('invalid_input');
    expect(thrownBy(() => resolve([input('toString', { required: true })], {})).code).toBe('missing_input');
  });
});

describe('filling references', () => {
  const inputs = { a: 'A', n: 3, f: false, z: null, o: { x: [1] }, 'b-c': 'BC', ref: '{input:a}', e: '' };
  test.each([
    ['{input:a}', 'A'],
    ['x{input:a}y{input:a}', 'xAyA'],
    ['{input:n} {input:f} {input:o} {input:z}', '3 false {"x":[1]} null'],
    ['{input:b-c}', 'BC'],
    ['{input:e}', ''],
    ['{input:no}', '{input:no}'],
    ['{input:no?}', ''],
    ['{input:no:de fault}', 'de fault'],
    ['{input:no|de:fault}', 'de:fault'],
    ['{input:no:}', ''],
    ['{input:no:a|b}', 'a|b'],
    ['{input:a?}{input:a:x}{input:a|x}', 'AAA'],
    ['{input:ref}', '{input:a}'],
    ['{input:}', '{input:}'],
    ['{input:a b}', '{input:a b}'],
    ['{input:a?x}', '{input:a?x}'],
    ['{input:a', '{input:a'],
    ['{{input:a}}', '{A}'],
    ['{input:{input:a}', '{input:A'],
    ['{input:no:{input:a}', '{input:a'],
    ['{input:toString}{input:constructor?}', '{input:toString}'],
    ['${input:a}', '$A'],
    ['{env:HOME:x}', 'x'],
    ['{env:HOME}', '{env:HOME}'],
    ['', ''],
    ['{}{', '{}{'],
  ])('%j becomes %j', (text, expected) => {
    expect(fillInputRefs(text, inputs)).toBe(expected);
  });

  test.each([
    ['{env:OPEN}', 'o'],
    ['{env:SECRET}', '{env:SECRET}'],
    ['{env:SECRET:none}', 'none'],
    ['{env:UNSET:none}', 'none'],
    ['{env:UNSET?}', ''],
  ])('of the environment, %j becomes %j', (text, expected) => {
    const env = { allowed: ['OPEN', 'UNSET'], values: { OPEN: 'o', SECRET: 's' } };
    expect(fillInputRefs(text, {}, env)).toBe(expected);
  });

  test('a directive is filled in its texts and the texts of its actions', () => {
    const { value: directive } = parseText(
      'directive',
      'About {input:a}.\n```xml\n<directive name="{input:a}"><load item_id="{input:a}"/></directive>\n```\n<execute item_id="t"><param name="{input:a}" value="{input:n}"/></execute>',
      { id: 'd', file: 'd.md' },
    );
    expect(fillDirective(directive, inputs)).toMatchObject({
      name: '{input:a}',
      preamble: 'About A.\n',
      body: '<execute item_id="t"><param name="A" value="3"/></execute>',
      content: '<directive name="A"><load item_id="A"/></directive>',
      actions: [
        { primary: 'load', item_id: 'A', params: {} },
        { primary: 'execute', item_id: 't', params: { '{input:a}': '3' } },
      ],
    });
  });
});

test('a body that is a template is rendered, and what that gives is not filled in again', () => {
  const source = '```xml\n<directive name="d"><metadata><format>jinja2</format></metadata></directive>\n```\n{{ a }}';
  const directive = parseText('directive', source, { id: 'd' }).value;
  const rendered = { body: 'rendered {input:a}' };
  expect(fillDirective(directive, { a: 'x' }, { renderTemplate: () => rendered })).toMatchObject(rendered);
  expect(() => fillDirective(directive, { a: 'x' })).toThrow(expect.objectContaining({ code: 'not_available' }));
  const messages = [{ role: 'user', content: [{ kind: 'text', value: '{input:a}' }] }] as const;
  const filled = fillDirective(directive, { a: 'x' }, { renderTemplate: () => ({ body: '', messages }) });
  expect(filled).toMatchObject({ body: '', messages });
});

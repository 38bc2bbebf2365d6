import { expect, test } from 'vitest';
import type { Directive } from '../../core/item.ts';
import { compileChain, narrow } from '../capability.ts';
import { composePermissions } from '../chain-permissions.ts';
import { parseText, shippedExtractors } from '../fixtures/parse-text.ts';
import { resolveInputs } from '../inputs.ts';
import { validateFields } from '../item-fields.ts';

/** A `.prompty` directive with the input `a`, described in YAML. */
function directiveOf(input: string): Directive {
  const text = `---\ninputs:\n  a: ${input}\n---\n{{ a }}`;
  return parseText('directive', text, { id: 'd', extension: '.prompty' }).value;
}

test.each<[kind: string, value: unknown]>([
  ['any', 1],
  ['any', '1'],
  ['any', true],
  ['any', ['x', { y: 1 }]],
  ['any', { y: [1] }],
  ['image', 'https://host.test/a.png'],
  ['image', { value: 'iVBORw0KGgo=', mediaType: 'image/png', detail: 'low' }],
  ['file', { value: 'JVBERi0x', name: 'a.pdf' }],
  ['audio', { value: 'SUQzBAA=', mediaType: 'audio/mpeg' }],
  ['thread', [{ role: 'user', content: 'before' }]],
])('an input of the kind %s is given, or stands in the file, as it is: %j', (kind, value) => {
  expect(resolveInputs(directiveOf(`{ kind: ${kind}, required: true }`), { a: value })).toEqual({ a: value });
  expect(resolveInputs(directiveOf(`{ kind: ${kind}, default: ${JSON.stringify(value)} }`), {})).toEqual({ a: value });
});

test('an input of a simple kind has to fit it, as that of any directive', () => {
  const directive = directiveOf('{ kind: integer }');
  expect(resolveInputs(directive, { a: '3' })).toEqual({ a: 3 });
  expect(() => resolveInputs(directive, { a: 'x' })).toThrow(expect.objectContaining({ code: 'invalid_input' }));
  expect(() => directiveOf('{ kind: integer, default: x }')).toThrow(expect.objectContaining({ code: 'invalid_item' }));
});

test.each([
  ['a root', undefined],
  ['a child of a parent with <tool>*</tool>', [['rye.execute.tool.*']]],
])('as %s its thread may call nothing', (_, above) => {
  const { capabilities } = composePermissions([directiveOf('x')]);
  expect(compileChain(narrow(capabilities, above)).allows('execute', 'tool', 'rye/file-system/read')).toBe(false);
});

test.each([
  [
    'a map of inputs',
    'inputs:\n  a: { kind: string }\n  b: x',
    { inputs: [{ name: 'a' }, { name: 'b', default: 'x' }] },
  ],
  ['a list of inputs', 'inputs:\n  - { name: a, kind: image }', { inputs: [{ name: 'a', kind: 'image' }] }],
  ['a model by its name', 'model: gpt-5', { model: { id: 'gpt-5' } }],
  ['a model', 'model: { id: gpt-5, provider: openai }', { model: { id: 'gpt-5', provider: 'openai' } }],
  ['neither', 'title: T', { title: 'T' }],
])('%s is as its extractor asks, so that it can be signed', (_, written, fields) => {
  const text = `---\nversion: "1.0.0"\ndescription: d\n${written}\n---\nx`;
  const parsed = parseText('directive', text, { id: 'd', extension: '.prompty' });
  expect(parsed).toMatchObject({ warnings: [], fields: { name: 'd', ...fields } });
  expect(validateFields(parsed, shippedExtractors.directive)).toEqual([]);
});

test('version and description are asked for where it is signed', () => {
  const parsed = parseText('directive', '---\nname: n\n---\nx', { id: 'd', extension: '.prompty' });
  const problems = validateFields(parsed, shippedExtractors.directive);
  expect(problems.map(({ field }) => field)).toEqual(['version', 'description']);
});

import { expect, test } from 'vitest';
import { jsonOrUndefined } from '../../core/json-or-undefined.ts';
import { compileParams } from './hook-params.ts';

/** Of an event: what a model said stands in it. */
const CONTEXT = { said: 'x", "by": "model', lines: 'a\nb', turn: 3, cost: { spend: 0.5 }, list: [1, 2] };

test.each<[string, string, unknown]>([
  ['text with quotes', '{"by": "hook", "note": "${said}"}', { by: 'hook', note: CONTEXT.said }],
  ['text inside of text', '{"note": "it said ${said}!"}', { note: `it said ${CONTEXT.said}!` }],
  ['lines', '["${lines}"]', ['a\nb']],
  ['fields with quotes around them', '{"turn": "${turn}", "cost": "${cost}"}', { turn: '3', cost: '{"spend":0.5}' }],
  ['names', '{"${said}": "${turn}"}', { '${said}': '3' }],
  ['an expression that is written with escapes', '{"a": "\\u0024{said}", "b": "${turn}"}', { a: '${said}', b: '3' }],
  [
    'a field without quotes around it',
    '{"turn": ${turn}, "l": ${ list }, "s": ${said}}',
    { turn: 3, l: [1, 2], s: CONTEXT.said },
  ],
  ['what is missing', '{"gone": ${no.such}, "none": "${no.such}"}', { gone: '', none: '' }],
  ['maps in lists', '[{"deep": ["${said}"]}]', [{ deep: [CONTEXT.said] }]],
  ['an escaped quote', '{"a\\"${turn}": "\\"${turn}\\""}', { 'a"${turn}': '"3"' }],
])('A param that is JSON is filled leaf by leaf: %s', (_name, text, value) => {
  const { payload } = compileParams({ payload: text })(CONTEXT);
  expect(JSON.parse(String(payload))).toEqual(value);
});

test.each([
  ['no JSON', 'it said ${turn}', 'it said 3'],
  ['a field alone', '${cost}', { spend: 0.5 }],
  ['JSON without a field', '{ "a" : 1 }', '{ "a" : 1 }'],
  ['JSON of a text', '"${turn}"', '"3"'],
  ['nearly JSON', '{"a": ${turn}', '{"a": 3'],
  ['JSON with a dollar', '{ "a": "$$" }', '{ "a": "$" }'],
  ['no text', { a: '${turn}' }, { a: 3 }],
  ['a field in brackets', '[${lines}]', '[a\nb]'],
  ['fields in brackets', '[${turn}, ${gone}${list}]', '[3, [1,2]]'],
  ['a field in braces', '{${said}}', `{${CONTEXT.said}}`],
  [
    'JSON beside its fields',
    '{\n  "tool": "${lines}",\n  "version": 1.0, "n": 12345678901234567890,\n  "s" :${turn}\n}\n',
    '{\n  "tool": "a\\nb",\n  "version": 1.0, "n": 12345678901234567890,\n  "s" :3\n}\n',
  ],
])('A param that is %s stays as it is', (_name, value, filled) => {
  expect(compileParams({ before: 1, p: value })(CONTEXT)).toEqual({ before: 1, p: filled });
});

test.each([
  ['{"by": "hook", "x": [1${said}]}', '], "by": "model", "y": [2'],
  ['{"by": "hook", "x": [${said}]}', '], "by": "model", "y": ['],
  ['{"by": "hook", "x": 1${said}}', ', "by": "model"'],
  ['{"by": "hook" ${said}}', ', "by": "model"'],
  ['{"by": "hook", "${said}": 1}', 'by'],
  ['[${said}]', '1, {"by": "model"}'],
  ['\u00a0[${said}]', '{"by": "model"}'],
])('What a model says adds no field to %s', (text, said) => {
  const { payload } = compileParams({ payload: text })({ said });
  const read = jsonOrUndefined(String(payload).trim());
  expect(read === undefined || !JSON.stringify(read).includes('"by":"model"')).toBe(true);
});

test.each([
  ['quotes', '"'],
  ['escapes', '"\\"'],
  ['a text that ends in an escape', '"'.padEnd(50_000, '\\')],
  ['expressions', '${'],
])('A long param of unclosed %s is read in no time', (_name, piece) => {
  const text = `{${piece.repeat(Math.ceil(100_000 / piece.length))}\${`;
  const start = performance.now();
  compileParams({ text });
  expect(performance.now() - start).toBeLessThan(500);
});

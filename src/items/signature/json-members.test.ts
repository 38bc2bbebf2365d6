import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseDocument } from 'yaml';
import { countMembers, scanMembers } from './json-members.ts';

// No key that is a single backslash: once V8 has seen one, its JSON.parse takes `"\\u0061"` for another.
const key = fc.constantFrom('a', 'b', '_signature', '\\u0061', 'a"b', '{', ':', '\\\\x');
const scalar = fc.constantFrom('1', '-2.5e3', 'true', 'null', '""', '"a:b"', '"\\"{,"', '"\\\\"', '[]', '{}');
const { value } = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    scalar,
    fc.array(tie('value'), { maxLength: 4 }).map((items) => `[${items.join(' ,\n')}]`),
    fc
      .array(fc.tuple(key, tie('value')), { maxLength: 5 })
      .map(
        (members) => `{ ${members.map(([name, inner]) => `"${name.replaceAll('"', '\\"')}" :${inner}`).join(',')} }`,
      ),
  ),
}));

test('finds out that a key stands twice as a YAML parser does', () => {
  fc.assert(
    fc.property(value, (json) => {
      const { errors } = parseDocument(json, { schema: 'json', uniqueKeys: true, prettyErrors: false });
      const twice = errors.some(({ code }) => code === 'DUPLICATE_KEY');
      expect(scanMembers(json, '').members !== countMembers(JSON.parse(json))).toBe(twice);
    }),
    { numRuns: 1000 },
  );
});

test.each([
  ['{"a":1,"b":2}', 'b', '"b"', '2'],
  ['{"a":{"b":1},"b" : [1, {"b":2}] }', 'b', '"b"', '[1, {"b":2}]'],
  ['{"\\u0062": "x,y}"}', 'b', '"\\u0062"', '"x,y}"'],
  ['\n{\n "b"\n:\n-1e5\n}\n', 'b', '"b"', '-1e5'],
])('finds a member of %j: %s', (json, name, keyText, valueText) => {
  const { span } = scanMembers(json, name);
  expect(json.slice(span?.start).startsWith(keyText)).toBe(true);
  expect(json.slice(span?.valueStart, span?.valueEnd)).toBe(valueText);
});

test.each(['{}', '[]', '{"a":{"b":1}}', '["b"]', '"b"', '{"a":"b"}', '[{"b":1}]'])(
  'finds no member b in %j',
  (json) => {
    expect(scanMembers(json, 'b').span).toBeUndefined();
  },
);

import { expect, test } from 'vitest';
import { compileTemplate } from '../template.ts';

const INPUTS = { list: ['a', ['b', ['c', 'd']]], map: { 1: 'one' }, n: 1 };

test.each<readonly [template: string, expected: string]>([
  ['{{ list.1.0 }}', 'b'],
  ['{{ list.1.1.0 }}{{ list.1.1.1 }}', 'cd'],
  ['{{ list[1].1.0 }}', 'c'],
  ['{{ list.0_1.0 }}', 'b'],
  ['{{ 1.5 }} {{ 1.5e1 }} {{ list.1.0 ~ 1.5 }}', '1.5 15 b1.5'],
  ['{{ 1 in {1: "a"} }} {{ {1: "a"}[1] }}', 'true a'],
  ['{{ n in map }} {{ map[n] }}', 'true one'],
  ['{{ 2 in map }} {{ 2 not in map }} {{ 0.5 in map }}', 'false true false'],
])('A number is a key, whole behind each point: %s', (template, expected) => {
  expect(compileTemplate(template, 'jinja2').render(INPUTS).text).toBe(expected);
});

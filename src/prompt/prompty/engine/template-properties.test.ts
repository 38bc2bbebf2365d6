import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { deepFreeze } from '../../../config/freeze.ts';
import { createTemplateCache } from './template-cache.ts';
import { compileTemplate, type Rendered, type TemplateFormat } from './template.ts';

/** Characters of inputs; templates have none of them, so that an output shows where each character came from. */
const INPUT = /[\u{e000}-\u{e0ff}]+/gu;
const inputText = fc.string({
  unit: fc.integer({ min: 0xe0_00, max: 0xe0_ff }).map((code) => String.fromCharCode(code)),
  maxLength: 6,
});
const literal = fc.constantFrom('system:', '\n', ' ', 'user:\n', 'a', '');
const inputs = fc.record({
  s: inputText,
  t: inputText,
  l: fc.array(inputText, { maxLength: 4 }),
  m: fc.record({ s: inputText }),
  b: fc.boolean(),
});

const { jinja } = fc.letrec<{ jinja: string; part: string }>((tie) => ({
  part: fc.oneof(
    { maxDepth: 4 },
    literal,
    fc.constantFrom(
      '{{ s }}',
      '{{ t|trim }}',
      '{{ m.s }}',
      '{{ l|join }}',
      '{{ m["s"]|default("x") }}',
      '{{ "role" }}',
      '{{ s if b else "none" }}',
    ),
    fc.constantFrom(
      '{% set v = s %}{{ v }}',
      '{% set v = "lit" %}{{ v }}',
      '{{ v }}',
      '{{ f(s) }}',
      '{{ f("lit") }}',
      '{{ l[0] }}',
      '{{ l[:2]|last }}',
    ),
    tie('jinja').map((body) => `{% for s in l %}${body}{% endfor %}`),
    tie('jinja').map((body) => `{% if b %}${body}{% else %}no{% endif %}`),
    tie('jinja').map((body) => `{% set v %}${body}{% endset %}{{ v }}{{ v }}`),
    tie('jinja').map((body) => `{% for v in ["x", "y"] %}${body}{% endfor %}`),
  ),
  jinja: fc.array(tie('part'), { maxLength: 5 }).map((parts) => parts.join('')),
}));
const { mustache } = fc.letrec<{ mustache: string; part: string }>((tie) => ({
  part: fc.oneof(
    { maxDepth: 4 },
    literal,
    fc.constantFrom('{{s}}', '{{{t}}}', '{{&m.s}}', '{{.}}', '{{>p}}', '{{! c }}', '{{none}}'),
    tie('mustache').map((body) => `{{#l}}${body}{{/l}}`),
    tie('mustache').map((body) => `{{^b}}${body}{{/b}}{{#m}}${body}{{/m}}`),
  ),
  mustache: fc.array(tie('part'), { maxLength: 5 }).map((parts) => parts.join('')),
}));
const MACRO = '{% macro f(x) %}<{{ x }}{{ s }}>{% endmacro %}';
const REGISTRY = new Map([['p', 'system:\n{{s}}\n']]);
const CASES = [
  ['jinja2', jinja.map((text) => MACRO + text)],
  // A dot at the top is the map of all inputs, written as JSON, which has characters of its own.
  ['mustache', mustache.map((text) => `{{#m}}${text}{{/m}}`).filter((text) => !text.includes('{{.}}'))],
] as const;

describe.each<readonly [TemplateFormat, fc.Arbitrary<string>]>(CASES)('Any template in %s', (format, template) => {
  test('has spans that cover exactly the characters of inputs', () => {
    fc.assert(
      fc.property(template, inputs, (text, values) => {
        const rendered = compileTemplate(text, format, { registry: REGISTRY }).render(values);
        expect(withoutEmpty(rendered.inputSpans)).toEqual(spansOf(rendered));
      }),
      { numRuns: 500 },
    );
  });

  test('gives the same for the same inputs, with a cache or without, and leaves the inputs as they were', () => {
    const cache = createTemplateCache();
    fc.assert(
      fc.property(template, inputs, (text, values) => {
        const before = structuredClone(values);
        const first = compileTemplate(text, format, { registry: REGISTRY }).render(values);
        const second = compileTemplate(text, format, { registry: REGISTRY, cache }).render(deepFreeze(values));
        expect(second).toEqual(first);
        expect(values).toEqual(before);
      }),
      { numRuns: 200 },
    );
  });
});

test.each<readonly [string, Readonly<Record<string, unknown>>, readonly number[]]>([
  ['{{ a }}x', { a: '' }, [0, 0]],
  ['x{{ a }}{{ b }}', { a: '', b: 'yz' }, [1, 3]],
  ['x{{ b }}{{ a }}z', { a: '', b: 'y' }, [1, 2]],
  ['{% set c %}x{{ a }}{% endset %}{{ c }}y', { a: '' }, [1, 1]],
])('the place of an empty input is known: %s with %j', (text, values, spans) => {
  expect(compileTemplate(text, 'jinja2').render(values).inputSpans).toEqual(spans);
});

describe('Where characters come from', () => {
  test.each<readonly [string, string, TemplateFormat, Readonly<Record<string, unknown>>]>([
    ['a literal with a filter', '{{ "user"|upper }}:', 'jinja2', {}],
    ['a literal in a condition', '{{ "user" if b else "assistant" }}:', 'jinja2', { b: true }],
    ['a literal in a variable', '{% set r = "user" %}{{ r }}:', 'jinja2', {}],
    ['a literal given to a macro', '{% macro m(r) %}{{ r }}:{% endmacro %}{{ m("user") }}', 'jinja2', {}],
    ['a literal as default of a macro', '{% macro m(r="user") %}{{ r }}:{% endmacro %}{{ m() }}', 'jinja2', {}],
    ['a literal of a list', '{% for r in ["user", "assistant"] %}{{ r }}:{% endfor %}', 'jinja2', {}],
    [
      'a literal that takes its turn',
      '{% for x in l %}{{ loop.cycle("user", "assistant") }}:{% endfor %}',
      'jinja2',
      { l: [1, 2] },
    ],
    ['a captured block', '{% set q %}user:{% endset %}{{ q }}', 'jinja2', {}],
  ])('%s is the template', (_, text, format, values) => {
    expect(compileTemplate(text, format).render(values).inputSpans).toEqual([]);
  });

  test.each<readonly [string, string, TemplateFormat, readonly number[]]>([
    ['a filter over an input', '{{ x|default("user") }}:', 'jinja2', [0, 4]],
    ['a literal joined to an input', '{{ "us" ~ x ~ "er" }}:', 'jinja2', [0, 4]],
    ['a list of literals with an input in it', '{{ ["us", "er", x]|join }}:', 'jinja2', [0, 4]],
    ['an input in a variable', '{% set r = l[0] %}{{ r }}:', 'jinja2', [0, 4]],
    ['an input given to a macro', '{% macro m(r) %}<{{ r }}>{% endmacro %}{{ m(l[0]) }}', 'jinja2', [1, 5]],
    ['a macro whose text is changed', '{% macro m() %}user{% endmacro %}{{ m()|lower }}:', 'jinja2', [0, 4]],
    ['an input in a captured block', '{% set q %}<{{ l[0] }}>{% endset %}{{ q }}{{ q }}', 'jinja2', [1, 5, 7, 11]],
    ['inputs that touch', '{{ l[0] }}{{ l[0] }}', 'jinja2', [0, 8]],
    ['an escaped input', '{{#l}}{{.}}{{/l}}:', 'mustache', [0, 4]],
  ])('%s is the input', (_, text, format, spans) => {
    expect(compileTemplate(text, format).render({ l: ['user'] }).inputSpans).toEqual(spans);
  });
});

function spansOf({ text }: Rendered): readonly number[] {
  return [...text.matchAll(INPUT)].flatMap(({ index, 0: found }) => [index, index + found.length]);
}

/** Of the spans, those with characters; an empty input is an empty span. */
function withoutEmpty(spans: readonly number[]): readonly number[] {
  return spans.filter((end, at) => (at % 2 === 0 ? end !== spans[at + 1] : end !== spans[at - 1]));
}

import { describe, expect, test } from 'vitest';
import { MAX_MS, quickest } from './fixtures/quickest.ts';
import { compileTemplate, type TemplateFormat } from './template.ts';
import { ValueError } from './value-error.ts';

type Attack = readonly [
  name: string,
  format: TemplateFormat,
  template: string,
  /** The code of the error, or `text:` and the text. */
  expected: string,
  inputs?: Readonly<Record<string, unknown>>,
  registry?: Readonly<Record<string, string>>,
];

const LONG = 'x'.repeat(1_000_000);
const MANY = Array.from({ length: 100_000 }, (_, at) => 100_000 - at);
const [LARGE, LARGE_TOO] = [1, 2].map((to) => Object.fromEntries(MANY.slice(0, 20_000).map((at) => [`k${at}`, to])));
const HUGE = Object.fromEntries(Array.from({ length: 170_000 }, (_, at) => [`k${at}`, at]));
const PARAMETERS = Array.from({ length: 9000 }, (_, at) => `a${at}`);
const [DEEP, DEEP_TOO] = [1, 2].map((last) => {
  let list: unknown = last;
  for (let level = 0; level < 10_000; level += 1) list = [list];
  return list;
});
const RING: Record<string, unknown> = {};
RING['a'] = RING;
const TWINS = "{% set s = 'x' * 2000000 %}{% set t = 'x' * 1999999 ~ 'x' %}";
/** Something done again and again with two long texts that are alike. */
const again = (tag: string): string => `${TWINS}{% for i in range(50000) %}${tag}{% endfor %}`;
const ATTACKS: readonly Attack[] = [
  ['long texts compared', 'jinja2', again('{% set y = s == t %}'), 'template_steps_exceeded'],
  ['long texts put in order', 'jinja2', again('{% set y = s < t %}'), 'template_steps_exceeded'],
  ['long texts sorted', 'jinja2', again('{% set y = [s, t]|sort %}'), 'template_steps_exceeded'],
  ['long texts told apart', 'jinja2', again('{% set y = [s ~ i]|unique %}'), 'template_steps_exceeded'],
  ['long texts in a list', 'jinja2', again('{% set y = s in [t] %}'), 'template_steps_exceeded'],
  ['long texts in maps compared', 'jinja2', again('{% set y = {"a": s} == {"a": t} %}'), 'template_steps_exceeded'],
  ['long keys', 'jinja2', again('{% set y = {(s ~ i): 1} %}'), 'template_steps_exceeded'],
  ['long keys looked up', 'jinja2', again('{% set y = {"a": 1}[s ~ i] %}'), 'template_steps_exceeded'],
  ['long keys looked for', 'jinja2', again('{% set y = (s ~ i) in {"a": 1} %}'), 'template_steps_exceeded'],
  ['many characters trimmed off', 'jinja2', again('{% set y = "a"|trim(s) %}'), 'template_steps_exceeded'],
  ['long separators', 'jinja2', again('{% set y = ["", ""]|join(s) %}'), 'template_steps_exceeded'],
  [
    'many long replacements',
    'jinja2',
    `{% set s = 'x' * 1000 %}{% set r = 'y' * 4000 %}{% for i in range(50000) %}{% set y = s|replace('x', r) %}{% endfor %}`,
    'template_steps_exceeded',
  ],
  [
    'a long path of an attribute',
    'jinja2',
    `{{ range(3000)|map(attribute='.' * 1000000)|list }}`,
    'template_steps_exceeded',
  ],
  [
    'a long text that almost stands in another',
    'jinja2',
    `{{ ('a' * 1000000 ~ 'b' ~ 'a' * 1000000) in 'a' * 4000000 }}`,
    'template_steps_exceeded',
  ],
  [
    'a long text that almost can be replaced',
    'jinja2',
    `{{ ('a' * 4000000)|replace('a' * 1000000 ~ 'b' ~ 'a' * 1000000, '') }}`,
    'template_steps_exceeded',
  ],
  [
    'a long condition of a loop',
    'jinja2',
    `{% for i in range(9000) if [${'1,'.repeat(9000)}] %}{% endfor %}`,
    'template_steps_exceeded',
  ],
  [
    'a macro of many parameters',
    'jinja2',
    `{% macro m(${Array.from({ length: 3000 }, (_, at) => `a${at}=1`).join()}) %}{% endmacro %}{% for i in range(9000) %}{{ m() }}{% endfor %}`,
    'template_steps_exceeded',
  ],
  ['a long path', 'mustache', `{{#l}}{{a${'.a'.repeat(200_000)}}}{{/l}}`, 'text:', { l: Array(1000).fill(1) }],
  [
    'a long path into a ring',
    'mustache',
    `{{#l}}{{a${'.a'.repeat(9000)}.b}}{{/l}}`,
    'template_steps_exceeded',
    { l: Array(1000).fill(1), a: RING },
  ],
  ['a constructor chain', 'jinja2', '{{ x.constructor.constructor("return 1") }}', 'template_syntax'],
  ['a constructor chain without call', 'jinja2', '{{ x.constructor.constructor }}', 'text:', { x: 'a' }],
  ['a constructor by subscript', 'jinja2', '{{ x["con" ~ "structor"]["constructor"] }}', 'text:', { x: {} }],
  ['a constructor by attribute', 'jinja2', '{{ [x]|map(attribute="constructor.name")|join }}', 'text:', { x: {} }],
  ['python classes', 'jinja2', '{{ "".__class__.__mro__[1].__subclasses__ }}', 'text:'],
  ['__proto__', 'jinja2', '{{ x.__proto__ }}{{ x["__proto__"].y }}', 'text:', { x: {} }],
  ['__proto__ in a map literal', 'jinja2', '{{ {"__proto__": {"y": 1}}.y }}', 'text:'],
  ['__proto__ set', 'jinja2', '{% set __proto__ = 1 %}{{ x.y }}{{ __proto__ }}', 'text:1', { x: {} }],
  ['range', 'jinja2', '{{ range(999999999)|length }}', 'template_steps_exceeded'],
  ['a huge range', 'jinja2', '{{ range(-9007199254740991, 9007199254740991) }}', 'template_steps_exceeded'],
  [
    'range in range',
    'jinja2',
    `${'{% for i in range(1000) %}'.repeat(4)}x${'{% endfor %}'.repeat(4)}`,
    'template_steps_exceeded',
  ],
  [
    'empty loops in loops',
    'jinja2',
    `${'{% for i in range(1000) %}'.repeat(4)}${'{% endfor %}'.repeat(4)}`,
    'template_steps_exceeded',
  ],
  ['a string times a number', 'jinja2', '{{ "a" * 999999999999 }}', 'template_output_exceeded'],
  ['a string times infinity', 'jinja2', '{{ "a" * (1e308 * 10) }}', 'template_output_exceeded'],
  ['a string times a power', 'jinja2', '{{ "a" * (9.0 ** 999) }}', 'template_value'],
  [
    'lists in lists that are put in order',
    'jinja2',
    '{{ v < w }}',
    'template_nesting_exceeded',
    { v: DEEP, w: DEEP_TOO },
  ],
  ['strings times numbers', 'jinja2', '{{ "a" * 4000 * 4000 }}', 'template_output_exceeded'],
  [
    'a string that doubles',
    'jinja2',
    `{% set a = "aaaaaaaa" %}${'{% set a = a ~ a %}'.repeat(40)}{{ a }}`,
    'template_output_exceeded',
  ],
  ['a list that doubles', 'jinja2', `{% set a = [1] %}${'{% set a = a + a %}'.repeat(40)}`, 'template_steps_exceeded'],
  [
    'a list of lists that is written',
    'jinja2',
    `{% set a = [1] %}${'{% set a = [a, a] %}'.repeat(40)}{{ a }}`,
    'template_steps_exceeded',
  ],
  [
    'a list of lists that is compared',
    'jinja2',
    `{% set a = [1] %}{% set b = [1] %}${'{% set a = [a, a] %}{% set b = [b, b] %}'.repeat(40)}{{ a == b }}`,
    'template_steps_exceeded',
  ],
  ['replace that grows', 'jinja2', '{{ (x|replace("x", x))|length }}', 'template_output_exceeded', { x: LONG }],
  ['replace of nothing', 'jinja2', '{{ x|replace("", x) }}', 'template_output_exceeded', { x: LONG }],
  ['join that grows', 'jinja2', '{{ many|join(x) }}', 'template_output_exceeded', { many: MANY, x: LONG }],
  ['indent that grows', 'jinja2', '{{ ("\\n" * 4000)|indent(4000, true, true) }}', 'template_output_exceeded'],
  ['a wide indent', 'jinja2', '{{ "a"|indent(99999999999) }}', 'template_output_exceeded'],
  [
    'tojson with a wide indent',
    'jinja2',
    '{{ [[[[many]]]]|tojson(indent=999999999) }}',
    'template_output_exceeded',
    { many: MANY.slice(0, 60_000) },
  ],
  ['sorts of sorts', 'jinja2', `{{ many${'|sort'.repeat(99)} }}`, 'template_steps_exceeded', { many: MANY }],
  [
    'many filters on a long text',
    'jinja2',
    `{% for i in range(1000) %}{{ (x|upper|lower|title)|length }}{% endfor %}`,
    'template_steps_exceeded',
    { x: LONG },
  ],
  [
    'output in a loop',
    'jinja2',
    '{% for i in range(100000) %}{{ x }}{% endfor %}',
    'template_output_exceeded',
    { x: LONG },
  ],
  [
    'captures in a loop',
    'jinja2',
    '{% for i in range(100000) %}{% set y %}{{ x }}{% endset %}{% endfor %}',
    'template_output_exceeded',
    { x: LONG },
  ],
  [
    'search in a long text',
    'jinja2',
    '{% for i in range(100000) %}{% if "y" in x %}{% endif %}{% endfor %}',
    'template_steps_exceeded',
    { x: LONG },
  ],
  [
    'an index into a long text',
    'jinja2',
    '{% for i in range(100000) %}{{ x[i] }}{% endfor %}',
    'template_steps_exceeded',
    { x: LONG },
  ],
  ['a macro without end', 'jinja2', '{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}', 'template_nesting_exceeded'],
  [
    'macros without end',
    'jinja2',
    '{% macro f(n) %}{{ f(f(n)) }}{% endmacro %}{{ f(1) }}',
    'template_nesting_exceeded',
  ],
  [
    'macros that branch',
    'jinja2',
    '{% macro f(n) %}{% if n %}{{ f(n-1) }}{{ f(n-1) }}{% endif %}{% endmacro %}{{ f(60) }}',
    'template_steps_exceeded',
  ],
  ['deep brackets', 'jinja2', `{{ ${'('.repeat(100_000)}1${')'.repeat(100_000)} }}`, 'template_too_large'],
  ['brackets', 'jinja2', `{{ ${'['.repeat(5000)}${']'.repeat(5000)} }}`, 'template_nesting_exceeded'],
  ['signs', 'jinja2', `{{ ${'-'.repeat(5000)}1 }}`, 'template_nesting_exceeded'],
  ['nots', 'jinja2', `{{ ${'not '.repeat(5000)}1 }}`, 'template_nesting_exceeded'],
  ['a long sum', 'jinja2', `{{ 1${'+1'.repeat(5000)} }}`, 'template_nesting_exceeded'],
  ['a long chain of members', 'jinja2', `{{ x${'.x'.repeat(5000)} }}`, 'template_nesting_exceeded'],
  ['a long chain of filters', 'jinja2', `{{ x${'|trim'.repeat(5000)} }}`, 'template_nesting_exceeded'],
  ['a long chain of tests', 'jinja2', `{{ x${' is none'.repeat(5000)} }}`, 'template_nesting_exceeded'],
  ['a long chain of ifs', 'jinja2', `{{ x${' if x'.repeat(5000)} }}`, 'template_nesting_exceeded'],
  ['ifs in ifs', 'jinja2', '{% if x %}'.repeat(5000), 'template_nesting_exceeded'],
  ['opening braces', 'jinja2', '{{'.repeat(100_000), 'template_too_large'],
  ['opening comments', 'jinja2', '{#'.repeat(100_000), 'template_syntax'],
  ['opening raws', 'jinja2', '{% raw %}'.repeat(10_000), 'template_syntax'],
  ['quotes', 'jinja2', `{{ ${'"\\'.repeat(100_000)} }}`, 'template_syntax'],
  ['spaces', 'jinja2', `{{ ${' '.repeat(1_000_000)} }}`, 'template_syntax'],
  ['a string of escapes', 'jinja2', `{{ "${'\\n'.repeat(500_000)}" }}`, `text:${'\n'.repeat(500_000)}`],
  ['a string of escapes that is not closed', 'jinja2', `{{ "${'\\a'.repeat(500_000)}`, 'template_syntax'],
  ['a string of more escapes than fit', 'jinja2', `{{ "${'\\a'.repeat(4_000_000)}`, 'template_too_large'],
  ['line ends of Windows', 'jinja2', '\r\n'.repeat(8_000_000), 'template_too_large'],
  ['comments', 'mustache', '{{!}}'.repeat(4_000_000), 'template_too_large'],
  ['too many tags', 'jinja2', '{{a}}'.repeat(100_000), 'template_too_large'],
  [
    'includes that multiply',
    'jinja2',
    '{% include "p0" %}',
    'template_too_large',
    {},
    multiplying('{% include "NEXT" %}'),
  ],
  [
    'blocks that hold each other',
    'jinja2',
    '{% extends "c" %}{% block a %}{% block b %}{{ super() }}{% endblock %}{% endblock %}',
    'template_nesting_exceeded',
    {},
    { c: '{% extends "r" %}{% block b %}{% block a %}{% endblock %}{% endblock %}', r: '{% block a %}{% endblock %}' },
  ],
  ['a lambda', 'mustache', '{{#f}}x{{/f}}', 'template_value', { f: () => '{{x}}' }],
  ['a function', 'mustache', '{{f}}', 'template_value', { f: () => 'called' }],
  ['a function in a map', 'mustache', '{{m.f}}', 'template_value', { m: { f: () => 'called' } }],
  [
    'a constructor chain',
    'mustache',
    '{{x.constructor.constructor}}{{#x.constructor}}y{{/x.constructor}}',
    'text:',
    { x: 'a' },
  ],
  ['__proto__', 'mustache', '{{__proto__}}{{#__proto__}}x{{/__proto__}}{{x.__proto__.y}}', 'text:', { x: {} }],
  [
    'sections in sections',
    'mustache',
    `${'{{#l}}'.repeat(20)}x${'{{/l}}'.repeat(20)}`,
    'template_steps_exceeded',
    { l: MANY.slice(0, 10) },
  ],
  [
    'look-ups through many sections',
    'mustache',
    `${'{{#m}}'.repeat(90)}{{#l}}{{a}}{{b}}{{c}}{{/l}}${'{{/m}}'.repeat(90)}`,
    'template_steps_exceeded',
    { m: {}, l: MANY },
  ],
  ['output in a loop', 'mustache', '{{#l}}{{{x}}}{{/l}}', 'template_output_exceeded', { l: MANY, x: LONG }],
  [
    'escapes in a loop',
    'mustache',
    '{{#l}}{{x}}{{/l}}',
    'template_steps_exceeded',
    { l: MANY, x: '"'.repeat(200_000) },
  ],
  ['a partial of itself', 'mustache', '{{>p}}', 'template_nesting_exceeded', {}, { p: 'x{{>p}}' }],
  ['a partial of itself, indented', 'mustache', '{{>p}}', 'template_nesting_exceeded', {}, { p: 'x\n  {{>p}}\n' }],
  ['partials that multiply', 'mustache', '{{>p0}}', 'template_steps_exceeded', {}, multiplying('{{>NEXT}}')],
  ['sections in sections without end', 'mustache', '{{#a}}'.repeat(5000), 'template_nesting_exceeded'],
  ['opening braces', 'mustache', '{{'.repeat(100_000), 'template_syntax'],
  ['new delimiters again and again', 'mustache', '{{=<% %>=}}<%={{ }}=%>'.repeat(20_000), 'text:'],
  ['blanks before tags', 'mustache', `${' '.repeat(1000)}{{#a}}`.repeat(50), 'template_syntax'],
  ['a tag of blanks', 'mustache', `{{${' '.repeat(1_000_000)}}}`, 'template_syntax'],
  ['too many tags', 'mustache', '{{a}}'.repeat(200_000), 'template_too_large'],
  ...[
    ['x|default(', 'text:1'],
    ['x|replace("a", ', 'text:'],
    ['x|select("divisibleby", ', 'text:[]'],
    ['x is divisibleby(', 'template_value'],
  ].map(([call = '', expected = '']): Attack => {
    const [open, close] = [call.repeat(40), ')'.repeat(40)];
    return [`arguments in arguments of ${call}`, 'jinja2', `{{ ${open}1${close} }}`, expected];
  }),
  ...[
    '{% if m and n %}{% endif %}',
    '{{ not m }}{{ not n }}',
    '{{ [m, n]|select }}',
    '{{ m|d(1, n) }}{{ n|d(1, m) }}',
  ].map((tag): Attack => [
    `the truth of large maps in ${tag}`,
    'jinja2',
    `{% for i in range(1000) %}${tag}{% endfor %}`,
    'template_steps_exceeded',
    { m: LARGE, n: LARGE_TOO },
  ]),
  [
    'the truth of one large map',
    'jinja2',
    '{% for i in range(1000) %}{% if m %}{% endif %}{% endfor %}',
    'text:',
    { m: LARGE },
  ],
  [
    'look-ups past many values that are no maps',
    'mustache',
    `${'{{#t}}'.repeat(97)}{{#l}}${'{{x}}'.repeat(2000)}{{/l}}${'{{/t}}'.repeat(97)}`,
    'template_steps_exceeded',
    { t: true, x: '', l: MANY.slice(0, 480) },
  ],
  [
    'look-ups through many partials',
    'mustache',
    '{{>p0}}',
    'template_steps_exceeded',
    { t: true, x: '', l: MANY.slice(0, 850) },
    Object.fromEntries(
      Array.from({ length: 14 }, (_, at) => [
        `p${at}`,
        at < 13 ? `${'{{#t}}'.repeat(40)}{{>p${at + 1}}}${'{{/t}}'.repeat(40)}` : `{{#l}}${'{{x}}'.repeat(1000)}{{/l}}`,
      ]),
    ),
  ],
  ...[
    ['ifs', '{% if 1 %}', '{{ m() }}', '{% endif %}'],
    ['loops', '{% for i in [1] %}', '{{ m() }}', '{% endfor %}'],
    ['captured blocks', '{% set x %}', '{{ m() }}', '{% endset %}'],
    ['filters', '(x|default(', 'm()', '))'],
    ['filters carried to elements', '([1]|map("default",', 'm()', '))'],
  ].map(([name = '', open = '', call = '', close = '']): Attack => {
    const times = call === 'm()' ? 40 : 80;
    const body = `${open.repeat(times)}${call}${close.repeat(times)}`;
    const macro = `{% macro m() %}${call === 'm()' ? `{{ ${body} }}` : body}{% endmacro %}{{ m() }}`;
    return [`a macro that calls itself inside of many ${name}`, 'jinja2', macro, 'template_nesting_exceeded'];
  }),
  ...['+1', '|trim', ' if x', ' is none', '.x'].map((link): Attack => {
    const chains = `${'('.repeat(90)}x${`${link.repeat(99)})`.repeat(90)}`;
    return [`chains of ${link} inside one another`, 'jinja2', `{{ ${chains} }}`, 'template_nesting_exceeded'];
  }),
  [
    'a partial of itself inside of many sections',
    'mustache',
    '{{>p}}',
    'template_nesting_exceeded',
    { t: true },
    { p: `${'{{#t}}'.repeat(60)}{{>p}}${'{{/t}}'.repeat(60)}` },
  ],
  [
    'includes inside of many ifs',
    'jinja2',
    '{% include "p0" %}',
    'template_nesting_exceeded',
    {},
    Object.fromEntries(
      Array.from({ length: 20 }, (_, at) => [
        `p${at}`,
        `${'{% if 1 %}'.repeat(60)}${at < 19 ? `{% include "p${at + 1}" %}` : ''}${'{% endif %}'.repeat(60)}`,
      ]),
    ),
  ],
  [
    'a partial of many lines, far to the right',
    'mustache',
    `${' '.repeat(60_000)}{{>p}}`,
    'template_output_exceeded',
    {},
    { p: 'x\n'.repeat(10_000) },
  ],
  [
    'a partial of many lines of Windows, far to the right',
    'mustache',
    `${' '.repeat(60_000)}{{>p}}`,
    'template_output_exceeded',
    {},
    { p: 'x\r\n'.repeat(10_000) },
  ],
  // None of these ends a line: the text of the partial is one line.
  ...['\r', '\u2028', '\u2029'].map((end): Attack => {
    const name = `a partial with many ${JSON.stringify(end)} in it, far to the right`;
    const text = `text:${' '.repeat(60_000)}${`x${end}`.repeat(10_000)}`;
    return [name, 'mustache', `${' '.repeat(60_000)}{{>p}}`, text, {}, { p: `x${end}`.repeat(10_000) }];
  }),
  [
    'partials of themselves at ever new places',
    'mustache',
    '{{>p}}',
    'template_steps_exceeded',
    nested(25),
    { p: '{{#c}}\n {{>p}}\n\t{{>p}}\n{{/c}}\n' },
  ],
  [
    'capitals in a text of many words',
    'jinja2',
    `{{ (x${'|title'.repeat(7)})|length }}`,
    'template_steps_exceeded',
    { x: 'a '.repeat(1_000_000) },
  ],
  ['pairs of a huge map', 'jinja2', '{{ m|items|length }}', 'template_steps_exceeded', { m: HUGE }],
  ['a huge map', 'jinja2', '{% for k in m %}{% endfor %}', 'template_steps_exceeded', { m: HUGE }],
  ['a huge map that is written', 'jinja2', '{{ m }}', 'template_steps_exceeded', { m: HUGE }],
  ['a long list that is sorted', 'jinja2', '{{ many|sort|length }}', 'template_steps_exceeded', { many: MANY }],
  ['one tag with a million items', 'jinja2', `{{ [${'1,'.repeat(1_000_000)}] }}`, 'template_too_large'],
  [
    'many macros of one name, called again and again',
    'jinja2',
    `${'{% macro m() %}{% endmacro %}'.repeat(5000)}${'{{ m() }}'.repeat(5000)}`,
    'template_too_large',
  ],
  [
    'macros of one name, called inside of their calls',
    'jinja2',
    `${'{% macro m(a) %}{{ a }}{% endmacro %}'.repeat(3)}{{ ${'m('.repeat(15)}1${')'.repeat(15)} }}`,
    'text:1',
  ],
  [
    'a macro of many parameters, called with their names',
    'jinja2',
    `{% macro m(${PARAMETERS.map((name) => `${name}=1`).join()}) %}{% endmacro %}{{ m(${PARAMETERS.map((name) => `${name}=2`).join()}) }}`,
    'text:',
  ],
  [
    'a macro of many parameters, called again and again with the last',
    'jinja2',
    `{% macro m(${PARAMETERS.map((name) => `${name}=1`).join()}) %}{% endmacro %}${'{{ m(a8999=2) }}'.repeat(6000)}`,
    'template_too_large',
  ],
];

describe('A hostile template', () => {
  test.each(ATTACKS.map((attack) => [attack[0], attack[1], attack] as const))(
    'with %s in %s ends at once',
    (_, __, attack) => {
      const [, format, template, expected, inputs = {}, registry = {}] = attack;
      const templates = new Map(Object.entries(registry));
      const { text, error, ms } = quickest(() =>
        compileTemplate(template, format, { registry: templates }).render(inputs),
      );
      expect(error instanceof ValueError ? error.code : (error ?? `text:${text}`)).toBe(expected);
      expect(ms).toBeLessThan(MAX_MS);
    },
  );
});

/** Ten templates, each with two of the next, deep enough to be a million. */
function multiplying(tag: string): Readonly<Record<string, string>> {
  const names = Array.from({ length: 30 }, (_, at) => at);
  return Object.fromEntries(names.map((at) => [`p${at}`, at < 29 ? tag.replace('NEXT', `p${at + 1}`).repeat(2) : 'x']));
}

/** A map `c` in a map `c`, false in the last. */
function nested(levels: number): Readonly<Record<string, unknown>> {
  let value: unknown = false;
  for (let level = 0; level < levels; level += 1) value = { c: value };
  return { c: value };
}

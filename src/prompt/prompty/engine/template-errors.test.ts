import { describe, expect, test } from 'vitest';
import { compileTemplate, type TemplateFormat } from './template.ts';
import { ValueError } from './value-error.ts';

type Row = readonly [template: string, line: number, column: number, message: string];

const JINJA: readonly Row[] = [
  ['a\n {{ name', 2, 2, 'not closed by }}'],
  ['{% if x', 1, 1, 'not closed by %}'],
  ['a {{ name, here is #1?', 1, 3, 'not closed by }}'],
  ['{{ "text', 1, 4, 'string is not closed'],
  ['x {# comment', 1, 3, 'not closed by #}'],
  ['{% raw %} {{ x }}', 1, 1, 'not closed by endraw'],
  ['{{ "text }}', 1, 4, 'string is not closed'],
  ['{{ }}', 1, 4, 'Expected an expression'],
  ['{{ a b }}', 1, 6, 'found "b"'],
  ['{{ a + }}', 1, 8, 'Expected an expression'],
  ['{{ a ? b }}', 1, 6, 'Unexpected character "?"'],
  ['{{ a.. }}', 1, 6, 'Expected a name'],
  ['{{ a. 1.0 }}', 1, 7, 'Expected a name'],
  ['{{ a.1e2 }}', 1, 7, 'found "e2"'],
  ['{{ a[] }}', 1, 6, 'Expected a key'],
  ['{{ (a }}', 1, 7, 'Expected ,'],
  ['{% if x %}\nyes', 1, 1, 'not closed by endif'],
  ['\n{% for x in y %}{% endif %}', 2, 17, 'nothing here that endif could belong to'],
  ['{% endfor %}', 1, 1, 'nothing here that endfor could belong to'],
  ['{% else %}', 1, 1, 'nothing here that else could belong to'],
  ['{% for x %}{% endfor %}', 1, 10, 'Expected in'],
  ['{% for loop in x %}{% endfor %}', 1, 8, "loop can't be assigned to"],
  ['{% set a.b = 1 %}', 1, 9, 'Assigning to a member is not supported'],
  ['{% set x %}', 1, 1, 'not closed by endset'],
  ['{% macro f(1) %}{% endmacro %}', 1, 12, 'name of a parameter'],
  ['{% macro f(a, a) %}{% endmacro %}', 1, 18, 'named twice'],
  ['{% macro f() %}{% endmacro %}{% macro f(a) %}{% endmacro %}{{ f(1) }}', 1, 63, 'at most 0 arguments'],
  ['{% macro f(a) %}{% endmacro %}{{ f(1, 2) }}', 1, 34, 'at most 1 arguments'],
  ['{% macro f(a) %}{% endmacro %}{{ f(b=1) }}', 1, 34, 'no argument b'],
  ['{% macro f(a) %}{% endmacro %}{{ f(1, a=1) }}', 1, 34, 'given twice'],
  ['{{ range(a=1, 2) }}', 1, 15, 'come last'],
  ['{{ x|shout }}', 1, 6, 'filter "shout" is not supported'],
  ['{{ x|upper(1) }}', 1, 6, 'at most 0 arguments'],
  ['{{ x is prime }}', 1, 9, 'test "prime" is not supported'],
  ['{{ x|map }}', 1, 6, 'needs the name of a filter'],
  ['{{ x|select(y) }}', 1, 6, 'as a string'],
  ['{{ x.items() }}', 1, 11, 'Calling a method or a value'],
  ['{{ x[0]() }}', 1, 8, 'Calling a method or a value'],
  ['{{ f() }}', 1, 4, 'there is no macro of this name'],
  ['{{ f(*x) }}', 1, 6, 'Unpacking of arguments is not supported'],
  ['{{ super() }}', 1, 4, 'no block overrides another'],
  ['{% for x in y %}{{ loop }}{% endfor %}', 1, 20, 'loop is not supported as a value'],
  ['{% for x in y %}{{ loop.deep }}{% endfor %}', 1, 24, 'loop has no deep'],
  ['{% for x in y %}{{ loop.changed(a=x) }}{% endfor %}', 1, 24, 'loop.changed have no names'],
  ['{{ loop.changed(1) }}', 1, 8, 'outside of a loop'],
  ['{% for x in y recursive %}{% endfor %}', 1, 15, 'A recursive loop is not supported'],
  ['{{ 1 +}}', 1, 7, 'Expected an expression'],
  ['{{ 9007199254740993 }}', 1, 4, 'too large to be exact'],
  ['{{ "\\N{DASH}" }}', 1, 4, 'escape \\N'],
  ['{{ "\\u12" }}', 1, 4, 'escape \\u'],
  ['{{ "\\U00110000" }}', 1, 4, 'escape \\U'],
  ['{% macro m() %}{% endmacro %}{{ m is defined }}', 1, 33, 'macro m is not supported as a value'],
  ['{{ x is defined(1) }}', 1, 9, 'at most 0 arguments'],
  ['{{ x|select("eq") }}', 1, 6, 'eq needs an argument'],
  ['{% call f() %}{% endcall %}', 1, 1, '"call" is not supported'],
  ['{% import "x" as y %}', 1, 1, '"import" is not supported'],
  ['{% filter upper %}x{% endfilter %}', 1, 1, '"filter" is not supported'],
  ['{% autoescape true %}', 1, 1, '"autoescape" is not supported'],
  ['{% include name %}', 1, 12, 'named by a string'],
  ['{% include "zz" %}', 1, 1, 'no template "zz"'],
  ['{% extends "zz" %}', 1, 1, 'no template "zz"'],
  ['{% if x %}{% extends "p" %}{% endif %}', 1, 11, 'extends is not supported inside'],
  ['{% block a %}{% endblock %}{% block a %}{% endblock %}', 1, 28, 'defined twice'],
  ['{% block a required %}{% endblock %}', 1, 12, 'required block is not supported'],
];

const MUSTACHE: readonly Row[] = [
  ['a\n {{name', 2, 2, 'not closed by }}'],
  ['{{{name}}', 1, 1, 'not closed by }}}'],
  ['{{! comment', 1, 1, 'not closed by }}'],
  ['\n {{#a}}x', 2, 2, 'section a is not closed'],
  ['{{#a}}{{#b}}x{{/b}}', 1, 1, 'section a is not closed'],
  ['{{/a}}', 1, 1, 'no section a to close'],
  ['{{#a}}{{/b}}', 1, 7, 'Expected the end of the section a'],
  ['{{}}', 1, 1, 'is no name'],
  ['{{a b}}', 1, 1, 'is no name'],
  ['{{=x=}}', 1, 1, 'New delimiters are two'],
  ['{{=<% %> %%=}}', 1, 1, 'New delimiters are two'],
  [`a {{=${'<'.repeat(33)} >=}}`, 1, 3, 'New delimiters have at most 32 characters each'],
  [`{{=< ${'>'.repeat(33)}=}}`, 1, 1, 'New delimiters have at most 32 characters each'],
  ['{{<parent}}{{/parent}}', 1, 1, 'Inheritance of templates is not supported'],
  ['{{$block}}{{/block}}', 1, 1, 'A block of a template is not supported'],
  ['{{>*name}}', 1, 1, 'named by an input is not supported'],
];

const ROWS = [
  ...JINJA.map((row) => ['jinja2', ...row] as const),
  ...MUSTACHE.map((row) => ['mustache', ...row] as const),
];

describe('A template that can not be read', () => {
  test.each<readonly [TemplateFormat, ...Row]>(ROWS)('%s %j is refused at %i:%i: %s', (format, text, ...rest) => {
    const [line, column, message] = rest;
    const error = thrownBy(() => compileTemplate(text, format));
    expect(error).toBeInstanceOf(ValueError);
    expect(error).toMatchObject({ name: 'ValueError', code: 'template_syntax', where: { line, column } });
    expect(String(error)).toContain(message);
    expect(String(error)).toContain(`(line ${line}, column ${column})`);
  });

  test.each([
    ['include', '{% include "p" %}', '\n{{ x y }}'],
    ['extends', '{% extends "p" %}', '\n{{ x y }}'],
  ])('is named when it is reached by %s', (_, text, part) => {
    const error = thrownBy(() => compileTemplate(text, 'jinja2', { registry: new Map([['p', part]]) }));
    expect(error).toMatchObject({ code: 'template_syntax', where: { file: 'p', line: 2, column: 6 } });
  });

  test.each([
    ['{% include "a" %}', { a: '{% include "b" %}', b: '{% include "a" %}' }],
    ['{% extends "a" %}', { a: '{% extends "b" %}', b: '{% extends "a" %}' }],
    ['{% include "a" %}', { a: '{% extends "a" %}' }],
  ])('such as %s with itself further on', (text, templates) => {
    const error = thrownBy(() => compileTemplate(text, 'jinja2', { registry: new Map(Object.entries(templates)) }));
    expect(error).toMatchObject({ code: 'template_syntax', message: expect.stringContaining('itself') });
  });
});

describe('A template that is too large', () => {
  test.each<readonly [TemplateFormat, string, string, number]>([
    ['jinja2', 'many tags', '{{a}}'.repeat(40_000), 166_668],
    ['jinja2', 'one long tag', `{{${'1,'.repeat(60_000)}1 }}`, 100_001],
    ['jinja2', 'many includes', '{% include "p" %}'.repeat(6000), 49_692],
    ['mustache', 'many tags', '{{a}}'.repeat(110_000), 499_996],
  ])('in %s, with %s, names the place from which on it is', (format, _, text, column) => {
    const registry = new Map([['p', '{{ a }}{{ b }}']]);
    const error = thrownBy(() => compileTemplate(`a\n${text}`, format, { registry }));
    expect(error).toMatchObject({ code: 'template_too_large', where: { line: 2, column } });
  });

  test.each<[format: TemplateFormat, tag: string]>([
    ['jinja2', '{% include "long" %}'],
    ['jinja2', '{% extends "long" %}'],
    ['mustache', '{{>long}}'],
  ])('in %s, by its text, may not be longer than a file, nor be used by %s', (format, tag) => {
    const long = `${'x'.repeat(1_048_575)}\n`;
    const registry = new Map([['long', `${long}y`]]);
    expect(compileTemplate(long, format).render({}).text).toContain('xxx');
    const error = thrownBy(() => compileTemplate(`${long}y`, format));
    expect(error).toMatchObject({ name: 'ValueError', code: 'template_too_large', where: { line: 2, column: 1 } });
    const used = thrownBy(() => compileTemplate(tag, format, { registry }).render({}));
    expect(used).toMatchObject({ code: 'template_too_large', where: { file: 'long', line: 2, column: 1 } });
  });

  test('is so by its own text: a partial may become longer where it is indented', () => {
    const line = '- item\n';
    const registry = new Map([['items', line.repeat(30_000)]]);
    const indent = ' '.repeat(40);
    const text = compileTemplate(`${indent}{{>items}}`, 'mustache', { registry }).render({}).text;
    expect(text === `${indent}${line}`.repeat(30_000)).toBe(true);
  });

  test('is so where a partial becomes longer than that by its indent, whatever the output may be', () => {
    const registry = new Map([['items', '-\n'.repeat(100_000)]]);
    const template = compileTemplate(`a\n${' '.repeat(10_000)}{{>items}}`, 'mustache', { registry });
    const error = thrownBy(() => template.render({}, { budgets: { steps: 1e12, output: 1e12, nesting: 64 } }));
    expect(error).toMatchObject({ code: 'template_too_large', where: { line: 2, column: 10_001 } });
  });

  test.each(['jinja2', 'mustache'] as const)(
    'in %s: a first text that is longer than all output has a place',
    (format) => {
      const error = thrownBy(() => compileTemplate('long text', format).render({}, { budgets: { output: 4 } }));
      expect(error).toMatchObject({ code: 'template_output_exceeded', where: { line: 1, column: 1 } });
    },
  );
});

describe('A value an operation can not take', () => {
  test.each([
    ['{{ 1 + "a" }}', 6, "+ can't take"],
    ['{{ x + 1 }}', 6, 'an undefined value'],
    ['{{ 1 / 0 }}', 6, 'divides by zero'],
    ['{{ 1 % 0 }}', 6, 'divides by zero'],
    ['{{ 2 ** 64 }}', 6, 'too large to be exact'],
    ['{{ 9007199254740991 + 1 }}', 21, 'too large to be exact'],
    ['{{ (-8) ** 0.5 }}', 9, 'or none'],
    ['{{ [1] < ["a"] }}', 4, 'have no order'],
    ['{{ -"a" }}', 4, "can't take a string"],
    ['{{ 1 < "a" }}', 4, 'have no order'],
    ['{{ [1, "a"]|sort }}', 13, 'have no order'],
    ['{{ 1|join }}', 6, 'has no elements'],
    ['{% for a, b in [[1]] %}{% endfor %}', 1, 'a list of 2 values'],
    ['{{ 1 in 2 }}', 4, "can't look into"],
    ['{{ [1]|items }}', 8, "items can't take a list"],
    ['{{ [[1]]|unique }}', 10, "unique can't take a list"],
    ['{{ range(1.5) }}', 4, 'whole numbers'],
    ['{{ range(1, 2, 0) }}', 4, 'can not be zero'],
    ['{{ "abc"[::0] }}', 10, 'can not be zero'],
    ['{{ 5[1:] }}', 6, 'cut into slices'],
    ['{{ "a"|indent([]) }}', 8, 'expected a number'],
    ['{{ m() }}{% macro m() %}{% endmacro %}{% macro m() %}{% endmacro %}', 4, 'No macro m has been defined'],
  ])('%s is told with line and column', (text, column, message) => {
    const error = thrownBy(() => compileTemplate(text, 'jinja2').render({}));
    expect(error).toMatchObject({ name: 'ValueError', code: 'template_value', where: { line: 1, column } });
    expect(String(error)).toContain(message);
  });
});

function thrownBy(run: () => unknown): unknown {
  try {
    run();
  } catch (error) {
    return error;
  }
  throw new Error('Nothing was thrown');
}

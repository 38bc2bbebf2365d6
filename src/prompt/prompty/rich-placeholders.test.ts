import { describe, expect, test } from 'vitest';
import { createPrompty, render, ValueError } from '../../prompty.ts';
import { agentOf } from './fixtures/agent.ts';

const RICH = [
  ['thread', [{ role: 'user', content: 'before' }]],
  ['image', 'https://host.test/a.png'],
  ['file', 'data:application/pdf;base64,JVBERi0='],
  ['audio', 'SUQzBAA='],
] as const;

describe.each(RICH)('What stands for an input of the kind %s', (kind, value) => {
  test.each([
    '{{ a|upper }}',
    '{{ a|lower }}',
    '{{ a|capitalize }}',
    '{{ a|title }}',
    '{{ a|trim("_") }}',
    '{{ ("x" ~ a)|replace(a, "-") }}',
    '{{ "7up"|trim(a) }}',
    '{{ a < "x" }}',
    '{{ "x" >= a }}',
    '{{ ["x", a] < ["x", "y"] }}',
    '{{ ["b", a]|sort|last }}',
    '{{ ["b", a]|sort(case_sensitive=true)|last }}',
    '{{ [["b"], [a]]|sort|last }}',
    '{{ [{"x": a}, {"x": "b"}]|sort(attribute="x")|first }}',
    '{{ "7" in ("x" ~ a) }}',
    '{{ [a]|select("in", "x" ~ a)|first }}',
    '{{ a|first }}',
    '{{ a|last }}',
    '{{ a|list }}',
    '{{ a|join("-") }}',
    '{{ a|sort }}',
    '{{ a|unique }}',
    '{{ a|length }}',
    '{{ a[0] }}',
    '{{ a[2:] }}',
    '{{ a[::-1] }}',
    '{% for each in a %}{{ each }}{% endfor %}',
    '{{ [a]|map("upper") }}',
    '{{ a|map("upper")|join }}',
    '{{ ("x" ~ a)|upper }}',
    '{% set b %}see {{ a }}{% endset %}{{ b|upper }}',
    '{% macro m(b) %}{{ b|title }}{% endmacro %}{{ m(a) }}',
  ])('is refused where it would not stay whole: %s', (template) => {
    const thrown = expect.objectContaining({
      code: 'template_value',
      message: expect.stringMatching(new RegExp(`${kind} stands in a prompt as it is.*line 1`)),
      where: expect.objectContaining({ line: 1 }),
    });
    const agent = agentOf(template, [{ name: 'a', kind }]);
    expect(() => render(agent, { a: value })).toThrow(ValueError);
    expect(() => render(agent, { a: value })).toThrow(thrown);
  });

  test.each([
    ['jinja2', 'a', '{{ a }}'],
    ['jinja2', 'a', '{{ a|trim }}{{ a|default("x") }}{{ a|indent }}'],
    ['jinja2', 'a', '{{ ("see " ~ a)|replace("see", "look at") }}'],
    ['jinja2', 'a', '{{ [a, a]|join(", ") }}{{ [a]|first }}{{ {"x": a} }}{{ a|tojson }}'],
    ['jinja2', 'a', '{{ a * 2 }}{{ a + "x" }}'],
    ['jinja2', 'a', '{% for each in [a] %}{{ each }}{% endfor %}'],
    ['jinja2', 'a', '{{ "x"|replace("x", a) }}{{ a == a }}{{ a in [a] }}{{ [a, a]|unique|join }}'],
    ['mustache', 'a', '{{a}}{{{a}}}{{#a}}{{.}}{{/a}}'],
    ['mustache', 'a&"b"', '{{a&"b"}}{{{a&"b"}}}'],
  ])('is whole in %s with the name %s: %s', (format, name, template) => {
    const prompty = createPrompty();
    const rendered = prompty.renderPrompt(agentOf(template, [{ name, kind }], format), { [name]: value });
    const [nonce = ''] = rendered.nonces.keys();
    const rest = rendered.text.replaceAll(nonce, '');
    expect(rendered.text.length - rest.length).toBeGreaterThanOrEqual(nonce.length);
    expect(rest).not.toMatch(/PROMPTY|_|[0-9a-f]{16}/i);
  });
});

test.each([
  ['{{ ("see_1" ~ a ~ "_1")|replace("_", "-") }}', 'see-1@-1'],
  ['{{ ("__" ~ a ~ "__")|replace("__", "x") }}', 'x@x'],
  ['{{ ("_" ~ a ~ "_")|replace("__", "x") }}', '_@_'],
  ['{{ (a ~ "_" ~ a ~ "__")|replace("_", "-", 2) }}', '@-@-_'],
  ['{{ ("ab" ~ a ~ a ~ "c")|replace("", "|") }}', '|a|b|@|@|c|'],
  [
    '{% set t %}{{ "0123456789abcdef" }} {{ a }}{% endset %}{{ t|replace("7", "x")|replace("a", "") }}',
    '0123456x89bcdef @',
  ],
])('replacing goes around what stands for an image, whatever is random in it: %s', (template, expected) => {
  const rendered = createPrompty().renderPrompt(agentOf(template, [{ name: 'a', kind: 'image' }]), { a: 'SUQzBAA=' });
  const [nonce = ''] = rendered.nonces.keys();
  expect(rendered.text.replaceAll(nonce, '@')).toBe(expected);
});

test('a text that only looks like a nonce is a text', () => {
  const text = '__PROMPTY_THREAD_0123456789abcdef_a__';
  const agent = agentOf('{{ b|lower }}', [{ name: 'a', kind: 'image' }]);
  expect(render(agent, { a: 'https://host.test/a.png', b: text })).toBe(text.toLowerCase());
});

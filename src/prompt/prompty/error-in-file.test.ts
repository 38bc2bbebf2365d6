import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { parseText } from '../../items/fixtures/parse-text.ts';
import { readPrompty } from '../../items/prompty-file.ts';
import { createPrompty, ValueError } from '../../prompty.ts';
import { createDirectiveTemplates } from './directive-templates.ts';

const MARK = '<!-- rye:unsigned -->';
const HEAD = '---\nname: x\n---\n';
const file = '/p/x.prompty';
const prompty = createPrompty({ templates: new Map([['part', '{{ a | }}']]), budgets: { steps: 100 } });

test.each<[title: string, text: string, code: string, where: object]>([
  ['below front matter', `${HEAD}{{ a }}\n{{ b | }}`, 'template_syntax', { file, line: 5, column: 8 }],
  ['below blank lines', `${HEAD}\n\n{{ b | }}`, 'template_syntax', { file, line: 6, column: 8 }],
  ['below signature lines', `${MARK}\n${HEAD}${MARK}\n{{ b | }}`, 'template_syntax', { file, line: 6, column: 8 }],
  ['above signature lines', `${HEAD}{{ b | }}\n${MARK}\nx\n${MARK}\n`, 'template_syntax', { file, line: 4, column: 8 }],
  [
    'below a signature between two code blocks',
    `${HEAD}${MARK}\n{{ b | }}\n\`\`\`\n${MARK}\n\`\`\`\n`,
    'template_syntax',
    { file, line: 5, column: 8 },
  ],
  ['behind blanks', `${HEAD}\n   {{ b | }}`, 'template_syntax', { file, line: 5, column: 11 }],
  ['behind blanks, one line on', `${HEAD}   x\n{{ b | }}`, 'template_syntax', { file, line: 5, column: 8 }],
  ['without front matter', '\n{{ b | }}', 'template_syntax', { file, line: 2, column: 8 }],
  ['with a value that does not fit', `${HEAD}\n{{ [] + 1 }}`, 'template_value', { file, line: 5, column: 7 }],
  [
    'with too much to do',
    `${HEAD}{% for x in range(1000) %}x{% endfor %}`,
    'template_steps_exceeded',
    expect.objectContaining({ file }),
  ],
  ['in another template', `${HEAD}{% include "part" %}`, 'template_syntax', { file: 'part', line: 1, column: 8 }],
  ['with an input that is missing', '---\ninputs: { a: { required: true } }\n---\nx', 'missing_input', { file }],
  ['of an unknown format', '---\ntemplate: liquid\n---\nx', 'invoker_unknown', { file }],
])('what is wrong %s is found in the file', async (_, text, code, where) => {
  const { agent } = readPrompty(text, { file, name: 'x' });
  expect(() => prompty.render(agent)).toThrow(expect.objectContaining({ code, where }));
  await expect(prompty.renderAsync(agent)).rejects.toMatchObject({ code, where });
});

test.each([
  ['---\ntemplate: { format: jinja2, parser: foo }\n---\nx', 'invoker_unknown'],
  [
    '---\ninputs: { a: { kind: thread } }\n---\n{% for x in range(1001) %}{{ a }}{% endfor %}',
    'template_output_exceeded',
  ],
])('so is what can not be parsed: %s', (text, code) => {
  const { agent } = readPrompty(text, { file, name: 'x' });
  const a = Array.from({ length: 100 }, () => ({ role: 'user', content: 'x' }));
  expect(() => createPrompty().prepare(agent, { a })).toThrow(expect.objectContaining({ code, where: { file } }));
});

test("a place in what was rendered, which a parser of one's own tells, stays as it is", () => {
  const prompty = createPrompty();
  const where = { line: 7, column: 1 };
  const fail = (): never => {
    throw new ValueError('template_value', 'No', where);
  };
  prompty.parsers.register('own', { parse: fail });
  const { agent } = readPrompty('---\ntemplate: { format: jinja2, parser: own }\n---\nx', { file, name: 'x' });
  expect(() => prompty.prepare(agent)).toThrow(expect.objectContaining({ where }));
});

test.each([
  ['---\ntemplate: liquid\n---\nx', 'invoker_unknown'],
  [`${HEAD}{{ b | }}`, 'template_syntax'],
])('the error of a prompt inside of another names the inner one: %s', (text, code) => {
  const prompty = createPrompty();
  const inner = readPrompty(text, { file: '/p/inner.prompty', name: 'x' }).agent;
  const render = (): string => prompty.render(inner);
  prompty.renderers.register('outer', { render, renderAsync: async () => render() });
  const { agent } = readPrompty('---\ntemplate: outer\n---\nx', { file, name: 'x' });
  const where = expect.objectContaining({ file: '/p/inner.prompty' });
  expect(() => prompty.render(agent)).toThrow(expect.objectContaining({ code, where }));
});

test("its cause is the template's error", () => {
  const { agent } = readPrompty(`${HEAD}{{ b | }}`, { file, name: 'x' });
  const cause = expect.objectContaining({ name: 'ValueError', where: { line: 1, column: 8 } });
  expect(() => prompty.render(agent)).toThrow(expect.objectContaining({ cause }));
});

test('its message has the line of the file', () => {
  const { agent } = readPrompty(`${HEAD}{{ b | }}`, { file, name: 'x' });
  expect(() => prompty.render(agent)).toThrow(ValueError);
  expect(() => prompty.render(agent)).toThrow(/ \(line 4, column 8\)$/);
});

test('that of a directive names its file, too', () => {
  const { template } = parseText('directive', `${HEAD}{{ b | }}`, { id: 'x', file, extension: '.prompty' }).value;
  if (!template) throw new Error('There is no template');
  const { bodyOf } = createDirectiveTemplates(randomBytes);
  expect(() => bodyOf(template, {})).toThrow(expect.objectContaining({ where: { file, line: 4, column: 8 } }));
});

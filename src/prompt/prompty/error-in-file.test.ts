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

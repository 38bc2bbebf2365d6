import { expect, test } from 'vitest';
import { parseText } from './fixtures/parse-text.ts';

const directive = (format: string, { preamble = '', body = '' }): string =>
  `${preamble}\`\`\`xml
<directive name="d"><metadata><description>{input:in_xml}</description>${format}</metadata>
<inputs><input name="known"/></inputs></directive>
\`\`\`
${body}`;
const JINJA = '<format>jinja2</format>';
const told = (line: number, name: string): string =>
  `line ${line}: {input:${name}} refers to an input that is not declared`;

test.each([
  [
    'a text',
    directive('', { preamble: '{input:above}\n', body: '{input:known}\n{input:no}{input:other?}{input:no}' }),
    [told(1, 'above'), told(3, 'in_xml'), told(7, 'no')],
  ],
  ['a text above the XML', directive('', { preamble: '{input:above}\n' }), [told(1, 'above'), told(3, 'in_xml')]],
  [
    'a template, where it is not looked for',
    directive(JINJA, { preamble: '{input:above}\n', body: '{input:no}{input:above}' }),
    [told(1, 'above'), told(3, 'in_xml')],
  ],
  ['a template above the XML', directive(JINJA, { preamble: '\n{input:above}\n' }), [told(4, 'in_xml')]],
])('an input that is not declared is told of where the body is %s', (_name, source, warnings) => {
  expect(parseText('directive', source, { id: 'd' }).warnings).toEqual(warnings);
});

import { expect, test } from 'vitest';
import { createPromptBench } from '../../../test/fixtures/prompt-bench.ts';

const ASK = `---
inputs:
  question: { kind: string, required: true }
  past: { kind: thread }
---
{{ past }}
user:
{{ question }}
`;
const SAID = [
  '<conversation>',
  '<message role="user">\nMay I?\n</message>',
  '<message role="assistant">\nYes.\n</message>',
  '</conversation>',
].join('\n');
const PAST = [
  { role: 'user', content: 'May I?' },
  { role: 'assistant', content: 'Yes.' },
];

test.each<[what: string, inputs: Record<string, unknown>, said: number]>([
  ['a thread is', { past: PAST, question: 'hi' }, 1],
  ['an input that says the same is not', { question: `${SAID}\n\nhi` }, 0],
  ['such an input beside a thread is not', { past: PAST, question: `${SAID}\n\nhi` }, 1],
])('of a .prompty file, %s what was said before', async (_, inputs, said) => {
  using bench = createPromptBench({ 'directives/ask.prompty': ASK });
  const { message } = await bench.preview({ directive: 'ask', inputs });
  expect(message.text.split('<conversation>')).toHaveLength(1 + said);
  expect(message.text.split('<message role=')).toHaveLength(1 + 2 * said);
  expect(message.text.includes(`${SAID}\n\n`)).toBe(said === 1);
  expect(message.text).toContain('hi');
});

test('a body without roles keeps its tags', async () => {
  const head = '<metadata><description>d</description><format>jinja2</format></metadata>';
  const text = `\`\`\`xml\n<directive name="one" version="1">${head}</directive>\n\`\`\`\n${SAID}\n`;
  using bench = createPromptBench({ 'directives/one.md': text });
  expect((await bench.preview({ directive: 'one', inputs: {} })).message.text).toContain(SAID);
});

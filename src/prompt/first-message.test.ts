import { expect, test } from 'vitest';
import { assembleFirstMessage, assembleSystem } from './first-message.ts';

test('the first message has hooks, extends, own context, prompt, context after, hooks after', () => {
  const message = assembleFirstMessage({
    hookAfter: ['9'],
    directiveAfter: ['7', '8'],
    prompt: '6',
    directiveBefore: ['5'],
    extendsBefore: ['3', '4'],
    hookBefore: ['1', '2'],
  });
  expect(message).toBe('1\n\n2\n\n3\n\n4\n\n5\n\n6\n\n7\n\n8\n\n9');
});

test('blank texts are left out, others are not touched', () => {
  expect(assembleFirstMessage({ hookBefore: ['', ' \n', ' a '], prompt: 'p\n' })).toBe(' a \n\np\n');
});

test.each([
  [[], ''],
  [['', '  '], ''],
  [['a', '', 'b'], 'a\n\nb'],
])('the system message of %j is %j', (parts, expected) => {
  expect(assembleSystem(parts)).toBe(expected);
});

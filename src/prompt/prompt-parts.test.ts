import { expect, test } from 'vitest';
import { joinTexts, rememberingJoin } from './join-texts.ts';
import { arrangeParts, messageTexts, NO_PARTS, type PromptPart, sourcesOf, systemTexts } from './prompt-parts.ts';

const parts = (...sources: readonly string[]): PromptPart[] =>
  sources.map((source) => ({
    source,
    item: undefined,
    space: undefined,
    declaredBy: undefined,
    text: `text of ${source}`,
  }));

test('hooks stand around what directives declare: first before, last after, first in the system message', () => {
  const arranged = arrangeParts(
    { system: parts('h1'), before: parts('h2', 'h3'), after: parts('h4', 'h5') },
    { system: parts('c1', 'c2'), before: parts('c3', 'c4'), after: parts('c5') },
  );
  expect(sourcesOf(arranged.system)).toEqual(['h1', 'c1', 'c2']);
  expect(sourcesOf(arranged.before)).toEqual(['h2', 'h3', 'c3', 'c4']);
  expect(sourcesOf(arranged.after)).toEqual(['c5', 'h4', 'h5']);
  expect(systemTexts(arranged)).toEqual(['text of h1', 'text of c1', 'text of c2']);
  expect(messageTexts(arranged, 'PROMPT')[4]).toBe('PROMPT');
});

test('without anything around it the first message is the prompt', () => {
  expect(messageTexts(NO_PARTS, 'PROMPT')).toEqual(['PROMPT']);
});

test.each([
  [[], ''],
  [['', '  '], ''],
  [['a', '', 'b'], 'a\n\nb'],
  [['', ' \n', ' a ', 'p\n'], ' a \n\np\n'],
])('%j joined are %j', (texts, joined) => {
  expect(joinTexts(texts)).toBe(joined);
});

test('a join that remembers gives what a plain one gives, for other texts too', () => {
  const join = rememberingJoin();
  for (const texts of [['a', 'b'], ['a', 'b'], ['a'], [], ['a', 'c'], ['a', 'b']]) {
    expect(join(texts)).toBe(joinTexts(texts));
  }
});

import { expect, test } from 'vitest';
import type { SpaceName } from '../core/item.ts';
import { joinTexts, rememberingJoin } from './join-texts.ts';
import {
  arrangeParts,
  messageTexts,
  NO_PARTS,
  type PlacedParts,
  type PromptPart,
  sourcesOf,
  systemTexts,
} from './prompt-parts.ts';

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

const loaded = (source: string, item: string, space: SpaceName = 'project'): PromptPart => ({
  source,
  item,
  space,
  declaredBy: source === item ? 'a' : undefined,
  text: `${source} has ${item} of ${space}`,
});
const h = loaded('h', 'k');
const k = loaded('k', 'k');

test.each<[string, Partial<PlacedParts>, Partial<PlacedParts>, Partial<PlacedParts>]>([
  ['a hook and the context before the prompt', { before: [h] }, { before: [k] }, { before: [h] }],
  ['a hook after the prompt and the context before it', { after: [h] }, { before: [k] }, { before: [k] }],
  ['a hook and the context after the prompt', { after: [h] }, { after: [k] }, { after: [k] }],
  ['a hook of the first message and the system message', { before: [h] }, { system: [k] }, { system: [k] }],
  ['two hooks', { before: [h, loaded('g', 'k')] }, {}, { before: [h] }],
  [
    'a hook that names another space',
    { before: [h, loaded('g', 'k', 'user')] },
    { before: [k] },
    { before: [h, loaded('g', 'k', 'user')] },
  ],
])('an item is there once, where it comes first: by %s', (_name, hooks, context, expected) => {
  expect(arrangeParts({ ...NO_PARTS, ...hooks }, { ...NO_PARTS, ...context })).toEqual({ ...NO_PARTS, ...expected });
});

test('texts of no item are there however often they are given', () => {
  const given = [...parts('f'), ...parts('f')];
  expect(arrangeParts({ ...NO_PARTS, before: given }, NO_PARTS).before).toEqual(given);
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

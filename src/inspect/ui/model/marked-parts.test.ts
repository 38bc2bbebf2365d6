import { expect, test } from 'vitest';
import { markedParts } from './marked-parts.ts';

test.each([
  ['a Rate limit', 'rate', ['a ', '[Rate]', ' limit']],
  ['xx', 'x', ['[x]', '[x]']],
  ['nothing', 'y', ['nothing']],
  ['all', '', ['all']],
  ['İx', 'x', ['İx']],
])('%j is marked where %j stands', (text, wanted, parts) => {
  expect(markedParts(text, wanted).map(({ text, isMarked }) => (isMarked ? `[${text}]` : text))).toEqual(parts);
});

import { expect, test } from 'vitest';
import { createCut } from './cut-to-fit.ts';

const SIZES = [
  ['a/b/c.ts', 40],
  ['a/d.ts', 40],
  ['e.ts', 40],
] as const;

test.each([
  ['everything is taken where there is room', 120, ['a/b/c.ts', 'a/d.ts', 'e.ts']],
  ['of too much, what is nearest to the root is taken', 119, ['e.ts', 'a/d.ts']],
  ['nothing is taken where there is no room', 10, []],
])('%s', (_, room, taken) => {
  expect([...createCut()(SIZES, room)]).toEqual(taken);
});

test('what was taken stays while it takes a tenth more than there is room for', () => {
  const cut = createCut();
  cut(SIZES, 80);
  const grown = [...SIZES.slice(0, 2), ['e.ts', 47] as const, ['new.ts', 1] as const];
  expect([...cut(grown, 80)]).toEqual(['a/d.ts', 'e.ts']);
});

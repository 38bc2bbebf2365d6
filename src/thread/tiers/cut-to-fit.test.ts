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

test.each([
  ['stays while it takes a tenth more than there is room for', 80, ['a/d.ts', 40], ['e.ts', 47], ['e.ts', 'a/d.ts']],
  ['is cut once it takes more than that', 80, ['a/d.ts', 40], ['e.ts', 49], ['e.ts', 'new.ts']],
  [
    'is cut to what is nearest to the root where there is less room',
    50,
    ['a/d.ts', 40],
    ['e.ts', 40],
    ['e.ts', 'new.ts'],
  ],
] as const)('what was taken %s', (_, room, deep, near, taken) => {
  const cut = createCut();
  cut(SIZES, 80);
  expect([...cut([['a/b/c.ts', 40], deep, near, ['new.ts', 1]], room)]).toEqual(taken);
});

test('of what was all there is, what is nearest to the root stays where there is less room', () => {
  const cut = createCut();
  cut(SIZES, 120);
  expect([...cut(SIZES, 80)]).toEqual(['e.ts', 'a/d.ts']);
});

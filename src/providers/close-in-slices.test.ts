import { expect, test } from 'vitest';
import { createCloser } from './close-in-slices.ts';

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('what is closed together is closed in order, four of it a turn', async () => {
  const closeSoon = createCloser();
  const closed: number[] = [];
  for (const one of [1, 2, 3, 4, 5, 6, 7, 8, 9]) closeSoon(() => closed.push(one));
  expect(closed).toEqual([]);
  await nextTurn();
  expect(closed).toEqual([1, 2, 3, 4]);
  await nextTurn();
  closeSoon(() => closed.push(10));
  expect(closed).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  await nextTurn();
  expect(closed).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
});

test('it goes on after a pause', async () => {
  const closeSoon = createCloser();
  const closed: number[] = [];
  closeSoon(() => closed.push(1));
  await nextTurn();
  closeSoon(() => closed.push(2));
  await nextTurn();
  expect(closed).toEqual([1, 2]);
});

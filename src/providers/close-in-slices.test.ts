import { expect, test } from 'vitest';
import { createHandClock } from '../../test/conformance/hand-clock.ts';
import { createCloser } from './close-in-slices.ts';

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('what is closed together is closed in order, as much of it a turn as two milliseconds hold', async () => {
  const clock = createHandClock();
  const closeSoon = createCloser(clock);
  const closed: number[] = [];
  for (const one of [1, 2, 3, 4, 5]) {
    closeSoon(() => {
      closed.push(one);
      clock.advance(1);
    });
  }
  expect(closed).toEqual([]);
  await nextTurn();
  expect(closed).toEqual([1, 2]);
  await nextTurn();
  closeSoon(() => closed.push(6));
  expect(closed).toEqual([1, 2, 3, 4]);
  await nextTurn();
  expect(closed).toEqual([1, 2, 3, 4, 5, 6]);
});

test('it goes on after a pause', async () => {
  const closeSoon = createCloser(createHandClock());
  const closed: number[] = [];
  closeSoon(() => closed.push(1));
  await nextTurn();
  closeSoon(() => closed.push(2));
  await nextTurn();
  expect(closed).toEqual([1, 2]);
});

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { createFifo } from './fifo.ts';

test.each([1, 3, 1024, 3000])('%i items come out in the order in which they went in', (count) => {
  const fifo = createFifo<number>();
  const numbers = Array.from({ length: count }, (_, index) => index);
  for (const number of numbers) fifo.push(number);
  expect([fifo.size(), fifo.peek()]).toEqual([count, 0]);
  expect(numbers.map(() => fifo.shift())).toEqual(numbers);
  expect([fifo.size(), fifo.peek(), fifo.shift()]).toEqual([0, undefined, undefined]);
});

test('What was taken is free to go while others wait', async () => {
  setFlagsFromString('--expose-gc');
  // A context that is made after the flag has what the flag adds.
  const collect = runInNewContext('gc') as () => void;
  const fifo = createFifo<object>();
  const taken = takeOneOfTwo(fifo);
  // A weak reference holds on to what it names until the job that made it is over.
  await new Promise(setImmediate);
  collect();
  expect(taken.deref()).toBeUndefined();
  expect(fifo.size()).toBe(1);
});

/** In a function of its own: nothing of this one's frame is left when it has returned. */
function takeOneOfTwo(fifo: { push(item: object): void; shift(): object | undefined }): WeakRef<object> {
  fifo.push({ payload: 'x'.repeat(1000) });
  fifo.push({ payload: 'y' });
  return new WeakRef(fifo.shift() ?? {});
}

import { expect, test } from 'vitest';
import type { Failure } from '../../core/errors.ts';
import { harmless } from './harmless.ts';

const broken = new Error('the listener is broken');

test.each<[string, (heard: string) => unknown]>([
  [
    'throws',
    () => {
      throw broken;
    },
  ],
  ['rejects', async () => Promise.reject(broken)],
])('A listener that %s harms nobody, and that is told', async (_how, listener) => {
  const failures: Failure[] = [];
  expect(harmless(listener, (failure) => failures.push(failure))('news')).toBeUndefined();
  await new Promise(setImmediate);
  expect(failures).toMatchObject([{ message: 'the listener is broken' }]);
});

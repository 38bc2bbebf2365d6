import { expect, test } from 'vitest';
import { isInMemory } from './machine.ts';

test('a folder below one that is kept in memory is kept there, too, once it is made', () => {
  expect(isInMemory('/dev/shm/skein-not-there/yet')).toBe(process.platform === 'linux');
  expect(isInMemory(import.meta.dirname)).toBe(false);
});

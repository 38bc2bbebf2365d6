import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { createConfigCache, type ConfigCache } from './config-cache.ts';
import type { Config } from './config.ts';
import { loadConfig } from './load.ts';

const systemDir = fileURLToPath(new URL('../../config', import.meta.url));
const withTurns = (turns: number): Config =>
  loadConfig({ systemDir, overrides: { resilience: { limits: { defaults: { turns } } } } }).config;

/** A cache whose readings end when the test says so. */
function bench(): {
  readonly cache: ConfigCache;
  readonly readings: PromiseWithResolvers<Config>[];
  readonly adopted: number[];
} {
  const readings: PromiseWithResolvers<Config>[] = [];
  const adopted: number[] = [];
  const cache = createConfigCache({
    loaded: withTurns(1),
    read() {
      const reading = Promise.withResolvers<Config>();
      readings.push(reading);
      return reading.promise;
    },
    adopted: ({ resilience }) => void adopted.push(resilience.limits.defaults.turns),
  });
  return { cache, readings, adopted };
}

test('The loaded config holds until another was read, which is told with what is different', async () => {
  const { cache, readings, adopted } = bench();
  const cleared = cache.clear();
  await Promise.resolve();
  expect(cache.current().resilience.limits.defaults.turns).toBe(1);
  readings[0]?.resolve(withTurns(2));
  expect(await cleared).toEqual({ changed: ['resilience'] });
  expect([cache.current().resilience.limits.defaults.turns, adopted]).toEqual([2, [2]]);
});

test('Files that say the same change nothing', async () => {
  const { cache, readings, adopted } = bench();
  const before = cache.current();
  const cleared = cache.clear();
  await Promise.resolve();
  readings[0]?.resolve(withTurns(1));
  expect(await cleared).toEqual({ changed: [] });
  expect([cache.current() === before, adopted]).toEqual([true, []]);
});

test('A reading that fails leaves the config as it was, and the next one is not held up', async () => {
  const { cache, readings, adopted } = bench();
  const failing = cache.clear();
  await Promise.resolve();
  readings[0]?.reject(new Error('wrong'));
  await expect(failing).rejects.toThrow('wrong');
  expect(cache.current().resilience.limits.defaults.turns).toBe(1);
  const cleared = cache.clear();
  await Promise.resolve();
  readings[1]?.resolve(withTurns(3));
  await cleared;
  expect(adopted).toEqual([3]);
});

test('What is asked for during a reading is read after it, once for all who ask', async () => {
  const { cache, readings, adopted } = bench();
  const first = cache.clear();
  await Promise.resolve();
  const later = [cache.clear(), cache.clear()];
  expect(readings).toHaveLength(1);
  readings[0]?.resolve(withTurns(2));
  await first;
  await Promise.resolve();
  expect(readings).toHaveLength(2);
  readings[1]?.resolve(withTurns(4));
  expect(await Promise.all(later)).toHaveLength(2);
  expect(adopted).toEqual([2, 4]);
});

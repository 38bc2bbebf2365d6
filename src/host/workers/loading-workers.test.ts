import { once } from 'node:events';
import type { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { loadWorkers } from './loading-workers.ts';

const live = new Set<Worker>();
const noted = (worker: Worker): void => {
  live.add(worker);
  worker.once('exit', () => live.delete(worker));
};

beforeEach(() => void process.on('worker', noted));
afterEach(() => void process.off('worker', noted));

test('workers load before anybody has a task for them, and those that nobody takes end', async () => {
  const loading = loadWorkers(2);
  while (live.size < 2) await once(process, 'worker');
  const taken = loading.take(0);
  await loading.close();
  expect(live.size).toBe(1);
  // It has loaded: this is the second task of the same worker.
  await taken?.pool.run(undefined, { name: 'load' });
  expect(live.size).toBe(1);
  await taken?.pool.destroy();
  expect(live.size).toBe(0);
});

test('none of them is taken by who limits their heap, nor more than there are', async () => {
  const loading = loadWorkers(1);
  expect(loading.take(64)).toBeUndefined();
  const taken = loading.take(0);
  expect(taken).toBeDefined();
  expect(loading.take(0)).toBeUndefined();
  await taken?.pool.destroy();
});

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
  const taken = loading.take();
  await loading.close();
  expect(live.size).toBe(1);
  // It has loaded: this is the second task of the same worker.
  await taken?.pool.run(undefined, { name: 'load' });
  expect(live.size).toBe(1);
  await taken?.pool.destroy();
  expect(live.size).toBe(0);
});

test('no more are taken than there are, and none after they were ended', async () => {
  const loading = loadWorkers(2);
  const taken = loading.take();
  expect(taken).toBeDefined();
  await loading.close();
  expect(loading.take()).toBeUndefined();
  await taken?.pool.destroy();
});

test.each<[string, (worker: Worker) => Promise<unknown>]>([
  ['while it loads its file', (worker) => once(worker, 'online')],
  // Piscina's worker says so once, and is posted what it is to run.
  ['when it has loaded it', (worker) => once(worker, 'message')],
])('one that is taken and ends %s is lost, whatever stands in line for it', async (_when, moment) => {
  const loading = loadWorkers(1);
  const taken = loading.take();
  const queued = taken?.pool.run(undefined, { name: 'load' }).catch(() => undefined);
  while (live.size < 1) await once(process, 'worker');
  for (const worker of live) {
    await moment(worker);
    void worker.terminate();
  }
  expect(await taken?.lost).toBeInstanceOf(Error);
  await taken?.pool.destroy();
  await queued;
});

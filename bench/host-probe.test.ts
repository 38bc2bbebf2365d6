import { expect, test } from 'vitest';
import { watchHost } from './host-probe.ts';

test('the longest task is seen, and apart from it the longest after the one that began to watch', async () => {
  const watch = watchHost();
  work(30);
  await nextTimer();
  work(10);
  await nextTimer();
  const { max, maxAfterFirst } = watch.stop();
  expect(max).toBeGreaterThanOrEqual(30);
  expect(maxAfterFirst).toBeGreaterThanOrEqual(10);
  expect(maxAfterFirst).toBeLessThan(30);
});

test('what follows in promises belongs to the task that began to watch', async () => {
  const watch = watchHost();
  await Promise.resolve();
  work(10);
  await nextTimer();
  const { max, maxAfterFirst } = watch.stop();
  expect(max).toBeGreaterThanOrEqual(10);
  expect(maxAfterFirst).toBeLessThan(10);
});

/** Keeps this thread busy for so many milliseconds of its CPU time. */
function work(ms: number): void {
  const { user, system } = process.threadCpuUsage();
  for (let spent = 0; spent < ms;) {
    const now = process.threadCpuUsage();
    spent = (now.user + now.system - user - system) / 1_000;
  }
}

/** Timers of the same length fire in the order in which they were set: the probe's look comes first. */
function nextTimer(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 1));
}

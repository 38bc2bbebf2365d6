import { expect, test } from 'vitest';
import { watchHost } from './host-probe.ts';
import { threadCpuUs } from './thread-cpu.ts';

/** Longer than a collection of all garbage that other tests of this process have left. */
const LONG_MS = 300;

test('the longest task is seen, and apart from it the longest after the one that began to watch', async () => {
  const watch = watchHost();
  work(LONG_MS);
  await nextTimer();
  work(10);
  await nextTimer();
  const { max, maxAfterFirst } = watch.stop();
  expect(max).toBeGreaterThanOrEqual(LONG_MS);
  expect(maxAfterFirst).toBeGreaterThanOrEqual(10);
  expect(maxAfterFirst).toBeLessThan(LONG_MS);
});

test('what follows in promises belongs to the task that began to watch', async () => {
  const watch = watchHost();
  await Promise.resolve();
  work(LONG_MS);
  await nextTimer();
  const { max, maxAfterFirst } = watch.stop();
  expect(max).toBeGreaterThanOrEqual(LONG_MS);
  expect(maxAfterFirst).toBeLessThan(LONG_MS);
});

test('a task shorter than a tick of the kernel is seen as long as it took', () => {
  const ROUNDS = 20;
  let missed = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const from = threadCpuUs();
    const watch = watchHost();
    // By the wall: whoever asks for CPU time brings it up to date for the probe, too.
    for (const until = performance.now() + 2; performance.now() < until;);
    const { max } = watch.stop();
    const taken = (threadCpuUs() - from) / 1_000;
    expect(max).toBeLessThanOrEqual(taken);
    if (max < taken - 0.5) missed++;
  }
  // Before and after what is watched there may be a collection, or code that is run for the first time.
  expect(missed).toBeLessThan(ROUNDS / 4);
});

/** Keeps this thread busy for so many milliseconds of its CPU time. */
function work(ms: number): void {
  const from = threadCpuUs();
  while (threadCpuUs() - from < ms * 1_000);
}

/** Timers of the same length fire in the order in which they were set: the probe's look comes first. */
function nextTimer(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 1));
}

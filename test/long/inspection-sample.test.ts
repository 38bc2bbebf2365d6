import { expect, test } from 'vitest';
import { receive, type Receiver } from '../fixtures/inspector-receiver.ts';
import { NEVER, scene } from '../fixtures/scene.ts';

const THREADS = 10_000;
const WAVE = 500;
const SAMPLE = 0.01;
const SOON = { timeout: 120_000, interval: 250 };

/** The states of the threads that a receiver was told of, by their ids. */
function seenStates(receiver: Receiver): ReadonlyMap<string, string | undefined> {
  const threads = [...receiver.actors()].filter(([name]) => name.startsWith('thread-'));
  return new Map(threads.map(([name, { state }]) => [name, state]));
}

test('A viewer of one in a hundred sees these whole, while 10,000 threads run at once', async () => {
  const concurrency = { max_total_threads: THREADS, max_concurrent_children: THREADS };
  await using it = await scene(
    { endless: { limits: { duration_seconds: 3_600 }, says: [NEVER] } },
    { workers: 2, inspect: { sample: SAMPLE }, config: { resilience: { concurrency } } },
  );
  const { runtime } = it;
  const early = receive(runtime.inspector?.url ?? '');
  await early.until('supervisor');
  const before = process.cpuUsage();
  while ((await runtime.view()).running < THREADS) {
    await Promise.all(Array.from({ length: WAVE }, () => runtime.spawn('endless')));
    await expect.poll(async () => (await runtime.view()).queued, SOON).toBe(0);
  }
  // One is in a sample or not by its number: those that a late viewer is told of are those that the early one saw come.
  await expect.poll(() => new Set(seenStates(early).values()), SOON).toEqual(new Set(['running.calling']));
  const late = receive(runtime.inspector?.url ?? '');
  await expect.poll(() => seenStates(late), SOON).toEqual(seenStates(early));
  const ids = [...seenStates(early).keys()];
  expect(ids.length).toBeGreaterThan((THREADS * SAMPLE) / 2);
  expect(ids.length).toBeLessThan(THREADS * SAMPLE * 2);
  const told = await Promise.all(ids.map((id) => runtime.thread(id).status()));
  expect(new Map(told.map(({ id, state }) => [id, state]))).toEqual(seenStates(late));

  await Promise.all(ids.slice(1).map((id) => runtime.thread(id).cancel('seen')));
  const ended = new Map(ids.map((id, at) => [id, at === 0 ? 'running.calling' : 'cancelled']));
  await expect.poll(() => seenStates(late), SOON).toEqual(ended);
  const { user, system } = process.cpuUsage(before);
  const counts = runtime.inspector?.counts();
  console.info({ seen: ids.length, ...counts, cpuMs: (user + system) / 1_000 });
  expect(counts).toMatchObject({ viewers: 2, dropped: 0 });
});

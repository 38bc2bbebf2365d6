import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isSampled } from '../../src/host/inspection/selection.ts';
import { openReader } from '../../src/store/reader.ts';
import { receive, type Receiver } from '../fixtures/inspector-receiver.ts';
import { NEVER, scene, type Scene } from '../fixtures/scene.ts';

const THREADS = 10_000;
const WAVE = 500;
const SAMPLE = 0.01;
const SOON = { timeout: 120_000, interval: 250 };

/** The states of the threads that a receiver was told of, by their ids. */
function seenStates(receiver: Receiver): ReadonlyMap<string, string | undefined> {
  const threads = [...receiver.actors()].filter(([name]) => name.startsWith('thread-'));
  return new Map(threads.map(([name, { state }]) => [name, state]));
}

/** The ids of the threads that are in the sample, as they are on disk. */
function sampledOf({ project, runtime }: Scene): string[] {
  const ids = runtime.list({ limit: THREADS }).map(({ id }) => id);
  const reader = openReader(join(project.path, '.ai', 'threads', 'threads.db'));
  try {
    return ids.filter((id) => isSampled(reader.thread(id)?.root ?? Number.NaN, SAMPLE));
  } finally {
    reader.close();
  }
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
  // One is in a sample or not by its number: a late viewer is told of those that the early one saw come.
  const ids = sampledOf(it);
  expect(ids.length).toBeGreaterThan((THREADS * SAMPLE) / 2);
  expect(ids.length).toBeLessThan(THREADS * SAMPLE * 2);
  const calling = new Map(ids.map((id) => [id, 'running.calling']));
  await expect.poll(() => seenStates(early), SOON).toEqual(calling);
  const late = receive(runtime.inspector?.url ?? '');
  await expect.poll(() => seenStates(late), SOON).toEqual(calling);
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

import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { loadConfig } from '../src/config/load.ts';
import type { Clock } from '../src/core/clock.ts';
import { encodeEvent } from '../src/core/events.ts';
import { restingThreads } from '../src/host/operations/resting-threads.ts';
import { createProjectWindow } from '../src/host/window/project-window.ts';
import { readTimeline, type TimelineSources } from '../src/inspect/server/timeline.ts';
import { createTotals } from '../src/inspect/server/totals.ts';
import { openWindow } from '../src/store/window.ts';
import { admit, idOf, scratchStore, step, type ScratchStore } from './conformance/store-fixture.ts';

/** A window of a store, with totals, by this clock. */
function sourcesOf(
  { reader, path }: ScratchStore,
  clock: Pick<Clock, 'now' | 'stopwatch'>,
): TimelineSources & Disposable {
  const { config } = loadConfig({ systemDir: fileURLToPath(new URL('../config', import.meta.url)) });
  const threads = restingThreads({ reader, config, isRun: true });
  const opened = openWindow(path);
  const window = createProjectWindow({ reader, window: opened, threads, config, clock });
  return { window, totals: createTotals(window, clock), clock, [Symbol.dispose]: () => opened.close() };
}

test('What a timeline leaves out of a fan-out that grows is as many as there are, however old the totals', async () => {
  using project = scratchStore();
  const admitChildren = (from: number, to: number): void => {
    const numbers = Array.from({ length: to - from + 1 }, (_, at) => from + at + 1);
    project.store.commit(numbers.map((thread) => admit(thread, { parent: 1, ceiling: 1 })));
  };
  project.store.commit([admit(1, { ceiling: 1_000_000 })]);
  admitChildren(1, 20);
  using sources = sourcesOf(project, { now: () => 0, stopwatch: () => 0 });
  // A moment ago, as far as this clock goes.
  expect(await sources.totals.of({ parent: idOf(1) })).toMatchObject({ threads: 20 });
  admitChildren(21, 200);
  const { rows, summaries } = await readTimeline({ root: idOf(1), limit: 200 }, sources);
  expect(rows).toHaveLength(101);
  expect(summaries).toMatchObject([{ parent: idOf(1), threads: 100 }]);
});

test.each([
  ['the clock is moved back by an hour', { setMs: -3_600_000, tookMs: 0 }, 'running'],
  ['the clock is moved forward by an hour', { setMs: 3_600_000, tookMs: 0 }, 'running'],
  ['it takes long', { setMs: 0, tookMs: 1_000 }, 'queued'],
  ['it takes long and the clock is moved back', { setMs: -3_600_000, tookMs: 1_000 }, 'queued'],
])('Logs are read for a timeline for so long by the stopwatch: %s', async (_, { setMs, tookMs }, state) => {
  using project = scratchStore();
  const payload = { directive: 'demo', model: 'scripted:x', limits: {} };
  project.store.commit([admit(1, { ceiling: 1_000_000 }), admit(2, { parent: 1, ceiling: 1 })]);
  for (const thread of [1, 2]) {
    const lines = encodeEvent({ sequence: 1, event_type: 'thread_started', time: 1, payload });
    project.store.commit([step(thread, 1, { lines })]);
  }
  let [now, stopwatch] = [10_000_000, 0];
  using sources = sourcesOf(project, { now: () => (now += setMs), stopwatch: () => (stopwatch += tookMs) });
  const { rows } = await readTimeline({ root: idOf(1), limit: 200 }, sources);
  expect(rows[1]?.spans.at(-1)?.state).toBe(state);
});

import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { loadConfig } from '../src/config/load.ts';
import { restingThreads } from '../src/host/operations/resting-threads.ts';
import { createProjectWindow } from '../src/host/window/project-window.ts';
import { readTimeline } from '../src/inspect/server/timeline.ts';
import { createTotals } from '../src/inspect/server/totals.ts';
import { openWindow } from '../src/store/window.ts';
import { admit, idOf, scratchStore } from './conformance/store-fixture.ts';

test('What a timeline leaves out of a fan-out that grows is as many as there are, however old the totals', async () => {
  using project = scratchStore();
  const admitChildren = (from: number, to: number): void => {
    const numbers = Array.from({ length: to - from + 1 }, (_, at) => from + at + 1);
    project.store.commit(numbers.map((thread) => admit(thread, { parent: 1, ceiling: 1 })));
  };
  project.store.commit([admit(1, { ceiling: 1_000_000 })]);
  admitChildren(1, 20);
  const { reader } = project;
  const { config } = loadConfig({ systemDir: fileURLToPath(new URL('../config', import.meta.url)) });
  const clock = { now: () => 0, stopwatch: () => 0 };
  const threads = restingThreads({ reader, config, isRun: true });
  const opened = openWindow(project.path);
  const window = createProjectWindow({ reader, window: opened, threads, config, clock });
  // A moment ago, as far as this clock goes.
  const totals = createTotals(window, clock);
  expect(await totals.of({ parent: idOf(1) })).toMatchObject({ threads: 20 });
  admitChildren(21, 200);
  const { rows, summaries } = await readTimeline({ root: idOf(1), limit: 200 }, { window, totals, clock });
  opened.close();
  expect(rows).toHaveLength(101);
  expect(summaries).toMatchObject([{ parent: idOf(1), threads: 100 }]);
});

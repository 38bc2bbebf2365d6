import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { createHandClock } from '../../../test/conformance/hand-clock.ts';
import { scratchStore } from '../../../test/conformance/store-fixture.ts';
import { loadConfig } from '../../config/load.ts';
import { openWindow } from '../../store/window.ts';
import { restingThreads } from '../operations/resting-threads.ts';
import { createProjectWindow, type ProjectWindow } from './project-window.ts';

const { config } = loadConfig({ systemDir: fileURLToPath(new URL('../../../config', import.meta.url)) });

test.each<[what: string, most: number, (window: ProjectWindow, limit: number) => unknown]>([
  ['a level', 500, (window, limit) => window.level(undefined, { limit })],
  ['all threads', 500, (window, limit) => window.threads({ limit })],
  ['a search', 100, (window, limit) => window.search({ text: 'x', limit, timeMs: 1_000 })],
])('A page of %s has a limit from 1 to %d', async (_, most, read) => {
  using project = scratchStore();
  const { reader, path } = project;
  using stack = new DisposableStack();
  const window = stack.adopt(openWindow(path), (opened) => opened.close());
  const threads = restingThreads({ reader, config, isRun: () => false });
  const seen = createProjectWindow({ reader, window, threads, config, clock: createHandClock() });
  for (const limit of [0, -1, 1.5, Number.NaN, most + 1]) {
    const refused = { code: 'invalid_argument', message: expect.stringContaining(`from 1 to ${most}, not ${limit}`) };
    await expect(async () => read(seen, limit)).rejects.toMatchObject(refused);
  }
  await expect((async () => read(seen, most))()).resolves.toBeDefined();
});

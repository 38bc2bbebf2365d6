import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { createHandClock } from '../../../test/conformance/hand-clock.ts';
import { admit, END, idOf, scratchStore, step, type ScratchStore } from '../../../test/conformance/store-fixture.ts';
import { loadConfig } from '../../config/load.ts';
import { SkeinError, type SkeinErrorCode } from '../../core/errors.ts';
import { restingThreads } from '../../host/operations/resting-threads.ts';
import { createProjectWindow } from '../../host/window/project-window.ts';
import { openWindow } from '../../store/window.ts';
import type { Dashboard } from './dashboard.ts';
import { projectRoutes } from './project-routes.ts';
import { createTotals } from './totals.ts';

const { config } = loadConfig({ systemDir: fileURLToPath(new URL('../../../config', import.meta.url)) });

const WORKER = { threads: 7, states: {}, turns: 1, spend: 2, events: 3 };
const VIEW = { success: true, running: 4, queued: 5, workers: [WORKER] };
const STORED = { running: 1, queued: 2, workers: [] };
const failed = (code: SkeinErrorCode) => async () => {
  throw new SkeinError(code, 'not now');
};

test.each<[string, boolean, () => Promise<unknown>, unknown]>([
  ['says how busy it is', true, async () => VIEW, { running: 4, queued: 5, workers: [WORKER] }],
  ['does not answer in time', true, failed('deadline_exceeded'), STORED],
  ['closes the connection meanwhile', true, failed('runtime_closed'), STORED],
  ['has lost a worker meanwhile', true, failed('worker_lost'), STORED],
  ['is not there', false, async () => VIEW, null],
])('A project is told of whose runtime %s', async (_, isRun, call, runtime) => {
  using project = scratchStore();
  project.store.commit([admit(1), admit(2), admit(3), step(1, 1, { status: { to: 'running' } })]);
  const answer = await ask('/project', project, { isRun, orchestrator: { call } });
  expect(answer).toMatchObject({ runtime, totals: { threads: 3 }, pending_approvals: 0 });
});

test.each<[string, number, object]>([
  ['looks through it', 1, { hits: [], searched: 2 }],
  ['says so where it is archived, and nothing was looked through', 31, { hits: [], searched: 0, archived: true }],
])('A search below a thread %s', async (_, today, answer) => {
  let day = 0;
  const cleanup = { archiveAfterDays: 30, vacuumIntervalDays: 0 };
  using project = scratchStore({ now: () => day * 86_400_000, cleanup });
  const old = [2, 1].map((thread) => step(thread, 1, { status: END, at: 0 }));
  project.store.commit([admit(1, { at: 0 }), admit(2, { parent: 1, ceiling: 1, at: 0 }), admit(3), ...old]);
  day = today;
  while (project.store.tidy?.());
  expect(await ask(`/search?query=wren&under=${idOf(1)}`, project)).toEqual(answer);
});

/** What is answered of a project. */
async function ask(path: string, { path: file, reader }: ScratchStore, runtime: object = {}): Promise<unknown> {
  using opened = new DisposableStack();
  const window = opened.adopt(openWindow(file), (one) => one.close());
  const clock = createHandClock();
  const threads = restingThreads({ reader, config, isRun: () => true });
  const seen = createProjectWindow({ reader, window, threads, config, clock });
  const reached = { connection: { window: seen, ...runtime }, totals: createTotals(seen, clock) };
  // Nothing else is asked of a project here.
  const dashboard = { name: 'demo', version: '0.0.0', reach: async () => reached } as unknown as Dashboard;
  return (await projectRoutes(dashboard).request(path)).json();
}

import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { createHandClock } from '../../../test/conformance/hand-clock.ts';
import { admit, idOf, scratchStore, step } from '../../../test/conformance/store-fixture.ts';
import { loadConfig } from '../../config/load.ts';
import { SkeinError, type SkeinErrorCode } from '../../core/errors.ts';
import { encodeEvent } from '../../core/events.ts';
import { restingThreads } from '../../host/operations/resting-threads.ts';
import { createProjectWindow } from '../../host/window/project-window.ts';
import { openWindow } from '../../store/window.ts';
import type { Dashboard } from './dashboard.ts';
import { threadRoutes } from './thread-routes.ts';

const { config } = loadConfig({ systemDir: fileURLToPath(new URL('../../../config', import.meta.url)) });

const said = (more: object) => async () => ({ success: true, ...more });
const failed = (code: SkeinErrorCode) => async () => {
  throw new SkeinError(code, 'not now');
};
const BY_LOG = { state: 'running.calling', as_of: 'log' };

test.each<[string, () => Promise<unknown>, object]>([
  ['says it', said({ state: 'running.acting' }), { state: 'running.acting', as_of: 'worker' }],
  ['does not have it', said({}), BY_LOG],
  ['does not answer in time', failed('deadline_exceeded'), BY_LOG],
  ['is lost meanwhile', failed('worker_lost'), BY_LOG],
  ['is gone with its runtime', failed('runtime_closed'), BY_LOG],
])('A running thread is shown in a state, also where its worker %s', async (_, inspectThread, machine) => {
  using open = new DisposableStack();
  const { store, reader, path } = open.use(scratchStore());
  const lines = encodeEvent({
    sequence: 1,
    event_type: 'cognition_in',
    time: 1,
    payload: { text: 'Go on.', role: 'user' },
  });
  store.commit([admit(1), step(1, 1, { lines, status: { to: 'running' } })]);
  const opened = open.adopt(openWindow(path), (one) => one.close());
  const threads = restingThreads({ reader, config, isRun: () => true });
  const window = createProjectWindow({ reader, window: opened, threads, config, clock: createHandClock() });
  // Nothing else is asked of it here.
  const dashboard = { reach: async () => ({ connection: { window, orchestrator: { inspectThread } } }) };
  const answer = await threadRoutes(dashboard as unknown as Dashboard).request(`/${idOf(1)}`);
  expect(await answer.json()).toMatchObject({ thread: { id: idOf(1), status: 'running' }, machine });
});

import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { admit, shippedTables, step } from '../../../test/conformance/store-fixture.ts';
import { systemClock } from '../../core/clock.ts';
import { SkeinError, type SkeinErrorCode } from '../../core/errors.ts';
import { openStore } from '../../store/open.ts';
import { openControlSocket } from '../control-socket/control-socket.ts';
import { readProjectStatus, type ProjectStatus } from './project-status.ts';

let project: string;
beforeEach(() => {
  project = mkdtempSync(join(tmpdir(), 'skein-status-'));
  const folder = join(project, '.ai', 'threads');
  mkdirSync(folder, { recursive: true });
  const store = openStore({ path: join(folder, 'threads.db'), tables: shippedTables(), now: () => 0 });
  store.commit([admit(1), step(1, 1)]);
  store.close();
});
afterEach(() => rmSync(project, { recursive: true, force: true }));

/** How the project stands beside a runtime that answers everything with this failure. */
async function statusBeside(code: SkeinErrorCode): Promise<ProjectStatus> {
  const socket = await openControlSocket({
    folder: join(project, '.ai', 'threads'),
    operations: { call: () => Promise.reject(new SkeinError(code, 'not now')) },
    clock: systemClock,
    problem: (failure) => {
      throw new Error(failure.message);
    },
  });
  try {
    return await readProjectStatus({ project, userSpace: false, env: {} });
  } finally {
    await socket.close();
  }
}

test.each(['deadline_exceeded', 'runtime_closed'] as const)(
  'A project stands as it is stored where its runtime does not say how: %s',
  async (code) => {
    // Nobody holds the lock here: what was left running is at rest.
    expect(await statusBeside(code)).toMatchObject({ runtime: undefined, threads: { suspended: 1 }, archived: 0 });
  },
);

test('What else a runtime fails with is told', async () => {
  await expect(statusBeside('store_failed')).rejects.toMatchObject({ code: 'store_failed' });
});

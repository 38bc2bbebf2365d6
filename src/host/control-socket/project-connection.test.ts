import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { admit, idOf, shippedTables, step } from '../../../test/conformance/store-fixture.ts';
import { systemClock } from '../../core/clock.ts';
import { openStore } from '../../store/open.ts';
import { openControlSocket, type ControlSocket } from './control-socket.ts';
import { openProjectConnection, type ProjectConnection } from './project-connection.ts';

describe('A project whose config file is broken', () => {
  let project: string;
  beforeEach(() => {
    project = mkdtempSync(join(tmpdir(), 'skein-connection-'));
    mkdirSync(join(project, '.ai', 'threads'), { recursive: true });
    mkdirSync(join(project, '.ai', 'config'), { recursive: true });
    writeFileSync(join(project, '.ai', 'config', 'resilience.yaml'), 'limits: [');
  });
  afterEach(() => rmSync(project, { recursive: true, force: true }));

  function connect(): Promise<ProjectConnection> {
    return openProjectConnection({ project, userSpace: false, env: {} });
  }

  /** The socket of a runtime that answers this to everything. */
  async function runtime(answer: object): Promise<ControlSocket & AsyncDisposable> {
    const folder = join(project, '.ai', 'threads');
    const operations = { call: async () => answer };
    const problem = (failure: unknown): never => {
      throw new Error(JSON.stringify(failure));
    };
    const socket = await openControlSocket({ folder, operations, clock: systemClock, problem });
    return { ...socket, [Symbol.asyncDispose]: () => socket.close() };
  }

  test('is reached through the runtime that goes on with what it had read', async () => {
    await using _ = await runtime({ success: true, cancelled: 'a' });
    using connection = await connect();
    expect(connection.isRun).toBe(true);
    expect(await connection.orchestrator.cancelThread('a')).toEqual({ success: true, cancelled: 'a' });
  });

  test('is looked at beside that runtime', async () => {
    const path = join(project, '.ai', 'threads', 'threads.db');
    const store = openStore({ path, tables: shippedTables(), now: () => 0 });
    store.commit([admit(1), step(1, 1)]);
    store.close();
    await using _ = await runtime({});
    using connection = await connect();
    const log = await connection.window.log(idOf(1), { limit: 10 });
    expect(log.events).toMatchObject([{ event_type: 'warning', criticality: 'droppable' }]);
  });

  test('is refused where no runtime answers', async () => {
    await expect(connect()).rejects.toMatchObject({ code: 'invalid_config' });
  });
});

test('A project that is no folder is refused as that', async () => {
  const project = join(tmpdir(), 'skein-no-such-project');
  const connected = openProjectConnection({ project, userSpace: false, env: {} });
  await expect(connected).rejects.toMatchObject({ code: 'invalid_argument' });
});

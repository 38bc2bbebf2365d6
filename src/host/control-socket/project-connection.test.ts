import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createHandClock } from '../../../test/conformance/hand-clock.ts';
import { admit, idOf, shippedTables, step } from '../../../test/conformance/store-fixture.ts';
import { systemClock } from '../../core/clock.ts';
import { SkeinError } from '../../core/errors.ts';
import { SILENCE } from '../../core/words.ts';
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

  /** The socket of a runtime that answers, or refuses, everything with this. */
  async function runtime(answer: object): Promise<ControlSocket & AsyncDisposable> {
    const folder = join(project, '.ai', 'threads');
    const call = async (): Promise<object> => {
      if (answer instanceof SkeinError) throw answer;
      return answer;
    };
    const operations = { call };
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

  test('is asked what its threads wait for, whether or not that runtime answers', async () => {
    const path = join(project, '.ai', 'threads', 'threads.db');
    const store = openStore({ path, tables: shippedTables(), now: () => 0 });
    const approvalId = `approval-${'0'.repeat(32)}` as const;
    const amounts = { limitCode: undefined, currentValue: undefined, currentMax: undefined, suggested: undefined };
    const request = { approvalId, reason: 'approval', askedBy: 'gate', message: 'May I?', ...amounts } as const;
    store.commit([admit(1), step(1, 1, { status: { to: 'suspended', reason: 'approval' }, request })]);
    store.close();
    await using _ = await runtime(new SkeinError('runtime_closed', 'not now'));
    using connection = await connect();
    expect(await connection.approvals.list({ status: 'pending', thread: idOf(1) })).toMatchObject([{ approvalId }]);
    expect(await connection.approvals.get(approvalId)).toMatchObject({ message: 'May I?' });
    await expect(connection.approvals.grant(approvalId)).rejects.toMatchObject({ code: 'runtime_closed' });
  });

  test('opens no database after its connection was closed', async () => {
    await using _ = await runtime({});
    const connection = await connect();
    connection.close();
    await expect(connection.approvals.list()).rejects.toMatchObject({ code: 'runtime_closed' });
    expect(() => connection.window).toThrow('is closed');
  });

  test.each(['deadline_exceeded', 'runtime_closed', 'worker_lost'] as const)(
    'takes nothing back of what a model has said where its runtime does not say what follows: %s',
    async (code) => {
      await using _ = await runtime(new SkeinError(code, 'not now'));
      using connection = await connect();
      const asked = { thread_id: idOf(1), answer: 7, after: 30 };
      expect(await connection.words(asked)).toEqual({ answer: 7, from: 30, text: '' });
      expect(await connection.words({ thread_id: idOf(1) })).toEqual(SILENCE);
    },
  );

  test('is refused where no runtime answers', async () => {
    await expect(connect()).rejects.toMatchObject({ code: 'invalid_config' });
  });
});

describe('A project whose runtime has no control socket', () => {
  let project: string;
  beforeEach(() => {
    project = mkdtempSync(join(tmpdir(), 'skein-connection-'));
    const store = openStore({ path: fileOf('threads.db'), tables: shippedTables(), now: () => 0 });
    store.commit([admit(1), step(1, 1, { status: { to: 'running' } })]);
    store.close();
  });
  afterEach(() => rmSync(project, { recursive: true, force: true }));

  function fileOf(name: string): string {
    return join(project, '.ai', 'threads', name);
  }

  /** As the runtime writes and removes it with its lock. */
  function hold(isHeld: boolean): void {
    if (isHeld) writeFileSync(fileOf('runtime.pid'), `${process.pid}\n`);
    else rmSync(fileOf('runtime.pid'), { force: true });
  }

  test.each([
    ['has come', false, 'suspended', 'running'],
    ['has gone', true, 'running', 'suspended'],
  ])('is shown as it stands once that %s, and is to be connected to again', async (_, isHeld, before, after) => {
    hold(isHeld);
    using connection = await openProjectConnection({ project, userSpace: false, env: {} });
    const told = async () => [
      connection.isOpen,
      connection.window.thread(idOf(1)).status,
      (await connection.window.tally('all')).counts,
      await connection.orchestrator.getStatus(idOf(1)),
    ];
    expect(await told()).toMatchObject([true, before, { [before]: 1 }, { status: before }]);
    hold(!isHeld);
    expect(await told()).toMatchObject([false, after, { [after]: 1 }, { status: after }]);
    hold(isHeld);
    expect(connection.isOpen).toBe(true);
  });

  test('has no operations on requests but those that there are', async () => {
    using connection = await openProjectConnection({ project, userSpace: false, env: {} });
    const called = connection.approvals.call('burn_approval' as never, {} as never);
    await expect(called).rejects.toMatchObject({ code: 'invalid_argument' });
  });

  test.each<[string, isStored: boolean, use: (connection: ProjectConnection) => unknown]>([
    ['at once', true, () => undefined],
    ['after it was looked at', true, ({ window }) => window],
    ['with nothing stored', false, () => undefined],
  ])('is not read through a connection that was closed %s', async (_, isStored, use) => {
    if (!isStored) rmSync(fileOf(''), { recursive: true });
    const connection = await openProjectConnection({ project, userSpace: false, env: {} });
    use(connection);
    connection.close();
    expect(connection.isOpen).toBe(false);
    expect(() => connection.window).toThrow('is closed');
    const closed = { code: 'runtime_closed' };
    await expect(connection.orchestrator.listThreads()).rejects.toMatchObject(closed);
    await expect(connection.approvals.list()).rejects.toMatchObject(closed);
  });
});

describe('A project whose runtime was stopped', () => {
  let project: string;
  beforeEach(() => {
    project = mkdtempSync(join(tmpdir(), 'skein-connection-'));
    const path = join(project, '.ai', 'threads', 'threads.db');
    const store = openStore({ path, tables: shippedTables(), now: () => 0 });
    store.commit([admit(1), step(1, 1, { status: { to: 'running' } })]);
    store.close();
  });
  afterEach(() => rmSync(project, { recursive: true, force: true }));

  test('is read as it is stored, without waiting a second time, until something is heard of it again', async () => {
    const clock = createHandClock();
    const gate = Promise.withResolvers<void>();
    const asked: string[] = [];
    const call = async (name: string): Promise<object> => {
      asked.push(name);
      await gate.promise;
      return { success: true, active_threads: [], count: 0 };
    };
    const folder = join(project, '.ai', 'threads');
    const socket = await openControlSocket({ folder, operations: { call }, clock, problem: () => undefined });
    using connection = await openProjectConnection({ project, userSpace: false, env: {} }, clock);
    const first = connection.orchestrator.getStatus(idOf(1));
    await expect.poll(() => asked).toEqual(['get_status']);
    clock.advance(8_000);
    expect(await first).toMatchObject({ success: true, status: 'running' });
    expect(await connection.orchestrator.listActive()).toMatchObject({ activeThreads: [idOf(1)] });
    const view = connection.orchestrator.viewRuntime();
    await expect.poll(() => asked).toEqual(['get_status', 'view_runtime']);
    clock.advance(8_000);
    await expect(view).rejects.toMatchObject({ code: 'deadline_exceeded' });
    gate.resolve();
    await expect.poll(async () => (await connection.orchestrator.listActive()).success && asked.length).toBe(3);
    await socket.close();
  });
});

test('A project that is no folder is refused as that', async () => {
  const project = join(tmpdir(), 'skein-no-such-project');
  const connected = openProjectConnection({ project, userSpace: false, env: {} });
  await expect(connected).rejects.toMatchObject({ code: 'invalid_argument' });
});

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import type { LimitOverrides, ListFilter, Runtime } from '../src/index.ts';
import { call, scene, SPAWN, startOn, until, type Part, type Scene } from './fixtures/scene.ts';
import { storedFlaws } from './fixtures/stored-flaws.ts';

const PARTS: Readonly<Record<string, Part>> = {
  echo: { says: [{ text: '${last.text}', delay_ms: 1_000 }] },
  endless: { says: [{ text: 'never', delay_ms: 3_600_000 }] },
  parent: { limits: { spawns: 0 }, says: [call(SPAWN, { directive_name: 'echo' }), { text: '${last.results}' }] },
};

const ONE_SLOT = { config: { resilience: { concurrency: { max_total_threads: 1 } } } };

test.each([
  ['had begun', 'shutdown', begun],
  ['had not begun', 'user', notBegun],
] as const)(
  'A thread that %s and was resumed goes on, with what it was told, although its runtime is killed before its turn',
  async (_name, reason, suspended) => {
    await using it = await scene(PARTS, ONE_SLOT);
    const id = await suspended(it);
    expect(it.project.row(id)).toMatchObject({ status: 'suspended', suspendReason: reason });
    await it.runtime.close({ graceMs: 0 });
    await killAfterResuming(it.project.path, id, { turns: 7 });
    const database = join(it.project.path, '.ai', 'threads', 'threads.db');
    expect(storedFlaws(database)).toEqual([]);
    expect(it.project.row(id)).toMatchObject({ status: 'suspended', suspendReason: 'shutdown' });

    await using next = await startOn(it.project, PARTS, RECOVERING);
    expect(await next.thread(id).result).toMatchObject({ status: 'completed', text: 'are you there?' });
    const resumptions = it.project.log(id).filter(({ event_type }) => event_type === 'thread_resumed');
    expect(resumptions).toMatchObject([{ payload: { message: 'are you there?', limits: { turns: 7 } } }]);
    expect(storedFlaws(database)).toEqual([]);
  },
);

test('A thread that was resumed with more spawns has them, although its runtime is killed before its turn', async () => {
  await using it = await scene(PARTS, ONE_SLOT);
  const id = await notBegun(it, 'parent');
  await it.runtime.close({ graceMs: 0 });
  await killAfterResuming(it.project.path, id, { spawns: 1 });

  await using next = await startOn(it.project, PARTS, RECOVERING);
  const ending = await next.thread(id).result;
  expect(ending).toMatchObject({ status: 'completed', text: expect.not.stringContaining('exceeded') });
  expect(next.list({ directive: 'echo' })).toMatchObject([{ status: 'completed' }]);
});

test('An ended thread that was resumed goes on with what it was told, although its runtime is killed before its turn', async () => {
  await using it = await scene(PARTS, ONE_SLOT);
  const handle = await it.runtime.spawn('echo');
  await handle.result;
  await it.runtime.close({ graceMs: 0 });
  await killAfterResuming(it.project.path, handle.id, { turns: 7, spend: 7 });
  expect(storedFlaws(join(it.project.path, '.ai', 'threads', 'threads.db'))).toEqual([]);

  const next = await startOn(it.project, PARTS, RECOVERING);
  const successor = successorOf(next, handle.id);
  expect(await next.thread(successor).result).toMatchObject({ status: 'completed', text: 'are you there?' });
  await next.close();
  expect(it.project.log(successor).find(({ event_type }) => event_type === 'thread_started')).toMatchObject({
    payload: { continues: handle.id, limits: { turns: 7, spend: 7 } },
  });
  expect(it.project.ledger(successor)).toMatchObject({ max: MORE });
  expect(timesHeard(it, successor)).toBe(1);

  // What it was told is its own: neither is told again who goes on from it, nor who reads it back.
  await using third = await startOn(it.project, PARTS);
  const last = await third.thread(successor).resume();
  expect(await last.result).toMatchObject({ status: 'completed', text: 'Go on from here.' });
  expect(timesHeard(it, last.id)).toBe(1);
});

function successorOf(runtime: Runtime, id: string): string {
  const next = runtime.list({ directive: 'echo' }).find((thread) => thread.id !== id);
  if (!next) throw new Error(`nothing goes on from ${id}`);
  return next.id;
}

/** How often the message of the resumption stands in a log, what was carried included. */
function timesHeard({ project }: Scene, id: string): number {
  return project.log(id).filter(({ event_type, payload }) => {
    return event_type === 'cognition_in' && 'text' in payload && payload.text === 'are you there?';
  }).length;
}

test('A resumed thread that waits for its slot is listed as it stands, whatever its row says', async () => {
  await using it = await scene(PARTS, ONE_SLOT);
  const id = await notBegun(it);
  const [resting] = [await it.runtime.spawn('echo')];
  await resting.suspend();
  await it.runtime.thread(id).resume();
  expect(it.project.row(id)).toMatchObject({ status: 'suspended', suspendReason: 'shutdown' });
  expect(await it.runtime.thread(id).status()).toMatchObject({ status: 'created' });
  const listed = (filter: ListFilter): unknown => it.runtime.list(filter).map((one) => [one.id, one.status]);
  const named = async (filter: ListFilter): Promise<unknown> => {
    const answer = await it.runtime.orchestrator.listThreads({ ...filter });
    return answer.success && answer.threads.map((one) => [one.threadId, one.status]);
  };
  for (const list of [listed, named]) {
    expect(await list({ directive: 'echo' })).toEqual([
      [resting.id, 'suspended'],
      [id, 'created'],
    ]);
    expect(await list({ status: ['created'] })).toEqual([[id, 'created']]);
    expect(await list({ status: ['suspended'], limit: 1 })).toEqual([[resting.id, 'suspended']]);
    expect(await list({ status: ['suspended', 'created'] })).toEqual([
      [resting.id, 'suspended'],
      [id, 'created'],
    ]);
    expect(await list({ status: ['created'], directive: 'endless' })).toEqual([]);
  }
});

// The long form has every statement.
const STATEMENTS = process.env['KILL_STATEMENTS'];

test.each(STATEMENTS === undefined ? [3, 4] : Array.from({ length: Number(STATEMENTS) }, (_, at) => at))(
  'A resumption with more money that is cut off at its statement %i is there with the money, or neither is',
  async (at) => {
    await using it = await scene(PARTS, ONE_SLOT);
    const id = await notBegun(it);
    await it.runtime.close({ graceMs: 0 });
    await killAfterResuming(it.project.path, id, { spend: 7 }, at);
    const isResumed = it.project.log(id).some(({ event_type }) => event_type === 'thread_resumed');
    expect(it.project.row(id)).toMatchObject({ suspendReason: isResumed ? 'shutdown' : 'user' });
    expect(it.project.ledger(id)).toMatchObject({ max: isResumed ? MORE : 1_000_000_000 });
    expect(storedFlaws(join(it.project.path, '.ai', 'threads', 'threads.db'))).toEqual([]);
  },
);

const MORE = 7_000_000_000;

const RECOVERING = { config: { resilience: { coordination: { on_restart: 'resume' } } } };

async function begun({ runtime }: Scene): Promise<string> {
  const handle = await runtime.spawn('echo');
  await until(handle, 'cognition_in');
  await runtime.close({ graceMs: 0 });
  return handle.id;
}

async function notBegun({ runtime }: Scene, directive = 'echo'): Promise<string> {
  await runtime.spawn('endless');
  const handle = await runtime.spawn(directive);
  await handle.suspend();
  return handle.id;
}

/**
 * A runtime whose only slot is taken is told to resume the thread, and killed once it has said that it does; or before that,
 * at a statement.
 */
async function killAfterResuming(path: string, id: string, limits: LimitOverrides, at?: number): Promise<void> {
  const file = fileURLToPath(new URL('fixtures/resume-process.ts', import.meta.url));
  const killer = at === undefined ? [] : ['--import', new URL('fixtures/kill-at-statement.ts', import.meta.url).href];
  const child = spawn(process.execPath, [...killer, file, path, id, JSON.stringify(limits)], {
    env: { ...process.env, KILL_AT: `${at}`, KILL_FROM: `"thread_resumed"|${MORE}` },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  for await (const line of createInterface({ input: child.stdout })) {
    expect(line).toBe('resumed');
    child.kill('SIGKILL');
  }
  expect(await exited).toEqual([null, 'SIGKILL']);
}

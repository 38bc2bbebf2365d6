import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { scene, type Part } from '../fixtures/scene.ts';

const HOLDER = fileURLToPath(new URL('../faults/lock-holder.ts', import.meta.url));
const HELD_MS = 10_000;
const QUICK: Readonly<Record<string, Part>> = { quick: { says: [{ text: 'done' }] } };

test('a database that another process locks for 10 s delays what runs, and harms nothing', async () => {
  await using it = await scene(QUICK);
  const problems: unknown[] = [];
  it.runtime.on('problem', (failure) => problems.push(failure));
  expect(await (await it.runtime.spawn('quick')).result).toMatchObject({ status: 'completed' });

  const path = join(it.project.path, '.ai', 'threads', 'threads.db');
  const holder = spawn(process.execPath, [HOLDER, path, String(HELD_MS)], { stdio: ['ignore', 'pipe', 'inherit'] });
  const lines = createInterface(holder.stdout)[Symbol.asyncIterator]();
  expect(await lines.next()).toMatchObject({ value: 'locked' });
  const spawned = it.runtime.spawn('quick').then(({ id, result }) => ({ id, result, admittedAt: Date.now() }));
  // The host does not wait with the store: it answers what only reads.
  expect(it.runtime.list()).toHaveLength(1);
  const { id, result, admittedAt } = await spawned;
  const { value: releasedAt } = await lines.next();
  expect(admittedAt).toBeGreaterThanOrEqual(Number(releasedAt));
  expect(await result).toMatchObject({ status: 'completed' });
  expect(it.project.log(id).at(-1)).toMatchObject({ event_type: 'thread_completed' });
  expect(problems).toEqual([]);
});

test('an event loop that stands still for two seconds ends no thread', async () => {
  await using it = await scene(QUICK);
  const problems: unknown[] = [];
  it.runtime.on('problem', (failure) => problems.push(failure));
  const handles = await Promise.all([it.runtime.spawn('quick'), it.runtime.spawn('quick')]);
  // The fault itself: nothing else can run on this thread meanwhile.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2_000);
  const endings = await Promise.all(handles.map(({ result }) => result));
  expect(endings).toMatchObject([{ status: 'completed' }, { status: 'completed' }]);
  expect(problems).toEqual([]);
});

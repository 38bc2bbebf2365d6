import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { NEVER, call, project, startOn, until, type Part, type Project, type SceneOptions } from './fixtures/scene.ts';

const PARTS: Record<string, Part> = {
  task: { says: [NEVER] },
  full: {
    limits: { spawns: 0, tokens: 10_000_000 },
    says: [{ ...call('rye_file_system_ls'), usage: { input_tokens: 120_000, output_tokens: 1 } }, NEVER],
  },
  short: { limits: { turns: 1 }, says: [call('rye_file_system_ls')] },
};
const RESUMING: SceneOptions = {
  config: { resilience: { checkpoint: { persistence: { format: 'json' } }, coordination: { on_restart: 'resume' } } },
};

const CANCELLED = { status: 'cancelled', error: { message: expect.stringContaining('.cancel') } };

test('A .cancel file in the folder of a thread cancels it, whether it runs, rests, or is found by the next runtime', async () => {
  using made = project(PARTS);
  await using runtime = await startOn(made, PARTS, RESUMING);
  const running = await runtime.spawn('task');
  const rests = await runtime.spawn('short');
  const left = await runtime.spawn('task');
  for (const handle of [running, left]) await until(handle, 'thread_started');
  await until(rests, 'thread_suspended');
  await vi.waitUntil(() => [running, rests].every(({ id }) => existsSync(join(folderOf(made, id), 'state.json'))), {
    timeout: 10_000,
  });
  touch(made, running.id);
  touch(made, rests.id);
  expect(await running.result).toMatchObject(CANCELLED);
  expect(await rests.result).toMatchObject(CANCELLED);
  await runtime.close({ graceMs: 0 });
  expect(made.row(left.id)).toMatchObject({ status: 'suspended', suspendReason: 'shutdown' });

  touch(made, left.id);
  await using next = await startOn(made, PARTS, RESUMING);
  expect(await next.thread(left.id).result).toMatchObject(CANCELLED);
  expect(made.log(left.id).filter(({ event_type }) => event_type === 'thread_resumed')).toEqual([]);
});

test('Such a file in the folder of a thread that has handed over cancels the one that goes on, also in the next runtime', async () => {
  using made = project(PARTS);
  await using runtime = await startOn(made, PARTS, RESUMING);
  const handles = [await runtime.spawn('full'), await runtime.spawn('full')] as const;
  const [now, later] = handles;
  for (const handle of handles) {
    await until(handle, 'thread_continued');
    await vi.waitUntil(() => stateOf(made, handle.id).includes('"continued"'), { timeout: 10_000 });
  }
  touch(made, now.id);
  expect(await now.result).toMatchObject(CANCELLED);
  await runtime.close({ graceMs: 0 });

  touch(made, later.id);
  await using next = await startOn(made, PARTS, RESUMING);
  expect(await next.thread(later.id).result).toMatchObject(CANCELLED);
});

test('Where states are kept in the database alone, such a file says nothing', async () => {
  using made = project({ task: {} });
  await using runtime = await startOn(made, { task: { says: [{ text: 'done' }] } });
  const rests = await runtime.spawn('task');
  mkdirSync(folderOf(made, rests.id));
  touch(made, rests.id);
  expect(await rests.result).toMatchObject({ status: 'completed' });
  expect(readdirSync(folderOf(made, rests.id))).toEqual(['.cancel']);
});

function folderOf({ path }: Project, id: string): string {
  return join(path, '.ai', 'threads', id);
}

function stateOf(made: Project, id: string): string {
  const file = join(folderOf(made, id), 'state.json');
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
}

function touch(made: Project, id: string): void {
  writeFileSync(join(folderOf(made, id), '.cancel'), '');
}

import { cpSync, mkdtempSync, renameSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Failure, Runtime } from '../src/index.ts';
import { call, NEVER, project, SPAWN, startOn, THREAD_TOOLS, until, type Part } from './fixtures/scene.ts';

const PARTS: Record<string, Part> = {
  parent: { tools: THREAD_TOOLS, says: [call(SPAWN, { directive_name: 'child' }), { text: 'over' }] },
  child: { says: [NEVER] },
};
const QUICK: Record<string, Part> = { ...PARTS, child: { says: [{ text: 'done' }] } };
const RESUMING = { config: { resilience: { coordination: { on_restart: 'resume' } } } };

/** A project whose runtime ended while a parent waited for its child, and the parent's id. */
async function interrupted() {
  const made = project(PARTS);
  const runtime = await startOn(made, PARTS);
  const parent = await runtime.spawn('parent');
  const { payload } = await until(parent, 'child_thread_started');
  await runtime.close({ graceMs: 0 });
  return { made, ids: [parent.id, payload.child_thread_id] as const };
}

/** What somebody gets who clones it. */
function clone(path: string): string {
  const to = mkdtempSync(join(tmpdir(), 'skein-clone-'));
  cpSync(path, to, { recursive: true });
  return to;
}

function problemsOf(runtime: Runtime): Failure[] {
  const problems: Failure[] = [];
  runtime.on('problem', (failure) => problems.push(failure));
  return problems;
}

describe('What was interrupted', () => {
  test('in a database that was cloned stays suspended at every start, and that is told', async () => {
    const { made, ids } = await interrupted();
    using _made = made;
    using own = project({}, clone(made.path));
    for (const _start of [1, 2]) {
      await using runtime = await startOn(own, QUICK, RESUMING);
      const problems = problemsOf(runtime);
      const told = { code: 'not_available', message: expect.stringContaining(ids[0]) };
      await expect.poll(() => problems).toMatchObject([told]);
      expect(await runtime.waitAll(ids)).toMatchObject([{ status: 'suspended' }, { status: 'suspended' }]);
      expect(await (await runtime.spawn('child')).result).toMatchObject({ status: 'completed' });
    }
    expect(ids.map((id) => own.row(id)?.suspendReason)).toEqual(['shutdown', 'shutdown']);
  });

  test('in a clone goes on once a person says so, with what is below it, and from then on by itself', async () => {
    const { made, ids } = await interrupted();
    using _made = made;
    using own = project({}, clone(made.path));
    const first = await startOn(own, PARTS, RESUMING);
    const child = first.thread(ids[1]);
    await first.thread(ids[0]).resume();
    await until(child, 'thread_resumed');
    await first.close({ graceMs: 0 });
    expect(own.row(ids[0])).toMatchObject({ status: 'suspended', suspendReason: 'shutdown' });
    await using second = await startOn(own, QUICK, RESUMING);
    const problems = problemsOf(second);
    expect(await second.waitAll(ids)).toMatchObject([{ status: 'completed' }, { status: 'completed' }]);
    expect(problems).toEqual([]);
  });

  test('in a project that was moved goes on by itself', async () => {
    const { made, ids } = await interrupted();
    using own = project({}, `${made.path}-moved`);
    renameSync(made.path, own.path);
    await using runtime = await startOn(own, QUICK, RESUMING);
    expect(await runtime.waitAll(ids)).toMatchObject([{ status: 'completed' }, { status: 'completed' }]);
  });
});

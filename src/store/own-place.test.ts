import { mkdirSync, readFileSync, readlinkSync, renameSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { admit, idOf, scratchFolder, shippedTables, step } from '../../test/conformance/store-fixture.ts';
import type { Failure } from '../core/errors.ts';
import { archivePath } from './archive-shelf.ts';
import { collectGarbage } from './collect-garbage.ts';
import { openStore } from './open.ts';

const SECRET = 'export PATH=~/bin:$PATH\n';

/** A project's state in the making, and a file of the user's beside it. */
function project() {
  const scratch = scratchFolder();
  const folder = dirname(scratch.path);
  const victim = join(scratch.folder, 'bashrc');
  writeFileSync(victim, SECRET, { mode: 0o644 });
  mkdirSync(folder);
  const problems: Failure[] = [];
  const open = () =>
    openStore({
      path: scratch.path,
      tables: shippedTables(),
      now: () => 9_000,
      persistence: { format: 'json' },
      problem: (failure) => problems.push(failure),
    });
  const unharmed = () => expect([readFileSync(victim, 'utf8'), statSync(victim).mode & 0o777]).toEqual([SECRET, 0o644]);
  return { ...scratch, threads: folder, victim, problems, open, unharmed };
}

const unwritable = (file: string): unknown => expect.objectContaining({ code: 'project_unwritable', where: { file } });

describe('A project that came with links', () => {
  test.each(['runtime.lock', 'threads.db'])('where %s belongs is refused', (name) => {
    using it = project();
    const file = join(it.threads, name);
    symlinkSync(it.victim, file);
    expect(() => it.open()).toThrow(unwritable(file));
    it.unharmed();
  });

  test('where the folder of its threads belongs is refused', () => {
    using it = project();
    renameSync(it.threads, join(it.folder, 'elsewhere'));
    symlinkSync(join(it.folder, 'elsewhere'), it.threads);
    expect(() => it.open()).toThrow(unwritable(it.threads));
  });

  test('where the number of its process belongs has a file there instead', () => {
    using it = project();
    symlinkSync(it.victim, join(it.threads, 'runtime.pid'));
    const store = it.open();
    expect(readFileSync(join(it.threads, 'runtime.pid'), 'utf8')).toBe(`${process.pid}\n`);
    store.close();
    it.unharmed();
  });

  test('where a state.json belongs has a file there instead', () => {
    using it = project();
    const own = join(it.threads, idOf(1));
    mkdirSync(own);
    for (const name of ['state.json', 'state.json.tmp']) symlinkSync(it.victim, join(own, name));
    const store = it.open();
    store.commit([admit(1), step(1, 1, { status: { to: 'running' } })]);
    store.close();
    expect(JSON.parse(readFileSync(join(own, 'state.json'), 'utf8'))).toMatchObject({ thread_id: idOf(1) });
    it.unharmed();
  });

  test('where the folder of a thread belongs has no state.json, and that is told', () => {
    using it = project();
    const own = join(it.threads, idOf(1));
    symlinkSync(it.folder, own);
    const store = it.open();
    store.commit([admit(1), step(1, 1, { status: { to: 'running' } })]);
    store.close();
    expect(it.problems).toEqual([unwritable(own)]);
    expect(readlinkSync(own)).toBe(it.folder);
  });

  test('where its archive belongs has nothing archived', async () => {
    using it = project();
    it.open().close();
    const store = it.open();
    store.commit([admit(1, { at: 0 }), step(1, 1, { at: 0, status: { to: 'completed', ending: '{}' } })]);
    store.close();
    const other = scratchFolder();
    openStore({ path: other.path, tables: shippedTables(), now: () => 0 }).close();
    symlinkSync(other.path, archivePath(it.path));
    const all = { path: it.path, tables: shippedTables(), now: 9e12, archiveAfterDays: 1, problem: () => undefined };
    await expect(collectGarbage(all)).rejects.toThrow(unwritable(archivePath(it.path)));
    other[Symbol.dispose]();
  });
});

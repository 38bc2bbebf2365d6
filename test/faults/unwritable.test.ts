import { chmodSync, chownSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { scratchFolder } from '../conformance/store-fixture.ts';
import { skeinProcess } from '../fixtures/skein-command.ts';
import { acksIn, expectWholeAfterOpen } from './acknowledged.ts';
import { runWriter } from './run-writer.ts';

/** Permissions mean nothing to root: the writer is somebody else then. */
const isRoot = process.getuid?.() === 0;
const NOBODY = 65_534;

function givenAway(...paths: readonly string[]): void {
  if (isRoot) for (const path of paths) chownSync(path, NOBODY, NOBODY);
}

/** What is in a folder, byte for byte. */
function contents(folder: string): Map<string, string> {
  return new Map(readdirSync(folder).map((name) => [name, readFileSync(`${folder}/${name}`, 'base64')]));
}

test.skipIf(process.platform === 'win32').each([
  ['folder without a database', false],
  ['folder with a database', true],
])('a read-only %s is refused, untouched, and works once it can be written', async (_, hasDatabase) => {
  using scratch = scratchFolder();
  const { path } = scratch;
  const folder = dirname(path);
  const before = hasDatabase ? (await runWriter({ path, rounds: 5 })).text : '';
  if (!hasDatabase) mkdirSync(folder);
  const held = contents(folder);
  givenAway(scratch.folder, folder, ...[...held.keys()].map((name) => `${folder}/${name}`));
  chmodSync(folder, 0o555);
  const refused = await runWriter({ path, ...(isRoot && { uid: NOBODY }) });
  expect(refused.text).toBe('failed project_unwritable\n');
  expect(contents(folder)).toEqual(held);
  chmodSync(folder, 0o755);
  expect(expectWholeAfterOpen(path, acksIn(before))).toBe(hasDatabase ? 5 : 0);
});

test.skipIf(process.platform === 'win32')('a read-only database is refused, never taken for an empty one', async () => {
  using scratch = scratchFolder();
  const { path } = scratch;
  const { text } = await runWriter({ path, rounds: 5 });
  givenAway(scratch.folder, dirname(path), ...readdirSync(dirname(path)).map((name) => `${dirname(path)}/${name}`));
  chmodSync(path, 0o444);
  const before = readFileSync(path);
  const refused = await runWriter({ path, ...(isRoot && { uid: NOBODY }) });
  expect(refused.text).toBe('failed project_unwritable\n');
  expect(readFileSync(path).equals(before)).toBe(true);
  chmodSync(path, 0o600);
  expect(expectWholeAfterOpen(path, acksIn(text))).toBe(5);
});

test.skipIf(process.platform === 'win32')(
  'a project that can only be read is shown, whatever a killed runtime left in it, and nothing is collected',
  async () => {
    using scratch = scratchFolder();
    const folder = join(scratch.folder, '.ai', 'threads');
    mkdirSync(dirname(folder));
    await runWriter({ path: join(folder, 'threads.db'), rounds: 5 });
    writeFileSync(join(folder, 'control.sock'), '');
    for (const name of readdirSync(folder)) chmodSync(join(folder, name), 0o444);
    for (const each of [folder, scratch.folder]) chmodSync(each, 0o555);
    const around = { cwd: scratch.folder, env: { HOME: scratch.folder }, ...(isRoot && { uid: NOBODY }) };
    expect(await skeinProcess(['status'], around)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^threads: /),
    });
    expect(await skeinProcess(['doctor'], around)).toMatchObject({ stderr: '' });
    expect(await skeinProcess(['gc'], around)).toMatchObject({
      code: 3,
      stderr: expect.stringMatching(/\[project_unwritable\]\n$/),
    });
    for (const each of [folder, scratch.folder]) chmodSync(each, 0o755);
  },
);

test.skipIf(process.platform !== 'linux')(
  'a store without file handles goes on, a new one is refused, and both work once there are some',
  async () => {
    using scratch = scratchFolder();
    const { text, code } = await runWriter({
      path: scratch.path,
      program: new URL('no-handles.ts', import.meta.url),
      under: ['prlimit', '--nofile=128:128'],
    });
    expect({ text, code }).toEqual({
      text: 'commit [true]\nidle\ncommit [true]\nopen project_unwritable\nopen ok\n',
      code: 0,
    });
    expect(expectWholeAfterOpen(scratch.path, new Map())).toBe(2);
  },
);

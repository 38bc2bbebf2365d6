import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { admit, END, idOf, scratchFolder, shippedTables, step } from '../../test/conformance/store-fixture.ts';
import { openStore } from '../store/open.ts';
import { commandIn } from './fixtures/command-in.ts';

/** A project of three threads with three events each, of which the second one's last row is damaged. */
function damagedProject(): ReturnType<typeof scratchFolder> {
  const scratch = scratchFolder();
  const path = join(scratch.folder, 'project', '.ai', 'threads', 'threads.db');
  mkdirSync(dirname(dirname(path)), { recursive: true });
  const store = openStore({ path, tables: shippedTables(), now: () => 9_000 });
  const threads = [1, 2, 3];
  const steps = threads.flatMap((thread) => [step(thread, 1), step(thread, 2), step(thread, 3, { status: END })]);
  expect(store.commit([...threads.map((thread) => admit(thread)), ...steps])).not.toContainEqual({ type: 'failed' });
  store.close();
  const db = new Database(path);
  db.exec('UPDATE events SET lines = substr(lines, 1, 40) || char(1) WHERE thread = 2 AND first_sequence = 3');
  db.close();
  return scratch;
}

test('An export of all threads names the damaged one, has what can be read of it, and all others', async () => {
  using made = damagedProject();
  const { code, out, err } = await commandIn(made.folder, ['export', '--all']);
  expect([code, err.split('\n')]).toEqual([
    1,
    [expect.stringMatching(`^skein: ${idOf(2)}: The log can't be read after event 2: `), ''],
  ]);
  const told = out
    .trimEnd()
    .split('\n')
    .map((line) => Object(JSON.parse(line)));
  const headed = told.map(({ thread, sequence }) => (thread ? thread.thread_id : sequence));
  expect(headed).toEqual([idOf(3), 1, 2, 3, idOf(2), 1, 2, idOf(1), 1, 2, 3]);
});

test.each([
  [
    'replay folds it up to where it can be read',
    [],
    1,
    'event 2 of 3',
    /^skein: E2 at event 3: .* after event 2: .*\n$/,
  ],
  ['replay up to an event before the damage has nothing to say of it', ['--to', '2'], 0, 'event 2 of 3', /^$/],
])('%s', async (_, options, code, place, said) => {
  using made = damagedProject();
  const replayed = await commandIn(made.folder, ['replay', idOf(2), ...options]);
  expect(replayed).toEqual({ code, out: expect.stringContaining(place), err: expect.stringMatching(said) });
});

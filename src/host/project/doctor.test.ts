import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { admit, scratchFolder, shippedTables, step } from '../../../test/conformance/store-fixture.ts';
import { encodeEvent, type EventPayloads, type EventType } from '../../core/events.ts';
import { openStore } from '../../store/open.ts';
import { examineProject, type DoctorReport } from './doctor.ts';

const COST = { turns: 0, input_tokens: 0, output_tokens: 0, spend: 0 };
const ENDING = JSON.stringify({
  status: 'completed',
  text: '',
  cost: { turns: 0, inputTokens: 0, outputTokens: 0, spend: 0 },
});

/** A project of threads that have completed. */
function projectOf(threads: number): ReturnType<typeof scratchFolder> & { readonly database: string } {
  const scratch = scratchFolder();
  const database = join(scratch.folder, '.ai', 'threads', 'threads.db');
  mkdirSync(dirname(dirname(database)));
  const store = openStore({ path: database, tables: shippedTables(), now: () => 9_000 });
  for (let thread = 1; thread <= threads; thread++) {
    const started = event(1, 'thread_started', { directive: 'd', model: 'm', limits: {} });
    const completed = event(2, 'thread_completed', { cost: COST });
    expect(
      store.commit([
        admit(thread),
        step(thread, 1, { lines: started, status: { to: 'running' } }),
        step(thread, 2, { lines: completed, status: { to: 'completed', ending: ENDING } }),
      ]),
    ).toEqual([true, true, true]);
  }
  store.close();
  return { ...scratch, database };
}

function event<Type extends EventType>(sequence: number, event_type: Type, payload: EventPayloads[Type]): string {
  return encodeEvent({ sequence, event_type, time: 1, payload });
}

function examine({ folder }: { readonly folder: string }, repair: boolean): DoctorReport {
  return examineProject({ project: folder, userSpace: false, env: {}, repair });
}

test('A repair is of all that is wrong, however little of it a look tells', () => {
  using made = projectOf(120);
  expect(examine(made, false)).toMatchObject({ isClean: true });
  const db = new Database(made.database);
  db.exec('UPDATE threads SET turns = 5');
  db.close();
  expect(examine(made, false).findings).toHaveLength(101);
  const { isClean, repaired, findings } = examine(made, true);
  expect([isClean, repaired.length, findings]).toEqual([true, 120, []]);
});

test.each(['threads.db', 'archive.db'])('A %s that is no database is named', (name) => {
  using made = projectOf(1);
  writeFileSync(join(dirname(made.database), name), 'x'.repeat(70_000));
  expect(examine(made, false).findings).toMatchObject([
    { invariant: 'file', message: expect.stringMatching(`^${name}: the file is not a database`) },
  ]);
});

test('A repair brings up to date what an older version has written, and says so', () => {
  using made = projectOf(1);
  const db = new Database(made.database);
  db.exec('DROP INDEX idx_threads_interrupted_root; PRAGMA user_version = 3');
  db.close();
  expect(() => examine(made, false)).toThrow(/skein doctor --repair/);
  const { isClean, repaired } = examine(made, true);
  expect([isClean, repaired]).toEqual([true, [{ message: expect.stringContaining('up to date') }]]);
  expect(examine(made, true).repaired).toEqual([]);
});

import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, test } from 'vitest';
import { admit, scratchFolder, shippedTables, step } from '../../../test/conformance/store-fixture.ts';
import { encodeEvent, type EventPayloads, type EventType } from '../../core/events.ts';
import { takeCensus } from '../../store/census.ts';
import { openStore } from '../../store/open.ts';
import { openReader } from '../../store/reader.ts';
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

function change(file: string, sql: string): void {
  const db = new Database(file);
  db.exec(sql);
  db.close();
}

function examine({ folder }: { readonly folder: string }, repair: boolean): DoctorReport {
  return examineProject({ project: folder, userSpace: false, env: {}, repair });
}

test('A repair is of all that is wrong, however little of it a look tells', () => {
  using made = projectOf(120);
  expect(examine(made, false)).toMatchObject({ isClean: true });
  change(made.database, 'UPDATE threads SET turns = 5');
  expect(examine(made, false).findings).toHaveLength(101);
  const { isClean, repaired, findings } = examine(made, true);
  expect([isClean, repaired.length, findings]).toEqual([true, 120, []]);
});

test.each(['threads.db', 'archive.db'])('A %s that is no database is named', (name) => {
  using made = projectOf(1);
  writeFileSync(join(dirname(made.database), name), 'x'.repeat(70_000));
  const found = [{ invariant: 'file', message: expect.stringMatching(`^${name}: the file is not a database`) }];
  expect(examine(made, false).findings).toMatchObject(found);
  expect(examine(made, true)).toMatchObject({ isClean: false, repaired: [], findings: found });
});

test.each(['threads.db', 'archive.db'])('A %s with a view that never ends in the place of a table is named', (name) => {
  using made = projectOf(1);
  const file = join(dirname(made.database), name);
  if (file !== made.database) copyFileSync(made.database, file);
  const endless = 'WITH RECURSIVE n (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT * FROM was JOIN n';
  change(file, `ALTER TABLE threads RENAME TO was; CREATE VIEW THREADS AS ${endless}`);
  const found = [{ invariant: 'file', message: expect.stringMatching(`^${name}: THREADS .* is no table`) }];
  expect(examine(made, false).findings).toMatchObject(found);
  const refused = expect.objectContaining({ code: 'store_corrupt', where: { file } });
  expect(() => takeCensus(made.database)).toThrow(refused);
  expect(() => openReader(made.database).thread('thread-unknown')).toThrow(refused);
});

describe('A database that nobody writes, since it is not made as ours are, is not clean', () => {
  const TRIGGER = 'CREATE TRIGGER revive AFTER UPDATE ON threads BEGIN SELECT 1; END';
  const LOOSE = 'DROP TABLE upkeep; CREATE TABLE upkeep (work TEXT PRIMARY KEY, done_at INTEGER NOT NULL)';

  test.each([
    ['threads.db', TRIGGER, '"revive" is neither a table nor an index'],
    ['threads.db', LOOSE, 'upkeep is not a STRICT table'],
    ['archive.db', TRIGGER, '"revive" is neither a table nor an index'],
    ['archive.db', LOOSE, 'upkeep is not a STRICT table'],
  ])('%s with %s', (name, sql, what) => {
    using made = projectOf(1);
    const file = join(dirname(made.database), name);
    if (file !== made.database) copyFileSync(made.database, file);
    expect(examine(made, true)).toMatchObject({ isClean: true });
    change(file, sql);
    const message = expect.stringMatching(`^${name}: .*not made as those of Skein.*: ${what}; .*skein export --all`);
    expect(examine(made, false).findings).toEqual([{ invariant: 'file', message }]);
    expect(examine(made, true)).toMatchObject({ isClean: false, repaired: [], findings: [{ message }] });
  });

  test('and what else is wrong with it is told, and stays so in a repair', () => {
    using made = projectOf(1);
    change(made.database, `${TRIGGER}; UPDATE threads SET turns = 5`);
    const { repaired, findings } = examine(made, true);
    expect([repaired, findings.map(({ invariant }) => invariant)]).toEqual([[], ['file', 'E5']]);
  });
});

test('A repair brings up to date what an older version has written, and says so', () => {
  using made = projectOf(1);
  change(made.database, 'DROP INDEX idx_threads_interrupted_root; PRAGMA user_version = 3');
  expect(() => examine(made, false)).toThrow(/skein doctor --repair/);
  const { isClean, repaired } = examine(made, true);
  expect([isClean, repaired]).toEqual([true, [{ message: expect.stringContaining('up to date') }]]);
  expect(examine(made, true).repaired).toEqual([]);
});

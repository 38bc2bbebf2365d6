import { copyFileSync, cpSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, test } from 'vitest';
import { admit, END, scratchFolder, shippedTables, step } from '../../test/conformance/store-fixture.ts';
import type { StoreOpened } from '../core/store.ts';
import { collectGarbage } from './collect-garbage.ts';
import { openStore } from './open.ts';
import { openReader } from './reader.ts';

const NOW = 9_000;

function open(path: string, now = NOW): ReturnType<typeof openStore> {
  return openStore({ path, tables: shippedTables(), now: () => now });
}

function foreignIn(path: string, now?: number): StoreOpened['foreign'] {
  const store = open(path, now);
  store.close();
  return store.opened.foreign;
}

/** A closed database with a suspended thread and one that is said to run. */
function makeDatabase(path: string): void {
  const store = open(path);
  store.commit([admit(1), admit(2), step(1, 1, { status: { to: 'suspended', reason: 'shutdown' } })]);
  store.close();
}

/** Another file with the same in it. */
function replaceByCopy(path: string): void {
  copyFileSync(path, `${path}.copy`);
  rmSync(path);
  renameSync(`${path}.copy`, path);
}

function change(path: string, sql: string): void {
  const db = new Database(path);
  db.exec(sql);
  db.close();
}

describe('The threads of a database', () => {
  test('are at home where it was made, whoever opens it again', () => {
    using scratch = scratchFolder();
    makeDatabase(scratch.path);
    expect([foreignIn(scratch.path), foreignIn(scratch.path)]).toEqual([undefined, undefined]);
  });

  test('are at home in a project that was moved, was tidied up, or got its old content back', async () => {
    using scratch = scratchFolder();
    makeDatabase(scratch.path);
    copyFileSync(scratch.path, join(scratch.folder, 'backup'));
    const moved = join(scratch.folder, 'moved');
    renameSync(dirname(scratch.path), moved);
    const path = join(moved, 'threads.db');
    expect(foreignIn(path)).toBe(undefined);
    await collectGarbage({ path, tables: shippedTables(), now: 9e12, archiveAfterDays: 1, problem: () => undefined });
    change(path, 'PRAGMA auto_vacuum = NONE; VACUUM');
    expect(foreignIn(path)).toBe(undefined);
    copyFileSync(join(scratch.folder, 'backup'), path);
    expect(foreignIn(path)).toBe(undefined);
  });

  test('are foreign in a copy, also the next time, and those that begin there are not', () => {
    using scratch = scratchFolder();
    makeDatabase(scratch.path);
    cpSync(dirname(scratch.path), join(scratch.folder, 'clone'), { recursive: true });
    const path = join(scratch.folder, 'clone', 'threads.db');
    const store = open(path);
    expect(store.opened).toEqual({ nextThread: 3, suspendedOrphans: 1, foreign: { last: 2, until: NOW } });
    store.commit([admit(3)]);
    store.close();
    expect(foreignIn(path, NOW + 1)).toEqual({ last: 2, until: NOW });
    expect(foreignIn(scratch.path)).toBe(undefined);
    replaceByCopy(path);
    expect(foreignIn(path, NOW + 2)).toEqual({ last: 3, until: NOW + 2 });
  });

  test('are foreign in one of an earlier release, which has not written down where it was made', () => {
    using scratch = scratchFolder();
    makeDatabase(scratch.path);
    change(scratch.path, 'DROP TABLE home; PRAGMA user_version = 4');
    expect(foreignIn(scratch.path)).toEqual({ last: 2, until: NOW });
    expect(foreignIn(scratch.path, NOW + 1)).toEqual({ last: 2, until: NOW });
  });

  test('are foreign whatever their rows say of the time', () => {
    using scratch = scratchFolder();
    makeDatabase(scratch.path);
    change(scratch.path, 'UPDATE threads SET updated_at = 90000');
    replaceByCopy(scratch.path);
    expect(foreignIn(scratch.path)).toEqual({ last: 2, until: 90_000 });
  });

  test('are none where none were begun', () => {
    using scratch = scratchFolder();
    open(scratch.path).close();
    replaceByCopy(scratch.path);
    expect(foreignIn(scratch.path)).toBe(undefined);
  });
});

/** Another table in the place of one, made by what `rewrite` makes of its statement, with the same rows in it. */
function remake(path: string, table: string, rewrite: (sql: string) => string): void {
  const db = new Database(path);
  const sql = db.prepare<[string], string>('SELECT sql FROM sqlite_schema WHERE name = ?').pluck().get(table) ?? '';
  const columns = db.prepare<[string], string>('SELECT name FROM pragma_table_info(?)').pluck().all(table).join(', ');
  db.exec(`ALTER TABLE ${table} RENAME TO before; ${rewrite(sql)};
    INSERT INTO ${table} (${columns}) SELECT ${columns} FROM before; DROP TABLE before`);
  db.close();
}

describe('A database is refused, by a collection of garbage as well, whose tables are not made as ours', () => {
  test.each([
    ['no STRICT table', 'threads', (sql: string) => sql.replace(' STRICT', '')],
    ['no STRICT table for its home', 'home', (sql: string) => sql.replace(' STRICT', '')],
    ['no primary key', 'threads', (sql: string) => sql.replace(' PRIMARY KEY', '')],
    [
      'a key that is not the number of a row',
      'threads',
      (sql: string) => sql.replace('PRIMARY KEY', 'PRIMARY KEY DESC'),
    ],
    ['rows without a number', 'threads', (sql: string) => `${sql}, WITHOUT ROWID`],
    ['a number of another type', 'threads', (sql: string) => sql.replace('updated_at INTEGER', 'updated_at ANY')],
    ['a name in other letters', 'threads', (sql: string) => sql.replace('threads', 'THREADS').replace(' STRICT', '')],
    [
      'a computed column',
      'threads',
      (sql: string) => sql.replace(/\) STRICT$/, ', later INTEGER AS (updated_at + 1)) STRICT'),
    ],
  ])('with %s', async (_name, table, rewrite) => {
    using scratch = scratchFolder();
    makeDatabase(scratch.path);
    remake(scratch.path, table, rewrite);
    replaceByCopy(scratch.path);
    const refused = expect.objectContaining({ code: 'store_corrupt', message: expect.stringContaining(table) });
    expect(() => open(scratch.path)).toThrow(refused);
    const all = { path: scratch.path, tables: shippedTables(), now: 0, archiveAfterDays: 1, problem: () => undefined };
    await expect(collectGarbage(all)).rejects.toThrow(refused);
  });

  test.each([
    ['a thread was written later than any number is exact', 'UPDATE threads SET updated_at = 1 << 60'],
    ['a thread has a number that is not exact', 'UPDATE threads SET thread = 1 << 60 WHERE thread = 2'],
    ['a thread is its own parent', 'UPDATE threads SET parent_thread = 1 WHERE thread = 1'],
    ['a thread has a later predecessor', 'UPDATE threads SET predecessor = 2 WHERE thread = 1'],
    ['a thread has an earlier successor', 'UPDATE threads SET successor = 1 WHERE thread = 2'],
  ])('and where %s', (_name, sql) => {
    using scratch = scratchFolder();
    makeDatabase(scratch.path);
    change(scratch.path, sql);
    replaceByCopy(scratch.path);
    const message = expect.stringMatching(/number|circle.* move the database away .*"skein export --all"/);
    expect(() => open(scratch.path)).toThrow(expect.objectContaining({ code: 'store_corrupt', message }));
  });
});

test.each([
  ['after itself', 'UPDATE threads SET successor = 1 WHERE thread = 1'],
  ['after one that is after it', 'UPDATE threads SET successor = 4 - thread WHERE thread <> 2'],
  ['below one that is below it', 'UPDATE threads SET parent_thread = 5 - thread, successor = 2 WHERE thread <> 4'],
])('An archive pass ends where a thread is %s', (_name, sql) => {
  using scratch = scratchFolder();
  const store = openStore({
    path: scratch.path,
    tables: shippedTables(),
    now: () => 9e12,
    cleanup: { archiveAfterDays: 1, vacuumIntervalDays: 0 },
  });
  store.commit([1, 2, 3].map((thread) => admit(thread)));
  store.commit([1, 2, 3].map((thread) => step(thread, 1, { status: END })));
  change(scratch.path, `${sql}; UPDATE threads SET parent_thread = NULL WHERE thread = 1`);
  let slices = 0;
  while (slices < 100 && store.tidy?.()) slices++;
  store.close();
  expect(slices).toBeLessThan(100);
});

describe('A database is refused, by a collection of garbage as well, that would write rows by itself', () => {
  test.each([
    ['revive', 'CREATE TRIGGER revive AFTER UPDATE ON threads BEGIN UPDATE threads SET updated_at = 9e15; END'],
    ['seen', 'CREATE VIEW seen AS SELECT * FROM threads'],
    ['words', 'CREATE VIRTUAL TABLE words USING fts5(word)'],
  ])('with %s', async (name, sql) => {
    using scratch = scratchFolder();
    makeDatabase(scratch.path);
    change(scratch.path, sql);
    const refused = expect.objectContaining({ code: 'store_corrupt', message: expect.stringContaining(`"${name}"`) });
    expect(() => open(scratch.path)).toThrow(refused);
    const all = { path: scratch.path, tables: shippedTables(), now: 0, archiveAfterDays: 1, problem: () => undefined };
    await expect(collectGarbage(all)).rejects.toThrow(refused);
  });

  test('and what is in it can be read, as the refusal says', () => {
    using scratch = scratchFolder();
    makeDatabase(scratch.path);
    change(scratch.path, 'CREATE VIEW seen AS SELECT * FROM threads');
    expect(() => open(scratch.path)).toThrow(/move it away .* "skein export --all"/);
    const reader = openReader(scratch.path);
    expect(reader.threads({}).length).toBe(2);
    reader.close();
  });

  test('and its foreign keys are not heeded', () => {
    using scratch = scratchFolder();
    makeDatabase(scratch.path);
    change(
      scratch.path,
      `CREATE TABLE mine (thread INTEGER REFERENCES threads (thread) ON DELETE CASCADE) STRICT;
       INSERT INTO mine VALUES (1)`,
    );
    const store = openStore({
      path: scratch.path,
      tables: shippedTables(),
      now: () => 9e12,
      cleanup: { archiveAfterDays: 1, vacuumIntervalDays: 0 },
    });
    store.commit([1, 2].map((thread) => step(thread, 2, { status: END })));
    while (store.tidy?.());
    store.close();
    const db = new Database(scratch.path, { readonly: true });
    const rows = ['threads', 'mine'].map((table) => db.prepare(`SELECT COUNT(*) FROM ${table}`).pluck().get());
    db.close();
    expect(rows).toEqual([0, 1]);
  });
});

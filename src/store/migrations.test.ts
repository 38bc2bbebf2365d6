import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { admit, END, idOf, scratchFolder, shippedTables, step } from '../../test/conformance/store-fixture.ts';
import { collectGarbage } from './collect-garbage.ts';
import { SCHEMA_VERSION } from './migrations.ts';
import { openStore } from './open.ts';
import { openReader } from './reader.ts';

/** A database as version 1 made it, with a thread that has ended and one that is suspended. */
const VERSION_1 = `
  CREATE TABLE budget_ledger (thread INTEGER PRIMARY KEY, parent_thread INTEGER, reserved_spend INTEGER NOT NULL DEFAULT 0,
    actual_spend INTEGER NOT NULL DEFAULT 0, committed INTEGER NOT NULL DEFAULT 0, max_spend INTEGER,
    status TEXT NOT NULL DEFAULT 'active', created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL) STRICT;
  CREATE INDEX idx_budget_parent ON budget_ledger (parent_thread);
  CREATE TABLE threads (thread INTEGER PRIMARY KEY, thread_id TEXT NOT NULL UNIQUE, parent_thread INTEGER,
    root_thread INTEGER NOT NULL, directive TEXT NOT NULL, model TEXT NOT NULL, status TEXT NOT NULL, suspend_reason TEXT,
    spec TEXT NOT NULL, ending TEXT, turns INTEGER NOT NULL DEFAULT 0, input_tokens INTEGER NOT NULL DEFAULT 0,
    output_tokens INTEGER NOT NULL DEFAULT 0, spend INTEGER NOT NULL DEFAULT 0, created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL, ended_at INTEGER) STRICT;
  CREATE INDEX idx_threads_parent ON threads (parent_thread);
  CREATE INDEX idx_threads_open ON threads (ended_at) WHERE ended_at IS NULL AND suspend_reason IS NULL;
  CREATE TABLE events (thread INTEGER NOT NULL, first_sequence INTEGER NOT NULL, last_sequence INTEGER NOT NULL,
    lines TEXT NOT NULL) STRICT;
  CREATE INDEX idx_events_thread ON events (thread, first_sequence);
  CREATE TABLE checkpoints (thread INTEGER PRIMARY KEY, sequence INTEGER NOT NULL, turn INTEGER NOT NULL,
    state TEXT NOT NULL, updated_at INTEGER NOT NULL) STRICT;
  INSERT INTO threads VALUES (1, '${idOf(1)}', NULL, 1, 'd', 'm', 'suspended', 'user', '{}', NULL, 1, 2, 3, 4, 5, 6, NULL);
  INSERT INTO budget_ledger VALUES (1, NULL, 0, 4, 4, 1000, 'active', 5, 6);
  PRAGMA user_version = 1;`;

function oldDatabase(path: string): void {
  mkdirSync(dirname(path));
  const db = new Database(path);
  db.pragma('page_size = 16384');
  db.exec(VERSION_1);
  db.pragma('journal_mode = WAL');
  db.close();
}

test('a database of version 1 gets what is new, and its threads go on', () => {
  using scratch = scratchFolder();
  oldDatabase(scratch.path);
  const cleanup = { archiveAfterDays: 1, vacuumIntervalDays: 1 };
  const store = openStore({ path: scratch.path, tables: shippedTables(), now: () => 9_000, cleanup });
  while (store.tidy?.());
  expect(store.commit([admit(2, { parent: 1, ceiling: 500 }), step(1, 1, { status: END })])).toEqual([true, true]);
  const reader = openReader(scratch.path);
  expect(reader.ledger(1)).toMatchObject({ actual: 4, committed: 504, extra: 0, status: 'released' });
  expect(reader.approvals({})).toEqual([]);
  reader.close();
  store.close();
});

test('a database of version 3 gets the index of interrupted threads by tree', () => {
  using scratch = scratchFolder();
  const options = { path: scratch.path, tables: shippedTables(), now: () => 0 };
  openStore(options).close();
  const db = new Database(scratch.path);
  db.exec('DROP INDEX idx_threads_interrupted_root; PRAGMA user_version = 3');
  openStore(options).close();
  const indexes = db.prepare('SELECT name FROM pragma_index_list(?)').pluck().all('threads');
  db.close();
  expect(indexes).toContain('idx_threads_interrupted_root');
});

test('a reader says what brings an older one up to date', () => {
  using scratch = scratchFolder();
  oldDatabase(scratch.path);
  const message = expect.stringMatching(/schema version 1, .*"skein doctor --repair" brings it up to date/);
  const refused = { code: 'store_failed', message, detail: { version: 1, supported: SCHEMA_VERSION } };
  expect(() => openReader(scratch.path)).toThrow(expect.objectContaining(refused));
});

test('whoever collects garbage brings an older one up to date', async () => {
  using scratch = scratchFolder();
  oldDatabase(scratch.path);
  const { path } = scratch;
  await collectGarbage({ path, tables: shippedTables(), now: 0, archiveAfterDays: 0, problem: () => undefined });
  const reader = openReader(path);
  expect(reader.thread(idOf(1))).toMatchObject({ status: 'suspended' });
  reader.close();
});

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { Worker } from 'node:worker_threads';
import Database from 'better-sqlite3';
import { describe, expect, test } from 'vitest';
import { admit, idOf, lines, scratchFolder, shippedTables, step } from '../../test/conformance/store-fixture.ts';
import { archivePath } from './archive-shelf.ts';
import { takeCensus } from './census.ts';
import { checkStore } from './checks/check-store.ts';
import { collectGarbage } from './collect-garbage.ts';
import { createDatabase } from './create-database.ts';
import { lockHolder } from './lock.ts';
import { openStore } from './open.ts';
import { orphanQuery } from './orphans.ts';
import { openReader } from './reader.ts';

const now = (): number => 9_000;

function open(path: string): ReturnType<typeof openStore> {
  return openStore({ path, tables: shippedTables(), now });
}

function withCode(code: string, message = /./): unknown {
  return expect.objectContaining({ code, message: expect.stringMatching(message) });
}

/** A closed database with `threads` ended threads in it. */
function makeDatabase(path: string, threads = 3): void {
  const store = open(path);
  for (let thread = 1; thread <= threads; thread++) {
    const end = step(thread, 1, { lines: lines(1, 50), lastSequence: 50, status: { to: 'completed', ending: '{}' } });
    store.commit([admit(thread), end]);
  }
  store.close();
}

/** Makes a table's page unreadable without touching the file's header. */
function damage(path: string): void {
  const bytes = readFileSync(path);
  bytes.fill(0xee, 16_384 + 8, bytes.length - 8);
  writeFileSync(path, bytes);
}

test('an archive of an earlier schema is brought to this one at the start, since the host reads it', () => {
  using scratch = scratchFolder();
  makeDatabase(scratch.path);
  const file = archivePath(scratch.path);
  createDatabase(file, shippedTables());
  const archive = new Database(file);
  archive.exec('DROP INDEX idx_threads_interrupted; PRAGMA user_version = 2');
  archive.close();
  open(scratch.path).close();
  const reader = openReader(scratch.path);
  expect(reader.thread('thread-of-nobody')).toBeUndefined();
  reader.close();
});

describe('an archive that is no database', () => {
  const named = (archive: string): unknown =>
    expect.objectContaining({ code: 'store_corrupt', where: { file: archive } });

  /** A database with an ended thread and a running one, and its archive once it is spoilt. */
  function spoilt(path: string): string {
    makeDatabase(path, 1);
    const store = open(path);
    store.commit([admit(2)]);
    store.close();
    writeFileSync(archivePath(path), 'x'.repeat(70_000));
    return archivePath(path);
  }

  test.each<[string, (path: string) => unknown]>([
    ['a start', (path) => open(path)],
    ['a reader that is asked for what may be there', (path) => openReader(path).events(1)],
    ['a count of all threads', takeCensus],
    ['a check', (path) => checkStore(path, { edges: new Set() })],
  ])('is named by %s, and not the database', (_, use) => {
    using scratch = scratchFolder();
    const archive = spoilt(scratch.path);
    expect(() => use(scratch.path)).toThrow(named(archive));
  });

  test.each([
    ['has a view for a table', 'DROP TABLE threads; CREATE VIEW threads AS SELECT 41 AS thread', /threads.*neither/],
    ['has numbers that leave none', 'UPDATE threads SET thread = (1 << 53) - 1', /leaves none/],
  ])('is no archive of ours if it %s: a start is refused, and changes nothing', (_, sql, message) => {
    using scratch = scratchFolder();
    makeDatabase(scratch.path, 1);
    const archive = archivePath(scratch.path);
    copyFileSync(scratch.path, archive);
    const db = new Database(archive);
    db.exec(sql);
    db.close();
    const before = readFileSync(scratch.path);
    expect(() => open(scratch.path)).toThrow(withCode('store_corrupt', message));
    expect(() => open(scratch.path)).toThrow(named(archive));
    expect(readFileSync(scratch.path).equals(before)).toBe(true);
  });

  test('is named by a collection of garbage', async () => {
    using scratch = scratchFolder();
    const archive = spoilt(scratch.path);
    const all = {
      path: scratch.path,
      tables: shippedTables(),
      now: 9e12,
      archiveAfterDays: 1,
      problem: () => undefined,
    };
    await expect(collectGarbage(all)).rejects.toThrow(named(archive));
  });

  test('keeps nobody from what is not asked of it', () => {
    using scratch = scratchFolder();
    spoilt(scratch.path);
    const reader = openReader(scratch.path);
    expect([reader.thread(idOf(1)), reader.events(2), reader.threads({})]).toMatchObject([{ thread: 1 }, [], [{}, {}]]);
    reader.close();
  });

  test('fails a load and a successor alone: the store goes on', () => {
    using scratch = scratchFolder();
    makeDatabase(scratch.path, 1);
    const store = open(scratch.path);
    const archive = archivePath(scratch.path);
    writeFileSync(archive, 'x'.repeat(70_000));
    const failed = { type: 'failed', failure: { code: 'store_corrupt', where: { file: archive } } };
    expect(
      store.commit([admit(2), { type: 'load', thread: 1 }, admit(3, { predecessor: 77 }), { type: 'load', thread: 2 }]),
    ).toMatchObject([true, failed, failed, { type: 'loaded' }]);
    expect(store.commit([admit(4)])).toEqual([true]);
    store.close();
  });
});

describe('a new project', () => {
  test('gets a private folder and private files', () => {
    using scratch = scratchFolder();
    const store = open(scratch.path);
    store.commit([admit(1)]);
    const folder = dirname(scratch.path);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    const modes = readdirSync(folder).map((name) => [name, statSync(join(folder, name)).mode & 0o777]);
    expect(Object.fromEntries(modes)).toEqual({
      'runtime.lock': 0o600,
      'runtime.pid': 0o600,
      'threads.db': 0o600,
      'threads.db-shm': 0o600,
      'threads.db-wal': 0o600,
    });
    store.close();
  });

  test('is durable WAL with 16 KB pages and a schema version', () => {
    using scratch = scratchFolder();
    makeDatabase(scratch.path);
    const db = new Database(scratch.path, { readonly: true });
    const settings = ['journal_mode', 'page_size', 'user_version'].map((name) => db.pragma(name, { simple: true }));
    expect(settings).toEqual(['wal', 16_384, 5]);
    db.close();
  });

  test('leaves nothing of an interrupted creation in the way', () => {
    using scratch = scratchFolder();
    mkdirSync(dirname(scratch.path));
    writeFileSync(`${scratch.path}.new`, 'half a database');
    makeDatabase(scratch.path);
    expect(readdirSync(dirname(scratch.path)).toSorted()).toEqual(['runtime.lock', 'threads.db']);
  });

  test('is not begun with tables the store can’t use', () => {
    using scratch = scratchFolder();
    const tables = shippedTables();
    const events = { ...tables.events, columns: tables.events.columns.slice(1) };
    expect(() => openStore({ path: scratch.path, tables: { ...tables, events }, now })).toThrow(
      withCode('invalid_config', /events\.thread/),
    );
    expect(existsSync(dirname(scratch.path))).toBe(false);
  });
});

describe('what can’t be opened', () => {
  test('a newer schema is refused and the file left as it is', () => {
    using scratch = scratchFolder();
    makeDatabase(scratch.path);
    const db = new Database(scratch.path);
    db.pragma('user_version = 6');
    db.close();
    const before = readFileSync(scratch.path);
    expect(() => open(scratch.path)).toThrow(withCode('schema_too_new', /version 6, this program knows 5/));
    expect(() => openReader(scratch.path)).toThrow(withCode('schema_too_new'));
    expect(readFileSync(scratch.path).equals(before)).toBe(true);
  });

  test.each<[string, 'instead' | 'afterwards', (path: string) => unknown]>([
    ['text', 'instead', (path) => writeFileSync(path, 'not a database. '.repeat(5_000))],
    ['an empty file', 'instead', (path) => writeFileSync(path, '')],
    ['a database of something else', 'instead', (path) => new Database(path).exec('CREATE TABLE a (b)').close()],
    ['a cut database', 'afterwards', (path) => truncateSync(path, 40_000)],
    ['a database cut to its first page', 'afterwards', (path) => truncateSync(path, 16_384)],
    ['a scribbled database', 'afterwards', damage],
  ])('%s is damaged, never an empty store', (_, when, spoil) => {
    using scratch = scratchFolder();
    if (when === 'afterwards') makeDatabase(scratch.path);
    else mkdirSync(dirname(scratch.path));
    spoil(scratch.path);
    const before = readFileSync(scratch.path);
    expect(() => open(scratch.path)).toThrow(withCode('store_corrupt'));
    expect(readFileSync(scratch.path).equals(before)).toBe(true);
  });

  test('a database that went missing while its log is there is not begun anew', () => {
    using scratch = scratchFolder();
    mkdirSync(dirname(scratch.path));
    writeFileSync(`${scratch.path}-wal`, 'x'.repeat(100));
    expect(() => open(scratch.path)).toThrow(withCode('store_corrupt', /log/));
  });

  test('a folder that can’t be made is unwritable', () => {
    using scratch = scratchFolder();
    writeFileSync(join(scratch.folder, 'threads'), 'a file where the folder should be');
    expect(() => open(scratch.path)).toThrow(withCode('project_unwritable'));
    expect(() => open(join(scratch.path, 'deeper', 'threads.db'))).toThrow(withCode('project_unwritable'));
  });

  test('a reader names the project without a database', () => {
    using scratch = scratchFolder();
    expect(() => openReader(scratch.path)).toThrow(withCode('store_failed', /nothing has run/));
  });

  test('every refusal leaves the lock free', () => {
    using scratch = scratchFolder();
    mkdirSync(dirname(scratch.path));
    writeFileSync(scratch.path, 'junk');
    expect(() => open(scratch.path)).toThrow(withCode('store_corrupt'));
    expect(readdirSync(dirname(scratch.path)).toSorted()).toEqual(['runtime.lock', 'threads.db']);
    expect(() => open(scratch.path)).toThrow(withCode('store_corrupt'));
  });
});

describe('the lock', () => {
  const locked = withCode('project_locked', new RegExp(`process ${process.pid} `));

  test('holds between two stores of one process, as often as it is tried', () => {
    using scratch = scratchFolder();
    const store = open(scratch.path);
    expect(() => open(scratch.path)).toThrow(locked);
    expect(() => open(scratch.path)).toThrow(locked);
    store.commit([admit(1)]);
    store.close();
    open(scratch.path).close();
  });

  test('holds against another thread of this process', async () => {
    using scratch = scratchFolder();
    const store = open(scratch.path);
    const worker = new Worker(new URL('../../workers/store.worker.ts', import.meta.url), {
      workerData: { path: scratch.path, tables: shippedTables() },
    });
    // Both may come in the same turn of the event loop.
    const [[message]] = await Promise.all([once(worker, 'message'), once(worker, 'exit')]);
    expect(message).toMatchObject({
      type: 'refused',
      failure: { code: 'project_locked', detail: { pid: process.pid } },
    });
    expect(() => open(scratch.path)).toThrow(locked);
    store.close();
  });

  test('holds against another process and ends with it', async () => {
    using scratch = scratchFolder();
    const writer = new URL('../../test/conformance/store-kill-writer.ts', import.meta.url);
    const child = spawn(process.execPath, [writer.pathname, scratch.path], { stdio: ['ignore', 'pipe', 'inherit'] });
    await once(child.stdout, 'data');
    expect(() => open(scratch.path)).toThrow(withCode('project_locked', new RegExp(`process ${child.pid} `)));
    child.kill('SIGKILL');
    await once(child, 'exit');
    open(scratch.path).close();
  });

  test.each<[string, (file: string) => void]>([
    ['its file', (file) => rmSync(file)],
    ['the whole folder', (file) => rmSync(dirname(file), { recursive: true })],
    [
      'its file, and another runtime has begun,',
      (file) => {
        rmSync(file);
        open(join(dirname(file), 'threads.db')).close();
      },
    ],
  ])('is missed once %s is gone: nothing is written any more', (_, take) => {
    using scratch = scratchFolder();
    const file = join(dirname(scratch.path), 'runtime.lock');
    const store = open(scratch.path);
    store.commit([admit(1)]);
    take(file);
    const lost = withCode('store_failed', /lock of the project was taken away/);
    expect(() => store.commit([admit(2)])).toThrow(lost);
    for (const write of [() => store.idle(), () => store.tidy?.(), () => store.keepLogShort?.()])
      expect(write).toThrow(lost);
    store.close();
    expect(lockHolder(dirname(scratch.path))).toBeUndefined();
  });

  test('that another runtime has by now keeps its process id', () => {
    using scratch = scratchFolder();
    const folder = dirname(scratch.path);
    const first = open(scratch.path);
    rmSync(join(folder, 'runtime.lock'));
    const second = open(scratch.path);
    first.close();
    expect(lockHolder(folder)).toBe(process.pid);
    second.commit([admit(1)]);
    second.close();
  });

  test('does not keep readers out', () => {
    using scratch = scratchFolder();
    const store = open(scratch.path);
    store.commit([admit(1)]);
    const reader = openReader(scratch.path);
    expect(reader.threads({})).toHaveLength(1);
    reader.close();
    store.close();
  });
});

describe('orphans', () => {
  test('are found by the index on open threads', () => {
    using scratch = scratchFolder();
    makeDatabase(scratch.path);
    const db = new Database(scratch.path);
    const plan = db.prepare(`EXPLAIN QUERY PLAN ${orphanQuery(shippedTables())}`).all(10);
    const steps = plan.map((row) => String(Object(row).detail));
    expect(steps.filter((detail) => detail.startsWith('SCAN') && detail !== 'SCAN open')).toEqual([]);
    expect(steps.join('; ')).toMatch(/SEARCH threads USING (?:COVERING )?INDEX idx_threads_open/);
    db.close();
  });

  test('are all suspended when there are more than fit one transaction', () => {
    using scratch = scratchFolder();
    const first = open(scratch.path);
    first.commit(Array.from({ length: 2_500 }, (_, index) => admit(index + 1)));
    first.close();
    const second = open(scratch.path);
    expect(second.opened).toEqual({ nextThread: 2_501, suspendedOrphans: 2_500 });
    second.close();
    const reader = openReader(scratch.path);
    expect(reader.threads({ status: ['suspended'], limit: 3_000 })).toHaveLength(2_500);
    expect(reader.threadByNo(1)).toMatchObject({ updatedAt: 9_000 });
    reader.close();
  });
});

import { copyFileSync, existsSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { archivePath } from '../../src/store/archive-shelf.ts';
import { collectGarbage } from '../../src/store/collect-garbage.ts';
import { openStore } from '../../src/store/open.ts';
import { admit, END, lines, scratchFolder, shippedTables, step } from '../conformance/store-fixture.ts';
import { acksIn, expectWholeAfterOpen } from './acknowledged.ts';
import { buildShim, whyNoShim, type Fault } from './fault-shim.ts';
import { runWriter, type WriterRun } from './run-writer.ts';

const noShim = whyNoShim();
const hasPrlimit = process.platform === 'linux';
let folder: string;
let shim: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'skein-shim-'));
  if (noShim === undefined) shim = buildShim(folder);
});

afterAll(() => rmSync(folder, { recursive: true }));

type Left = { readonly threads: number; readonly hasLog: boolean };

/** Runs the writer until it fails, expects that it stopped for good and that nothing it acknowledged is lost. */
async function leftBy(run: Omit<WriterRun, 'path'>): Promise<Left> {
  using scratch = scratchFolder();
  const { text } = await runWriter({ ...run, path: scratch.path });
  expect(text).toMatch(/\nfailed store_failed\nthen store_failed\n$/);
  const hasLog = existsSync(`${scratch.path}-wal`);
  const acks = acksIn(text);
  expect(acks.size).toBe(4);
  return { threads: expectWholeAfterOpen(scratch.path, acks), hasLog };
}

/** Ends what a writer has left, so that the next start has nothing to do but what is still to come. */
function settle(path: string): void {
  openStore({ path, tables: shippedTables(), now: () => 9_000 }).close();
}

/** As one that was copied from elsewhere. */
function moveIn(path: string): void {
  settle(path);
  copyFileSync(path, `${path}.copy`);
  renameSync(`${path}.copy`, path);
}

/** As version 3 made it. */
function makeOlder(file: string): void {
  const db = new Database(file);
  db.exec('DROP INDEX idx_threads_interrupted_root; PRAGMA user_version = 3');
  db.close();
}

async function leaveOldArchive(path: string): Promise<void> {
  endThreads(path);
  const all = { path, tables: shippedTables(), now: 9e12, archiveAfterDays: 1, problem: () => undefined };
  await collectGarbage(all);
  makeOlder(archivePath(path));
}

/** Makes a database of threads that ended long before garbage-writer.ts collects. */
function endThreads(path: string): void {
  const store = openStore({ path, tables: shippedTables(), now: () => 0 });
  for (let thread = 1; thread <= 8; thread++) {
    const end = step(thread, 1, { lines: lines(1, 1, 'x'.repeat(40_000)), status: END, at: 0 });
    store.commit([admit(thread, { at: 0 }), end]);
  }
  store.close();
}

describe.skipIf(noShim !== undefined)(`a disk that fails${noShim === undefined ? '' : ` (skipped: ${noShim})`}`, () => {
  test.each<[string, Fault]>([
    ['a sync of the log fails once', { FAULT_SYNC_FILE: 'threads.db-wal', FAULT_SYNC_FROM: '12', FAULT_SYNC_TO: '12' }],
    ['every sync of the log fails from one on', { FAULT_SYNC_FILE: 'threads.db-wal', FAULT_SYNC_FROM: '12' }],
    ['a sync of the database fails once', { FAULT_SYNC_FILE: 'threads.db', FAULT_SYNC_FROM: '1', FAULT_SYNC_TO: '1' }],
    ['every sync fails once the log is copied', { FAULT_SYNC_FILE: 'threads.db', FAULT_SYNC_FROM: '1' }],
  ])('%s: the store stops, and the next one has all that was acknowledged', async (_, fault) => {
    // What a failed sync has kept from the disk must be written again: the log is not thrown away.
    expect(await leftBy({ env: { LD_PRELOAD: shim, ...fault } })).toEqual({ threads: 5, hasLog: true });
  });

  test.each([
    ['what was archived is deleted', '11'],
    ['the database is vacuumed', '20'],
  ])('a sync of the log fails once while %s: the store stops just so', async (_, sync) => {
    using scratch = scratchFolder();
    const fault: Fault = { FAULT_SYNC_FILE: 'threads.db-wal', FAULT_SYNC_FROM: sync, FAULT_SYNC_TO: sync };
    const program = new URL('upkeep-writer.ts', import.meta.url);
    const { text } = await runWriter({ path: scratch.path, program, env: { LD_PRELOAD: shim, ...fault } });
    expect(text).toBe('failed store_failed\nthen store_failed\n');
    expect(existsSync(`${scratch.path}-wal`)).toBe(true);
  });

  test.each<[string, (path: string) => void]>([
    ['suspends what was left running', () => undefined],
    ['has a database at home that came from elsewhere', moveIn],
    [
      'brings an older database up to date',
      (path) => {
        settle(path);
        makeOlder(path);
      },
    ],
  ])('a sync of the log fails once in a start that %s: it is refused, and the log is left', async (_, prepare) => {
    using scratch = scratchFolder();
    const { path } = scratch;
    const { text } = await runWriter({ path, rounds: 5 });
    prepare(path);
    const fault: Fault = { FAULT_SYNC_FILE: 'threads.db-wal', FAULT_SYNC_FROM: '1', FAULT_SYNC_TO: '1' };
    expect((await runWriter({ path, env: { LD_PRELOAD: shim, ...fault } })).text).toBe('failed store_failed\n');
    expect(existsSync(`${path}-wal`)).toBe(true);
    expect(expectWholeAfterOpen(path, acksIn(text))).toBe(5);
  });

  test.each<[string, string, string, (path: string) => unknown]>([
    ['what was archived is deleted', 'threads.db-wal', '1', endThreads],
    ['the database is vacuumed', 'threads.db-wal', '10', endThreads],
    ['trees are archived', 'archive.db-wal', '2', endThreads],
    ['an older archive is brought up to date', 'archive.db-wal', '1', leaveOldArchive],
  ])(
    'a sync of a log fails once while garbage is collected and %s: that log is left',
    async (_, log, sync, prepare) => {
      using scratch = scratchFolder();
      const fault: Fault = { FAULT_SYNC_FILE: log, FAULT_SYNC_FROM: sync, FAULT_SYNC_TO: sync };
      const program = new URL('garbage-writer.ts', import.meta.url);
      const run = { path: scratch.path, program };
      await prepare(run.path);
      expect((await runWriter({ ...run, env: { LD_PRELOAD: shim, ...fault } })).text).toBe('failed store_failed\n');
      expect(existsSync(join(dirname(scratch.path), log))).toBe(true);
      expect((await runWriter(run)).text).toMatch(/^archived \d\n$/);
    },
  );

  test('every sync fails once a log without a quiet moment is copied: the same', async () => {
    const env = { LD_PRELOAD: shim, BUSY: '1', FAULT_SYNC_FILE: 'threads.db', FAULT_SYNC_FROM: '1' };
    expect(await leftBy({ env })).toEqual({ threads: 5, hasLog: true });
  });

  test('the disk is full: the store stops, and the next one has all that was acknowledged', async () => {
    const left = await leftBy({ env: { LD_PRELOAD: shim, FAULT_FULL_AFTER: '1500000' } });
    expect(left).toMatchObject({ threads: 5 });
  });
});

test.runIf(hasPrlimit)('a file that may grow no further stops the store, which has all it acknowledged', async () => {
  expect(await leftBy({ under: ['prlimit', '--fsize=1000000'] })).toMatchObject({ threads: 5 });
});

test.runIf(hasPrlimit)(
  'a start without room is refused, whether there is a database or not, and loses nothing',
  async () => {
    using scratch = scratchFolder();
    const { path } = scratch;
    const small = { path, under: ['prlimit', '--fsize=20000'] };
    expect((await runWriter(small)).text).toBe('failed store_failed\n');
    expect(existsSync(path)).toBe(false);
    const { text } = await runWriter({ path, rounds: 5 });
    expect((await runWriter(small)).text).toBe('failed store_failed\n');
    expect(expectWholeAfterOpen(path, acksIn(text))).toBe(5);
  },
);

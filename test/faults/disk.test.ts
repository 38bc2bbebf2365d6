import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { scratchFolder } from '../conformance/store-fixture.ts';
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

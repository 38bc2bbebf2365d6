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

/** Runs the writer until it fails, and expects that it stopped for good and that nothing it acknowledged is lost. */
async function expectStopped(run: Omit<WriterRun, 'path'>, isSync = false): Promise<void> {
  using scratch = scratchFolder();
  const { text } = await runWriter({ ...run, path: scratch.path });
  expect(text).toMatch(/\nfailed store_failed\nthen store_failed\n$/);
  // What a failed sync has kept from the disk must be written again: the log is not thrown away.
  if (isSync) expect(existsSync(`${scratch.path}-wal`)).toBe(true);
  const acks = acksIn(text);
  expect(acks.size).toBe(4);
  expect(expectWholeAfterOpen(scratch.path, acks)).toBe(5);
}

describe.skipIf(noShim !== undefined)(`a disk that fails${noShim === undefined ? '' : ` (skipped: ${noShim})`}`, () => {
  test.each<[string, Fault]>([
    ['a sync of the log fails once', { FAULT_SYNC_FILE: 'threads.db-wal', FAULT_SYNC_FROM: '12', FAULT_SYNC_TO: '12' }],
    ['every sync of the log fails from one on', { FAULT_SYNC_FILE: 'threads.db-wal', FAULT_SYNC_FROM: '12' }],
    ['a sync of the database fails once', { FAULT_SYNC_FILE: 'threads.db', FAULT_SYNC_FROM: '1', FAULT_SYNC_TO: '1' }],
    ['every sync fails once the log is copied', { FAULT_SYNC_FILE: 'threads.db', FAULT_SYNC_FROM: '1' }],
    ['the disk is full', { FAULT_FULL_AFTER: '1500000' }],
  ])('%s: the store stops, and the next one has all that was acknowledged', async (_, fault) => {
    await expectStopped({ env: { LD_PRELOAD: shim, ...fault } }, fault.FAULT_SYNC_FILE !== undefined);
  });
});

test.runIf(hasPrlimit)('a file that may grow no further stops the store, which has all it acknowledged', async () => {
  await expectStopped({ under: ['prlimit', '--fsize=1000000'] });
});

import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
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

  test('whatever a power cut leaves after any sync has all that was acknowledged until the next one', async () => {
    using scratch = scratchFolder();
    const record = join(scratch.folder, 'record');
    mkdirSync(record);
    const { text } = await runWriter({
      path: scratch.path,
      rounds: 45,
      env: { LD_PRELOAD: shim, FAULT_RECORD: record },
    });
    const syncs = readdirSync(record).toSorted();
    expect(new Set(syncs.map((name) => name.split('-')[1]))).toEqual(new Set(['db', 'wal']));
    expect(syncs.length).toBeGreaterThan(45);
    const found = new Set<number>();
    for (const index of syncs.keys()) {
      const printed = Number(syncs[index + 1]?.split('-')[2] ?? text.length);
      using cut = afterCut(record, syncs.slice(0, index + 1));
      found.add(expectWholeAfterOpen(cut.path, acksIn(text.slice(0, printed))));
    }
    expect(found).toEqual(new Set([5]));
  });
});

test.runIf(hasPrlimit)('a file that may grow no further stops the store, which has all it acknowledged', async () => {
  await expectStopped({ under: ['prlimit', '--fsize=1000000'] });
});

/** The files as they were when they were last synced. */
function afterCut(record: string, syncs: readonly string[]): ReturnType<typeof scratchFolder> {
  const scratch = scratchFolder();
  mkdirSync(join(scratch.folder, 'threads'));
  const last = (kind: string): string | undefined => syncs.findLast((name) => name.includes(`-${kind}-`));
  const [db, log] = [last('db'), last('wal')];
  if (db) copyFileSync(join(record, db), scratch.path);
  if (log) copyFileSync(join(record, log), `${scratch.path}-wal`);
  return scratch;
}

import { copyFileSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { scratchFolder } from '../conformance/store-fixture.ts';
import { acksIn, expectWholeAfterOpen } from '../faults/acknowledged.ts';
import { buildShim, whyNoShim } from '../faults/fault-shim.ts';
import { runWriter } from '../faults/run-writer.ts';

const noShim = whyNoShim();
const reason = noShim === undefined ? '' : ` (skipped: ${noShim})`;

test.skipIf(noShim !== undefined)(
  'whatever a power cut leaves after any sync has all that was acknowledged until the next one' + reason,
  async () => {
    using scratch = scratchFolder();
    const record = join(scratch.folder, 'record');
    mkdirSync(record);
    const { text } = await runWriter({
      path: scratch.path,
      rounds: 45,
      env: { LD_PRELOAD: buildShim(scratch.folder), FAULT_RECORD: record },
    });
    const syncs = readdirSync(record).toSorted();
    expect(new Set(syncs.map((name) => name.split('-')[1]))).toEqual(new Set(['new', 'db', 'wal']));
    expect(syncs.length).toBeGreaterThan(45);
    const found = new Set<number>();
    // Before the first of them there is no database with its name.
    const first = syncs.findIndex((name) => name.includes('-wal-'));
    for (let index = first; index < syncs.length; index++) {
      const printed = Number(syncs[index + 1]?.split('-')[2] ?? text.length);
      using cut = afterCut(record, syncs.slice(0, index + 1));
      found.add(expectWholeAfterOpen(cut.path, acksIn(text.slice(0, printed))));
    }
    // Of the very first transaction a cut may leave nothing: nothing was acknowledged yet.
    expect(found).toEqual(new Set([0, 5]));
  },
);

/** The files as they were when they were last synced. */
function afterCut(record: string, syncs: readonly string[]): ReturnType<typeof scratchFolder> {
  const scratch = scratchFolder();
  mkdirSync(join(scratch.folder, 'threads'));
  const last = (kind: RegExp): string | undefined => syncs.findLast((name) => kind.test(name));
  const [db, log] = [last(/-(?:new|db)-/), last(/-wal-/)];
  if (db) copyFileSync(join(record, db), scratch.path);
  if (log) copyFileSync(join(record, log), `${scratch.path}-wal`);
  return scratch;
}

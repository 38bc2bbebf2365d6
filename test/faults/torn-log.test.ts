import { appendFileSync, cpSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { scratchFolder } from '../conformance/store-fixture.ts';
import { acksIn, expectWholeAfterOpen } from './acknowledged.ts';
import { runWriter } from './run-writer.ts';

const PAGE = 16_384;
const FRAME = PAGE + 24;

/** What a writer left that was killed with everything in its log. */
const killed = scratchFolder();
let printed: string;

beforeAll(async () => {
  const run = await runWriter({ path: killed.path, rounds: 15 });
  if (run.signal !== 'SIGKILL') throw new Error(`The writer ended otherwise: ${run.text}`);
  printed = run.text;
});

afterAll(() => killed[Symbol.dispose]());

/** A copy of it whose log has been spoiled. */
function spoilt(spoil: (log: string) => void): ReturnType<typeof scratchFolder> {
  const scratch = scratchFolder();
  cpSync(dirname(killed.path), dirname(scratch.path), { recursive: true });
  spoil(`${scratch.path}-wal`);
  return scratch;
}

test.each<[string, (log: string) => void]>([
  ['half a frame', (log) => appendFileSync(log, readFileSync(log).subarray(-FRAME, -FRAME / 2))],
  ['a whole frame of noise', (log) => appendFileSync(log, Buffer.alloc(FRAME, 0xa5))],
  ['zeros', (log) => appendFileSync(log, Buffer.alloc(10 * FRAME))],
  ['frames that were written before', (log) => appendFileSync(log, readFileSync(log).subarray(32))],
])('a log that ends in %s loses nothing that was acknowledged', (_, spoil) => {
  using scratch = spoilt(spoil);
  const acks = acksIn(printed);
  expect(acks.size).toBe(4);
  expect(expectWholeAfterOpen(scratch.path, acks)).toBe(5);
});

test.each<[string, (log: string, size: number) => void]>([
  ['cut by a byte', (log, size) => truncateSync(log, size - 1)],
  ['cut within a frame', (log, size) => truncateSync(log, size - 3 * FRAME - 100)],
  ['cut between two frames', (log, size) => truncateSync(log, size - 7 * FRAME)],
  ['cut in the middle', (log, size) => truncateSync(log, Math.floor(size / 2))],
  ['written wrongly near its end', (log, size) => scribble(log, size - 2 * FRAME)],
  ['written wrongly in its middle', (log, size) => scribble(log, Math.floor(size / 2))],
])('a log %s gives the state after some step, of all threads alike', (_, spoil) => {
  using scratch = spoilt((log) => spoil(log, readFileSync(log).length));
  expect(expectWholeAfterOpen(scratch.path, new Map())).toBe(5);
});

function scribble(file: string, at: number): void {
  const bytes = readFileSync(file);
  bytes.fill(0xee, at, at + 64);
  writeFileSync(file, bytes);
}

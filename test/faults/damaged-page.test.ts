import { closeSync, openSync, statSync, writeSync } from 'node:fs';
import { expect, test } from 'vitest';
import { openStore } from '../../src/store/open.ts';
import { openReader } from '../../src/store/reader.ts';
import { admit, lines, scratchFolder, shippedTables, step } from '../conformance/store-fixture.ts';

const PAGE = 16_384;
const CORRUPT = expect.objectContaining({ code: 'store_corrupt' });

function open(path: string): ReturnType<typeof openStore> {
  return openStore({ path, tables: shippedTables(), now: () => 9_000 });
}

/** Overwrites every page but the first, in the file alone: what is read from now on is damaged. */
function damage(path: string): void {
  const file = openSync(path, 'r+');
  for (let at = PAGE; at < statSync(path).size; at += PAGE)
    writeSync(file, Buffer.alloc(PAGE / 2, 0xee), 0, PAGE / 2, at);
  closeSync(file);
}

test('a page that is damaged under a running store stops it, and is an error to whoever reads it, never an absence', () => {
  using scratch = scratchFolder();
  const first = open(scratch.path);
  const text = lines(1, 20, 'x'.repeat(1_000));
  for (let thread = 1; thread <= 20; thread++) {
    const end = { to: 'completed', ending: '{}' } as const;
    first.commit([admit(thread), step(thread, 1, { lines: text, lastSequence: 20, status: end })]);
  }
  first.close();

  const store = open(scratch.path);
  const reader = openReader(scratch.path);
  damage(scratch.path);
  expect(() => store.commit([{ type: 'load', thread: 10 }])).toThrow(CORRUPT);
  expect(() => store.commit([admit(21)])).toThrow(CORRUPT);
  expect(() => reader.events(10)).toThrow(CORRUPT);
  expect(() => reader.threads({})).toThrow(CORRUPT);
  reader.close();
  store.close();
  expect(() => open(scratch.path)).toThrow(CORRUPT);
});

import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { admit, idOf, lines, shippedTables, step } from '../../test/conformance/store-fixture.ts';
import { openStore } from '../store/open.ts';
import { commandIn } from './fixtures/command-in.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'skein-cli-tail-'));
});
afterEach(() => rmSync(root, { recursive: true }));

/** Stores a thread whose log is so many events, each with a message of so many characters. */
function logged(count: number, characters: number): void {
  const folder = join(root, 'project', '.ai', 'threads');
  mkdirSync(folder, { recursive: true });
  const store = openStore({ path: join(folder, 'threads.db'), tables: shippedTables(), now: () => 0 });
  store.commit([admit(1)]);
  for (let at = 1; at <= count; at++) {
    const log = { lines: lines(at, at, 'x'.repeat(characters)), firstSequence: at, lastSequence: at };
    expect(store.commit([step(1, at, log)])).toEqual([true]);
  }
  store.close();
}

describe('skein tail', () => {
  test.each<[stored: number, characters: number, args: readonly string[], shown: number, leftOut: number]>([
    [3, 10, [], 3, 0],
    [30, 10, [], 10, 0],
    [30, 10, ['--lines', '1000'], 30, 0],
    [30, 100_000, [], 10, 0],
    [300, 10_000, ['--lines', '200'], 200, 0],
    [20, 10_000, ['--types', 'warning'], 10, 0],
    [20, 100_000, ['--types', 'warning'], 10, 0],
    [20, 300_000, ['--types', 'warning', '--lines', '3'], 3, 0],
    [20, 200_000, ['--types', 'warning'], 5, 5],
    [7, 200_000, ['--types', 'warning'], 5, 2],
    [20, 10, ['--types', 'usage'], 0, 0],
  ])('of %i events of %i characters with %j shows %i, whole, and says of %i that they are left out', async (...row) => {
    const [stored, characters, args, shown, leftOut] = row;
    logged(stored, characters);
    const { code, out, err } = await commandIn(root, ['tail', idOf(1), '--json', ...args]);
    const events = out.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]));
    expect(events.map(({ sequence }) => sequence)).toEqual(
      Array.from({ length: shown }, (_, at) => stored - shown + at + 1),
    );
    expect(events.map(({ payload }) => payload.message.length)).toEqual(events.map(() => characters));
    expect([code, err]).toEqual([
      0,
      leftOut === 0 ? '' : `[${leftOut} of the last 10 events left out: the others are long]\n`,
    ]);
  });

  test('refuses to show more than can be asked for', async () => {
    logged(1, 1);
    const { code, err } = await commandIn(root, ['tail', idOf(1), '--lines', '1001']);
    expect([code, err]).toEqual([2, expect.stringMatching(/tail .*1,000 .*--lines is 1001 \[invalid_argument\]/)]);
  });
});

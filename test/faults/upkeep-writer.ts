import { writeSync } from 'node:fs';
import { toFailure } from '../../src/core/errors.ts';
import { openStore } from '../../src/store/open.ts';
import { admit, END, lines, shippedTables, step } from '../conformance/store-fixture.ts';

/*
 * A program whose disk fails under the upkeep of its store: `node upkeep-writer.ts FILE`. Ends some threads, has them archived and the
 * database vacuumed 100 days later, and prints `tended`, or `failed CODE` and what the store says to the next operation.
 */
const DAY = 86_400_000;
const THREADS = 8;
const [path = ''] = process.argv.slice(2);
let day = 0;
const now = (): number => day * DAY;
const store = openStore({
  path,
  tables: shippedTables(),
  now,
  cleanup: { archiveAfterDays: 1, vacuumIntervalDays: 1 },
});
for (let thread = 1; thread <= THREADS; thread++) {
  store.commit([
    admit(thread, { at: 0 }),
    step(thread, 1, { lines: lines(1, 1, 'x'.repeat(40_000)), status: END, at: 0 }),
  ]);
}
day = 100;
attempt('failed', () => {
  while (store.tidy?.()) store.keepLogShort?.();
  say('tended');
});
attempt('then', () => {
  store.commit([admit(THREADS + 1, { at: now() })]);
  say('then committed');
});
store.close();

function attempt(what: string, work: () => void): void {
  try {
    work();
  } catch (thrown) {
    say(`${what} ${toFailure(thrown).code}`);
  }
}

function say(line: string): void {
  writeSync(1, `${line}\n`);
}

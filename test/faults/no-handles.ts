/*
 * Child process of unwritable.test.ts: uses up all file handles, goes on with the store at argv[2], tries to open another
 * one beside it, then gives the handles back and opens that. Prints what came of it.
 */
import { closeSync, writeSync } from 'node:fs';
import { SkeinError } from '../../src/core/errors.ts';
import { openStore } from '../../src/store/open.ts';
import { admit, shippedTables } from '../conformance/store-fixture.ts';
import { takeHandles } from './take-handles.ts';

const path = process.argv[2] ?? '';
const tables = shippedTables();
const now = (): number => 1;

const store = openStore({ path, tables, now });
const handles = takeHandles();
say(`commit ${JSON.stringify(store.commit([admit(1)]))}`);
store.idle();
say('idle');
say(`commit ${JSON.stringify(store.commit([admit(2)]))}`);
const other = path.replace('/threads/', '/others/');
say(`open ${tryOpen(other)}`);
for (const handle of handles) closeSync(handle);
say(`open ${tryOpen(other)}`);
store.close();

function tryOpen(file: string): string {
  try {
    openStore({ path: file, tables, now }).close();
    return 'ok';
  } catch (thrown) {
    return thrown instanceof SkeinError ? thrown.code : String(thrown);
  }
}

function say(line: string): void {
  writeSync(1, `${line}\n`);
}

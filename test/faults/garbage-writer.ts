import { writeSync } from 'node:fs';
import { toFailure } from '../../src/core/errors.ts';
import { collectGarbage } from '../../src/store/collect-garbage.ts';
import { shippedTables } from '../conformance/store-fixture.ts';

/*
 * A program whose disk fails while garbage is collected: `node garbage-writer.ts FILE`. Archives what ended more than a day before
 * day 100, and prints `archived NUMBER` or `failed CODE`.
 */
const DAY = 86_400_000;
const [path = ''] = process.argv.slice(2);
try {
  const options = { path, tables: shippedTables(), now: 100 * DAY, archiveAfterDays: 1, problem: () => undefined };
  const { archived } = await collectGarbage(options);
  say(`archived ${archived}`);
} catch (thrown) {
  say(`failed ${toFailure(thrown).code}`);
}

function say(line: string): void {
  writeSync(1, `${line}\n`);
}

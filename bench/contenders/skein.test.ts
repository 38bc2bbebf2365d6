import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import open from 'better-sqlite3';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createSkein } from './skein.ts';

let scratch: string;
beforeAll(() => void (scratch = mkdtempSync(join(tmpdir(), 'skein-contender-'))));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

const FIRST = `(SELECT min(thread) FROM threads)`;

/** Runs threads twice, changes what is stored of the first of them, and has the contender look at its work. */
async function problemsAfter(change: string): Promise<readonly string[]> {
  const setup = { params: { threads: 3, turns: 3, llmMs: 0 }, sample: undefined, scratch };
  await using contender = await createSkein(setup);
  await contender.run(3);
  await contender.run(3);
  const [project = ''] = readdirSync(scratch);
  const database = new open(join(scratch, project, '.ai', 'threads', 'threads.db'));
  database.exec(change);
  database.close();
  return (await contender.inspect()).problems;
}

test('nothing is wrong with the work of Skein', async () => {
  expect(await problemsAfter('')).toEqual([]);
});

test.each([
  ['a gap in a log', `DELETE FROM events WHERE thread = ${FIRST} AND first_sequence = 1`, /event 1 has sequence/],
  ['another status', `UPDATE threads SET status = 'running' WHERE thread = ${FIRST}`, /1 terminal events, though/],
  [
    'a nano-USD too much',
    `UPDATE budget_ledger SET actual_spend = actual_spend + 1 WHERE thread = ${FIRST}`,
    /differs by 1/,
  ],
  [
    'a wrong tool result',
    `UPDATE events SET lines = replace(lines, 'the meaning of', 'no meaning of') WHERE thread = ${FIRST}`,
    /3 of 3 answers and 0 of 2 tool results/,
  ],
  [
    'another last text',
    `UPDATE events SET lines = replace(lines, 'Found both', 'Found none') WHERE thread = ${FIRST}`,
    /ended with "Found none: the words mean what they say."/,
  ],
])('%s is a problem, whichever run it is in', async (_what, change, problem) => {
  expect(await problemsAfter(change)).toContainEqual(expect.stringMatching(problem));
});

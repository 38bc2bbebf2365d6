/*
 * `node bench/kill.ts [--rounds 20] [--seed N] [--scratch FOLDER]`: `kill -9` in the middle of many threads, again and
 * again. Ends with `lost = 0`, or with exit code 1.
 */
import { tmpdir } from 'node:os';
import { parseArgs } from 'node:util';
import { readOrExit, wholeNumber } from './arguments.ts';
import { killRounds } from './kill-rounds.ts';

const asked = readOrExit('Usage: node bench/kill.ts [--rounds 20] [--seed N] [--scratch FOLDER]', () => {
  const { values } = parseArgs({
    options: {
      rounds: { type: 'string', default: '20' },
      seed: { type: 'string', default: String(Date.now() % 1_000_000) },
      scratch: { type: 'string', default: tmpdir() },
    },
  });
  const rounds = wholeNumber('rounds', values.rounds, 1);
  return { rounds, seed: wholeNumber('seed', values.seed, 0), scratch: values.scratch };
});
console.log(`seed ${asked.seed}`);
const report = await killRounds({ ...asked, log: (line) => console.log(line) });
for (const problem of report.problems) console.log(`PROBLEM ${problem}`);
console.log(`left over ${report.leftOver}, resumed to their end ${report.resumedToEnd} of ${report.resumed}`);
console.log(`acknowledged = ${report.acknowledged}, lost = ${report.lost}`);
if (report.lost > 0 || report.problems.length > 0) process.exitCode = 1;

/*
 * `node bench/guard.ts`: a short form of the bench for CI, about a minute and a half of CPU. What it holds against a limit is
 * a ratio to the lower bound (`plain-encode`) in the same run, which differs less between machines than a time, or a count or size. A change
 * that makes a turn a quarter dearer passes, one that makes it twice as dear does not.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BY_NAME, LIBRARIES_BY_NAME } from './contenders/by-name.ts';
import { guard } from './guard-limits.ts';
import { scenariosWith } from './scenarios/shipped.ts';

const scratch = mkdtempSync(join(tmpdir(), 'skein-guard-'));
try {
  const entry = join(import.meta.dirname, 'run.ts');
  const problems = await guard({ scenarios: scenariosWith(BY_NAME, LIBRARIES_BY_NAME), entry, scratch });
  for (const problem of problems) console.log(`PROBLEM ${problem}`);
  if (problems.length > 0) process.exitCode = 1;
} finally {
  rmSync(scratch, { recursive: true, force: true });
}

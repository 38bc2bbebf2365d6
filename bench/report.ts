import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describeMachine } from './machine.ts';
import { encodeResults, type Result } from './results.ts';
import { renderTable } from './table.ts';
import { checkTargets } from './targets.ts';

const RESULTS = fileURLToPath(new URL('./results', import.meta.url));

/** Writes `results/<name>.json`, and a picture beside it if there is one. */
export function saveResults(name: string, results: readonly Result[], picture?: string): void {
  mkdirSync(RESULTS, { recursive: true });
  writeFileSync(join(RESULTS, `${name}.json`), encodeResults(describeMachine(), results));
  if (picture !== undefined) writeFileSync(join(RESULTS, `${name}.svg`), picture);
}

/** Prints the results with the targets they are held against, or all of it as JSON; the exit code is 1 for a problem. */
export function printReport(results: readonly Result[], problems: readonly string[], json: boolean): void {
  if (json) console.log(JSON.stringify({ machine: describeMachine(), results, problems }, undefined, 2));
  else {
    console.log(`${renderTable(results)}\n\nTargets`);
    for (const { text, reached } of checkTargets(results)) console.log(`  ${markOf(reached)}  ${text}`);
    for (const problem of problems) console.log(`  PROBLEM  ${problem}`);
  }
  if (problems.length > 0) process.exitCode = 1;
}

function markOf(reached: boolean | undefined): string {
  if (reached === undefined) return '       ';
  return reached ? 'reached' : 'MISSED ';
}

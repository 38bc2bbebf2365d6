import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeMachine } from './machine.ts';
import { renderPage } from './report-page.ts';
import type { Result } from './results.ts';
import { encodeStored, mergeResults, readStored, type Fresh } from './stored.ts';
import { renderTable } from './table.ts';
import { checkTargets, markOf } from './targets.ts';

/** Where the repository keeps results. */
export const RESULTS = join(import.meta.dirname, 'results');

/** Adds what a run has found to `<name>.json` in a folder, and writes `report.html` of all that is there. What is left out is told. */
export function saveResults(name: string, found: Fresh, folder = RESULTS): void {
  mkdirSync(folder, { recursive: true });
  const path = join(folder, `${name}.json`);
  const before = existsSync(path) ? readStored(readJson(path)) : undefined;
  const stored = mergeResults(before ?? { reports: [], leftOut: [] }, found);
  for (const one of stored.leftOut) {
    if (one.date === found.date) console.error(`${path} has nothing new of ${one.case}: ${one.why}`);
  }
  writeFileSync(path, encodeStored(stored));
  writePage(folder);
}

/** Writes `report.html` of all results that are in a folder. */
export function writePage(folder = RESULTS): void {
  const files = readdirSync(folder).filter((file) => file.endsWith('.json'));
  const all = files.flatMap((file) => readStored(readJson(join(folder, file))) ?? []);
  writeFileSync(join(folder, 'report.html'), renderPage(all));
}

function readJson(path: string): unknown {
  return JSON.parse(readFileSync(path, 'utf8'));
}

/** Prints the results with the targets they are held against, or all of it as a line of JSON; the exit code is 1 for a problem. */
export function printReport(results: readonly Result[], problems: readonly string[], json: boolean): void {
  if (json) console.log(JSON.stringify({ machine: describeMachine(), results, problems }));
  else {
    console.log(`${renderTable(results)}\n\nTargets`);
    for (const line of checkTargets(results)) console.log(`  ${markOf(line).padEnd(12)}  ${line.text}`);
    for (const problem of problems) console.log(`  PROBLEM  ${problem}`);
  }
  if (problems.length > 0) process.exitCode = 1;
}

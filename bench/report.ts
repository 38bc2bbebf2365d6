import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SkeinError } from '../src/core/errors.ts';
import { describeMachine } from './machine.ts';
import { isPage, renderPage } from './report-page.ts';
import type { Result } from './results.ts';
import { encodeStored, mergeResults, readStored, type Fresh, type Stored } from './stored.ts';
import { renderTable } from './table.ts';
import { checkTargets, markOf } from './targets.ts';

/** Where the repository keeps results. */
export const RESULTS = join(import.meta.dirname, 'results');

/**
 * Adds what a run has found to `<name>.json` in a folder, and writes `report.html` of all that is there. What is left out is told.
 * @throws SkeinError `invalid_argument` if the file there is somebody else's
 */
export function saveResults(name: string, found: Fresh, folder = RESULTS): void {
  mkdirSync(folder, { recursive: true });
  const path = join(folder, `${name}.json`);
  const stored = mergeResults(storedAt(path) ?? { reports: [], leftOut: [] }, found);
  for (const one of stored.leftOut) {
    if (one.date === found.date) console.error(`${path} has nothing new of ${one.case}: ${one.why}`);
  }
  writeFileSync(path, encodeStored(stored));
  writePage(folder);
}

/**
 * Makes sure that the results of all these, and the report, have a place in a folder.
 * @throws SkeinError `invalid_argument` if a file with the name of one is somebody else's
 */
export function checkPlaces(names: readonly string[], folder: string): void {
  for (const name of names) storedAt(join(folder, `${name}.json`));
  const page = join(folder, PAGE);
  if (existsSync(page) && !isPage(readFileSync(page, 'utf8'))) throw notOurs(page);
}

function storedAt(path: string): Stored | undefined {
  if (!existsSync(path)) return undefined;
  const stored = readFile(path);
  if (stored) return stored;
  throw notOurs(path);
}

function notOurs(path: string): SkeinError {
  return new SkeinError('invalid_argument', `${path} is not of the bench, and would be written over`);
}

const PAGE = 'report.html';

/** Writes `report.html` of all results that are in a folder; files of others may be there, too. */
export function writePage(folder = RESULTS): void {
  const files = readdirSync(folder, { withFileTypes: true }).filter(
    (one) => one.isFile() && one.name.endsWith('.json'),
  );
  const all = files.flatMap(({ name }) => readFile(join(folder, name)) ?? []);
  writeFileSync(join(folder, PAGE), renderPage(all));
}

/** Results that are in a file; undefined if it is somebody else's. */
function readFile(path: string): Stored | undefined {
  const content = readFileSync(path, 'utf8');
  try {
    return readStored(JSON.parse(content));
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
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

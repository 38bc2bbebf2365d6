import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeMachine } from './machine.ts';
import { renderPage, type Report } from './report-page.ts';
import { encodeResults, type Result } from './results.ts';
import { renderTable } from './table.ts';
import { checkTargets, markOf } from './targets.ts';

/** Where the repository keeps results. */
export const RESULTS = join(import.meta.dirname, 'results');

/** Writes `<name>.json` in a folder, and `report.html` of all results that are there. */
export function saveResults(name: string, results: readonly Result[], folder = RESULTS): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${name}.json`), encodeResults(describeMachine(), results));
  const files = readdirSync(folder).filter((file) => file.endsWith('.json'));
  const reports = files.map((file) => JSON.parse(readFileSync(join(folder, file), 'utf8')) as unknown);
  writeFileSync(join(folder, 'report.html'), renderPage(reports.filter(isReport)));
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

/** What `encodeResults` has written; `cache.bench.ts` has a form of its own. */
function isReport(content: unknown): content is Report {
  return typeof content === 'object' && content !== null && 'machine' in content;
}

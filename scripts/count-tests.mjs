// Prints what failed or was skipped in all JSON reports of a folder, and `N passed, N failed` as its last line. Fails when a
// test failed or was skipped, none ran, or an earlier step failed: node scripts/count-tests.mjs FOLDER EARLIER_FAILURES
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

const MESSAGE_LINES = 20;

const [folder = 'reports', earlier = '0'] = process.argv.slice(2);
const files = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.json')) : [];
const reports = files.map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')));

for (const { name, status: outcome, message, assertionResults } of reports.flatMap(({ testResults }) => testResults)) {
  const file = relative('.', name);
  const broken = assertionResults.filter(({ status }) => status === 'failed');
  // A file that could not be read, or a hook or worker that failed.
  if (outcome === 'failed' && broken.length === 0) printFailure(file, message || 'none of its tests, and no message');
  for (const { fullName, failureMessages } of broken) printFailure(`${file} > ${fullName}`, failureMessages.join('\n'));
  // What is missing here (a browser, a shell, a compiler) would be taken for checked.
  const skipped = assertionResults.filter(({ status }) => status !== 'passed' && status !== 'failed');
  for (const { fullName, status } of skipped) printFailure(`${file} > ${fullName}`, `${status}: it was not run`);
}

const sum = (key) => reports.reduce((total, report) => total + report[key], 0);
const passed = sum('numPassedTests');
const broken = sum('numFailedTests') + sum('numFailedTestSuites') * Number(sum('numFailedTests') === 0);
const failed = broken + sum('numPendingTests') + sum('numTodoTests');
if (earlier !== '0' || failed > 0 || passed === 0) process.exitCode = 1;
console.log(`${passed} passed, ${earlier !== '0' && failed === 0 ? 1 : failed} failed`);

/** Once more at the end, since of a long log only that may have been kept. */
function printFailure(what, message) {
  console.log([`== failed: ${what}`, ...message.split('\n').slice(0, MESSAGE_LINES)].join('\n  '));
}

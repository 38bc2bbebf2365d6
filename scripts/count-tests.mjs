// Prints `N passed, N failed` over all JSON reports in a folder, and fails when a test failed, none ran, or an earlier
// step did: node scripts/count-tests.mjs FOLDER EARLIER_FAILURE
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const [folder = 'reports', earlier = '0'] = process.argv.slice(2);
const files = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.json')) : [];
const reports = files.map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')));
const sum = (key) => reports.reduce((total, report) => total + report[key], 0);
const passed = sum('numPassedTests');
const failed = sum('numFailedTests') + sum('numFailedTestSuites') * Number(sum('numFailedTests') === 0);
if (earlier !== '0' || failed > 0 || passed === 0) process.exitCode = 1;
console.log(`${passed} passed, ${earlier !== '0' && failed === 0 ? 1 : failed} failed`);

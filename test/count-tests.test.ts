import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const SCRIPT = fileURLToPath(new URL('../scripts/count-tests.mjs', import.meta.url));

type Outcome = 'passed' | 'failed' | 'skipped' | 'todo';

test.each<[string, readonly (readonly Outcome[])[], number, number, string]>([
  ['all passed', [['passed', 'passed'], ['passed']], 0, 0, '3 passed, 0 failed'],
  ['one failed', [['passed', 'failed'], ['passed']], 0, 1, '2 passed, 1 failed'],
  ['one was skipped', [['passed', 'skipped']], 0, 1, '1 passed, 1 failed'],
  ['one is still to be written', [['passed', 'todo']], 0, 1, '1 passed, 1 failed'],
  ['an earlier step failed', [['passed']], 2, 1, '1 passed, 1 failed'],
  ['none ran', [], 0, 1, '0 passed, 0 failed'],
])('%s', (_what, suites, earlier, code, last) => {
  const { status, lines } = count(suites.map(reportOf), earlier);
  expect({ status, last: lines.at(-1) }).toEqual({ status: code, last });
});

test('what failed and what was skipped is named', () => {
  const { lines } = count([reportOf(['failed', 'skipped', 'passed'])], 0);
  expect(lines.filter((line) => line.startsWith('== '))).toEqual([
    '== failed: some.test.ts > test 0 failed',
    '== failed: some.test.ts > test 1 skipped',
  ]);
});

test('a file that could not be read counts as a failure', () => {
  const suite = { name: 'torn.test.ts', status: 'failed', message: 'SyntaxError', assertionResults: [] };
  const report = { ...reportOf(['passed']), numFailedTestSuites: 1, testResults: [suite] };
  const { status, lines } = count([report], 0);
  expect({ status, last: lines.at(-1), first: lines[0] }).toEqual({
    status: 1,
    last: '1 passed, 1 failed',
    first: '== failed: torn.test.ts',
  });
});

/** A report of one file, as Vitest writes it. */
function reportOf(outcomes: readonly Outcome[]): Record<string, unknown> {
  const numberOf = (wanted: Outcome): number => outcomes.filter((outcome) => outcome === wanted).length;
  const failed = numberOf('failed');
  return {
    numPassedTests: numberOf('passed'),
    numFailedTests: failed,
    numPendingTests: numberOf('skipped'),
    numTodoTests: numberOf('todo'),
    numFailedTestSuites: Number(failed > 0),
    testResults: [
      {
        name: 'some.test.ts',
        status: failed > 0 ? 'failed' : 'passed',
        message: '',
        assertionResults: outcomes.map((status, at) => ({
          fullName: `test ${at} ${status}`,
          status,
          failureMessages: [],
        })),
      },
    ],
  };
}

function count(reports: readonly unknown[], earlier: number): { status: number | null; lines: string[] } {
  const folder = mkdtempSync(join(tmpdir(), 'skein-reports-'));
  try {
    reports.forEach((report, at) => writeFileSync(join(folder, `${at}.json`), JSON.stringify(report)));
    const { status, stdout } = spawnSync(process.execPath, [SCRIPT, folder, String(earlier)], { encoding: 'utf8' });
    return { status, lines: stdout.trimEnd().split('\n') };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

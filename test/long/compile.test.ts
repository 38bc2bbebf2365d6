import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';

test('the compiled charts move like XState over 300,000 events', () => {
  // Thirty events a walk at least, three charts.
  const run = spawnSync('npx', ['vitest', 'run', 'machines/compile.test.ts', '--testTimeout', '600000'], {
    env: { ...process.env, CI: '', COMPILE_RUNS: '3400' },
    encoding: 'utf8',
  });
  expect(run.stdout).toMatch(/Tests .*passed/);
  expect(run.status).toBe(0);
});

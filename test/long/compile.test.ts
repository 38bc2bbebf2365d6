import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';

test('the compiled charts move like XState over 300,000 events', () => {
  // 60 events a walk at most, 30 on average, two charts.
  const run = spawnSync('npx', ['vitest', 'run', 'machines/compile.test.ts'], {
    env: { ...process.env, CI: '', COMPILE_RUNS: '6000' },
    encoding: 'utf8',
  });
  expect(run.stdout).toMatch(/Tests .*passed/);
  expect(run.status).toBe(0);
});

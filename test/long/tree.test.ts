import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';

test('a tree of 3,906 threads is cancelled at 200 random points', { timeout: 2_000_000 }, () => {
  // Another seed every day, printed so that a failing run can be repeated.
  const seed = String(process.env['TREE_SEED'] ?? Math.floor(Date.now() / 86_400_000));
  const env = { ...process.env, CI: '', TREE_CANCELS: '200', TREE_FAN_OUT: '5', TREE_SEED: seed };
  console.log(`seed ${seed}`);
  const run = spawnSync('npx', ['vitest', 'run', 'test/tree-cancel.test.ts'], { env, encoding: 'utf8' });
  expect(run.stdout).toMatch(/Tests .*passed/);
  expect(run.status).toBe(0);
});

test(
  'trees of 3,906 threads end with the money right, whichever way their children are waited for',
  { timeout: 2_000_000 },
  () => {
    const env = { ...process.env, CI: '', TREE_FAN_OUT: '5' };
    const run = spawnSync('npx', ['vitest', 'run', 'test/tree.test.ts'], { env, encoding: 'utf8' });
    expect(run.stdout).toMatch(/Tests .*2 passed/);
    expect(run.status).toBe(0);
  },
);

import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';

test('ten kills while threads hand over leave each of them as one thread that can go on', () => {
  const run = spawnSync('npx', ['vitest', 'run', 'test/runtime-continuation.test.ts', '-t', 'is killed'], {
    env: { ...process.env, CI: '', KILL_ROUNDS: '10' },
    encoding: 'utf8',
  });
  expect(run.stdout).toMatch(/Tests .*10 passed/);
  expect(run.status).toBe(0);
});

test('a kill at any statement from a resumption on leaves it with its money, or neither', () => {
  const run = spawnSync(
    'npx',
    ['vitest', 'run', 'test/resumption.test.ts', '-t', 'cut off', '--testTimeout', '120000'],
    {
      env: { ...process.env, CI: '', KILL_STATEMENTS: '7' },
      encoding: 'utf8',
    },
  );
  expect(run.stdout).toMatch(/Tests .*7 passed/);
  expect(run.status).toBe(0);
});

test('a kill at any statement of the commit of a hand-over leaves one thread that can go on', () => {
  const run = spawnSync('npx', ['vitest', 'run', 'test/runtime-continuation.test.ts', '-t', 'cut off'], {
    env: { ...process.env, CI: '', KILL_STATEMENTS: '14' },
    encoding: 'utf8',
  });
  expect(run.stdout).toMatch(/Tests .*16 passed/);
  expect(run.status).toBe(0);
});

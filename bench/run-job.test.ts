import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Job } from './job.ts';
import { runJob } from './run-job.ts';

const ENTRY = join(import.meta.dirname, '../test/fixtures/bench-process.ts');

let scratch: string;
beforeEach(() => void (scratch = mkdtempSync(join(tmpdir(), 'skein-run-job-'))));
afterEach(() => rmSync(scratch, { recursive: true, force: true }));

function jobOf(scenario: string): Job {
  return { scenario, contender: 'skein', params: { threads: 1, turns: 1, llmMs: 0 }, scratch };
}

test.each([
  { signal: 'SIGTERM', who: 'driver' },
  { signal: 'SIGKILL', who: 'driver' },
  // Ctrl-C of a terminal.
  { signal: 'SIGINT', who: 'driver and run' },
] as const)('when $signal is sent to the $who, both end and leave nothing', async ({ signal, who }) => {
  const driver = spawn(process.execPath, [ENTRY, 'endless', '--scratch', scratch], {
    stdio: ['ignore', 'ignore', 'pipe'],
    detached: true,
  });
  const { pid = 0 } = driver;
  let told = '';
  for await (const text of driver.stderr.setEncoding('utf8')) {
    told += text;
    if (told.includes('running')) process.kill(who === 'driver' ? pid : -pid, signal);
  }
  // The run has the same stream: it has ended when that has.
  if (driver.signalCode === null) await once(driver, 'exit');
  expect(driver.signalCode).toBe(signal);
  expect(readdirSync(scratch)).toEqual([]);
});

test('a run that is ended at its time limit leaves nothing', async () => {
  const running = runJob(jobOf('endless'), { entry: ENTRY, nodeArguments: [], timeoutMs: 1_500 });
  await expect(running).rejects.toThrow('endless of skein took more than 1.5 s');
  expect(readdirSync(scratch)).toEqual([]);
});

test.each([
  ['is refused by the system', process.execPath, ['x'.repeat(200_000)], 'E2BIG'],
  ['has no program', '/nowhere/node', [], 'ENOENT'],
])('a run whose process %s leaves nothing', async (_what, program, nodeArguments, code) => {
  const { execPath } = process;
  process.execPath = program;
  try {
    const running = runJob(jobOf('endless'), { entry: ENTRY, nodeArguments, timeoutMs: 600_000 });
    await expect(running).rejects.toThrow(code);
  } finally {
    process.execPath = execPath;
  }
  expect(readdirSync(scratch)).toEqual([]);
});

test('a run that waits for what never comes ends at once', async () => {
  const running = runJob(jobOf('stuck'), { entry: ENTRY, nodeArguments: [], timeoutMs: 600_000 });
  await expect(running).rejects.toThrow('stuck of skein ended with 13 before it was measured');
});

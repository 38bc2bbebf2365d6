import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { runJob } from './run-job.ts';

const ENTRY = join(import.meta.dirname, '../test/fixtures/bench-process.ts');

let scratch: string;
beforeEach(() => void (scratch = mkdtempSync(join(tmpdir(), 'skein-run-job-'))));
afterEach(() => rmSync(scratch, { recursive: true, force: true }));

test.each(['SIGTERM', 'SIGKILL'] as const)(
  'with a driver that is ended by %s, its run ends and leaves nothing',
  async (signal) => {
    const driver = spawn(process.execPath, [ENTRY, 'endless', '--scratch', scratch], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let told = '';
    for await (const text of driver.stderr.setEncoding('utf8')) {
      told += text;
      if (told.includes('running')) driver.kill(signal);
    }
    // The run has the same stream: it has ended when that has.
    if (driver.signalCode === null) await once(driver, 'exit');
    expect(driver.signalCode).toBe(signal);
    expect(readdirSync(scratch)).toEqual([]);
  },
);

test('a run that is ended at its time limit leaves nothing', async () => {
  const job = { scenario: 'endless', contender: 'skein', params: { threads: 1, turns: 1, llmMs: 0 }, scratch };
  const running = runJob(job, { entry: ENTRY, nodeArguments: [], timeoutMs: 1_500 });
  await expect(running).rejects.toThrow('endless of skein ended with SIGKILL before it was measured');
  expect(readdirSync(scratch)).toEqual([]);
});

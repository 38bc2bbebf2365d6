import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { expect, test } from 'vitest';
import { SKEIN } from '../fixtures/skein-command.ts';

/** A device that is always full; Linux alone has it. */
const FULL = '/dev/full';

test.skipIf(process.platform !== 'linux')('a command whose output has no room says so in one line', async () => {
  const full = openSync(FULL, 'w');
  const child = spawn(process.execPath, [SKEIN, '--help'], { stdio: ['ignore', full, 'pipe'] });
  closeSync(full);
  const chunks: Buffer[] = [];
  child.stderr?.on('data', (chunk: Buffer) => chunks.push(chunk));
  const [code] = await once(child, 'close');
  expect(code).toBe(1);
  expect(Buffer.concat(chunks).toString()).toMatch(/^skein: The output can't be written: ENOSPC.*\n$/);
});

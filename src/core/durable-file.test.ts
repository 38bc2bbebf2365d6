import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';

test.skipIf(process.platform !== 'linux')('a file that can not be written to its end is not left there', () => {
  const folder = mkdtempSync(join(tmpdir(), 'skein-durable-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const script = `
    import { writeDurably } from ${JSON.stringify(new URL('durable-file.ts', import.meta.url).href)};
    try {
      writeDurably('key.pem', 'x'.repeat(100), 0o600);
    } catch (error) {
      console.log(error.code);
    }`;
  const args = ['--fsize=16', process.execPath, '--input-type=module', '--eval', script];
  const { stdout } = spawnSync('prlimit', args, { cwd: folder, encoding: 'utf8' });
  expect(stdout).toBe('EFBIG\n');
  expect(readdirSync(folder)).toEqual([]);
});

import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';

test.skipIf(process.platform !== 'linux').each([
  ['is not left there', '', []],
  // Root may remove whatever it likes.
  ['is told also where it can not be removed', "fs.rmSync = () => fs.readdirSync('none');", ['key.pem']],
])('a file that can not be written to its end %s', (_name, before, left) => {
  const folder = mkdtempSync(join(tmpdir(), 'skein-durable-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const script = `
    import fs from 'node:fs';
    import { syncBuiltinESMExports } from 'node:module';
    import { writeDurably } from ${JSON.stringify(new URL('durable-file.ts', import.meta.url).href)};
    ${before}
    syncBuiltinESMExports();
    try {
      writeDurably('key.pem', 'x'.repeat(100), 0o600);
    } catch (error) {
      console.log(error.code);
    }`;
  const args = ['--fsize=16', process.execPath, '--input-type=module', '--eval', script];
  const { stdout } = spawnSync('prlimit', args, { cwd: folder, encoding: 'utf8' });
  expect(stdout).toBe('EFBIG\n');
  expect(readdirSync(folder)).toEqual(left);
});

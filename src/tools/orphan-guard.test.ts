import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test, vi } from 'vitest';
import { hasEnded, pidIn } from './fixtures/tool-bench.ts';

const HOST = fileURLToPath(new URL('fixtures/guarded-host.ts', import.meta.url));

describe('a guarded process ends', () => {
  test.each([
    ['the whole runtime is killed', 'main', (host: ReturnType<typeof spawn>) => host.kill('SIGKILL')],
    ['its worker is terminated', 'worker', (host: ReturnType<typeof spawn>) => host.stdin?.write('now\n')],
  ])('when %s', async (_name, mode, strike) => {
    const folder = mkdtempSync(join(tmpdir(), 'skein-orphans-'));
    const pidFile = join(folder, 'pid');
    const host = spawn(process.execPath, [HOST, mode, pidFile], { stdio: ['pipe', 'ignore', 'inherit'] });
    try {
      const pid = await vi.waitUntil(() => pidIn(pidFile), { timeout: 20_000 });
      expect(hasEnded(pid)).toBe(false);
      strike(host);
      await vi.waitUntil(() => hasEnded(pid), { timeout: 10_000 });
    } finally {
      host.kill('SIGKILL');
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

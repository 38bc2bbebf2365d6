import { spawn } from 'node:child_process';
import { expect, test, vi } from 'vitest';
import { cpuOf, cpuOfChildren } from './process-cpu.ts';

// Linux alone tells.
test.skipIf(process.platform !== 'linux')(
  'The CPU of a child is among that of the children, while it runs',
  async () => {
    const child = spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' });
    try {
      await vi.waitUntil(() => (cpuOf(child.pid) ?? 0) > 200_000, { timeout: 20_000 });
      expect(cpuOfChildren()).toBeGreaterThanOrEqual(200_000);
    } finally {
      child.kill('SIGKILL');
    }
  },
);

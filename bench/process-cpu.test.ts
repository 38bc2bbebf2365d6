import { spawn } from 'node:child_process';
import { expect, test, vi } from 'vitest';
import { cpuOf, cpuOfChildren } from './process-cpu.ts';

test('The CPU of children is that of those who run, and of each by its pid', async () => {
  const before = cpuOfChildren();
  const child = spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' });
  try {
    await vi.waitUntil(() => (cpuOf(child.pid) ?? 0) > 200_000, { timeout: 20_000 });
    expect(cpuOfChildren() - before).toBeGreaterThanOrEqual(200_000);
  } finally {
    child.kill('SIGKILL');
  }
  await vi.waitUntil(() => cpuOfChildren() <= before, { timeout: 10_000 });
});

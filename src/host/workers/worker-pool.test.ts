import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { MessageChannel, type Worker } from 'node:worker_threads';
import { describe, expect, test, vi } from 'vitest';
import { endingPort, startWorkerPool } from './worker-pool.ts';

describe('a port that says when its worker is gone', () => {
  test('says so after everything else', async () => {
    const { port1, port2 } = new MessageChannel();
    const heard = vi.fn<(message: unknown) => void>();
    endingPort(port1).on('message', heard);
    port2.postMessage(['first']);
    port2.close();
    await once(port1, 'close');
    expect(heard.mock.calls).toEqual([[['first']], [[{ type: 'gone' }]]]);
  });

  test('also to whoever listens when it is gone already', async () => {
    const { port1, port2 } = new MessageChannel();
    const port = endingPort(port1);
    port2.close();
    await once(port1, 'close');
    const heard = vi.fn<(message: unknown) => void>();
    port.on('message', heard);
    await vi.waitFor(() => expect(heard.mock.calls).toEqual([[[{ type: 'gone' }]]]), { timeout: 10_000 });
  });
});

test('A worker that takes the place of others has the heap that it is said to have, though the first had no limit', async () => {
  const workers: Worker[] = [];
  const begun = (worker: Worker): void => void workers.push(worker);
  process.on('worker', begun);
  const pool = startWorkerPool({ workers: 0, task: TASK, storePort: () => new MessageChannel().port2, memoryMb: 0 });
  try {
    const links = [0, 64].map((memoryMb) => pool.start({ memoryMb }));
    // They are ended before they are up.
    for (const { ready } of links) ready.catch(() => undefined);
    // A thread says its limits once it has begun; -1 before.
    const limits = (): unknown[] => workers.map(({ resourceLimits }) => resourceLimits?.maxOldGenerationSizeMb);
    await vi.waitFor(() => expect(limits()).toEqual([expect.any(Number), 64]), { timeout: 10_000 });
    await vi.waitFor(() => expect(limits()[0]).toBeGreaterThan(64), { timeout: 10_000 });
  } finally {
    process.off('worker', begun);
    await pool.close();
  }
});

const TASK = {
  projectPath: tmpdir(),
  userSpace: undefined,
  systemDir: tmpdir(),
  config: undefined,
  validateEvents: 'off',
  env: {},
  scripts: {},
  toolModules: [],
} as const;

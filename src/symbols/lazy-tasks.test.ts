import { describe, expect, test } from 'vitest';
import { systemClock } from '../core/clock.ts';
import { SkeinError } from '../core/errors.ts';
import { openSymbolsBench } from './fixtures/symbols-bench.ts';
import { createLazyTasks } from '../core/lazy-tasks.ts';
import { scanFiles } from './scan-files.ts';
import { createSymbolIndex } from './symbol-index.ts';
import { createSymbolRunner } from './symbol-runner.ts';
import type { ScanTask } from './symbol-task.ts';

const closed = (): SkeinError => new SkeinError('runtime_closed', 'closed');

/** A worker that scans, and is lost with each task that is under way when it is closed. */
function createWorker() {
  const lost = Promise.withResolvers<never>();
  const reached = { scan: Promise.withResolvers<void>(), parse: Promise.withResolvers<void>() };
  return {
    reached,
    run: (text: string, endsAt: 'scan' | 'parse'): Promise<string> => {
      // The runner's own.
      const task = JSON.parse(text) as ScanTask | { readonly kind: 'parse' };
      reached[task.kind].resolve();
      if (task.kind !== 'scan' || endsAt === 'scan') return lost.promise;
      return Promise.resolve(JSON.stringify(scanFiles(task)));
    },
    close: () => Promise.resolve(lost.reject(new Error('the worker was terminated'))),
  };
}

describe('Tasks of one program', () => {
  test.each(['scan', 'parse'] as const)('a refresh whose %s is cut off by closing is refused', async (during) => {
    using bench = openSymbolsBench({ 'a.ts': 'const a = 1;', 'b.ts': 'const b = 1;' });
    const worker = createWorker();
    const own = { run: (task: string) => worker.run(task, during), close: () => worker.close() };
    const tasks = createLazyTasks(() => Promise.resolve(own), closed);
    const index = createSymbolIndex({ root: bench.root, runner: createSymbolRunner(tasks), clock: systemClock });
    const closing = worker.reached[during].promise.then(() => tasks.close());
    await expect(index.refresh()).rejects.toMatchObject({ code: 'runtime_closed' });
    await closing;
    expect(index.files()).toEqual([]);
  });

  test('are not begun when they were closed while they were loaded', async () => {
    const begun: string[] = [];
    const loaded = Promise.withResolvers<void>();
    const own = { run: (task: string) => Promise.resolve(String(begun.push(task))), close: () => Promise.resolve() };
    const tasks = createLazyTasks(() => loaded.promise.then(() => own), closed);
    const task = tasks.run('a');
    const closing = tasks.close();
    loaded.resolve();
    await expect(task).rejects.toMatchObject({ code: 'runtime_closed' });
    await closing;
    expect(begun).toEqual([]);
  });

  test('are loaded again after that has failed, and closing does not fail for it', async () => {
    const loads = [
      Promise.reject(new Error('no such file')),
      Promise.resolve({ run: (task: string) => Promise.resolve(task), close: () => Promise.resolve() }),
    ];
    const tasks = createLazyTasks(() => loads.shift() ?? Promise.reject(new Error('once too often')), closed);
    await expect(tasks.run('a')).rejects.toThrow('no such file');
    await expect(tasks.run('b')).resolves.toBe('b');
    const never = createLazyTasks(() => Promise.reject(new Error('no such file')), closed);
    const task = never.run('c');
    const closing = never.close();
    await expect(task).rejects.toMatchObject({ code: 'runtime_closed' });
    await closing;
  });
});

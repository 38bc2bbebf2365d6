import { describe, expect, test } from 'vitest';
import { SkeinError } from './errors.ts';
import { createLazyTasks } from './lazy-tasks.ts';

const closed = (): SkeinError => new SkeinError('runtime_closed', 'closed');

describe('Tasks of symbol indexes', () => {
  test('are refused if they had not ended when they were closed, whichever way the worker was lost by it', async () => {
    const lost = Promise.withResolvers<string>();
    const begun = Promise.withResolvers<void>();
    const own = {
      run: () => (begun.resolve(), lost.promise),
      close: () => Promise.resolve(lost.reject(new Error('the worker was terminated'))),
    };
    const tasks = createLazyTasks(() => Promise.resolve(own), closed);
    const task = tasks.run('a');
    const closing = begun.promise.then(() => tasks.close());
    await expect(task).rejects.toMatchObject({ code: 'runtime_closed' });
    await closing;
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

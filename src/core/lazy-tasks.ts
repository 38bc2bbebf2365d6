import type { SkeinError } from './errors.ts';
import type { LoadSymbolTasks, SymbolTasks } from './symbol-tasks.ts';

/**
 * Tasks of symbol indexes: what carries them out is loaded with the first of them, and again with the next one if that
 * failed. Once they are closed, whatever has not ended rejects with `closed()`, whichever way the worker was lost by it.
 */
export function createLazyTasks(load: LoadSymbolTasks, closed: () => SkeinError): SymbolTasks {
  let loading: Promise<SymbolTasks> | undefined;
  let isClosed = false;
  const open = (): Promise<SymbolTasks> => {
    loading ??= load().catch((error: unknown) => {
      loading = undefined;
      throw error;
    });
    return loading;
  };
  const run = async (task: string): Promise<string> => {
    try {
      const tasks = isClosed ? undefined : await open();
      if (tasks && !isClosed) return await tasks.run(task);
    } catch (error) {
      if (!isClosed) throw error;
    }
    throw closed();
  };
  const close = async (): Promise<void> => {
    isClosed = true;
    // What could not be loaded has nothing to close, and the task that needed it was told why.
    const tasks = await loading?.catch(() => undefined);
    await tasks?.close();
  };
  return { run, close };
}

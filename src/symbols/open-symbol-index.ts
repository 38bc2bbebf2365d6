import { systemClock } from '../core/clock.ts';
import { SkeinError } from '../core/errors.ts';
import type { SymbolTasks } from '../core/symbol-tasks.ts';
import { createSymbolIndex, type ProjectSymbols } from './symbol-index.ts';
import { createSymbolRunner } from './symbol-runner.ts';

/** The symbol index of a project, and what reads the files for it. */
export type OpenSymbolIndex = ProjectSymbols & AsyncDisposable;

/**
 * Opens the symbol index of a project, for programs that assemble prompts themselves. It is empty before its first `refresh`;
 * files are read in a worker thread, which starts with the first one and ends with the index.
 *
 * @throws the file system's error if there is no such folder; `refresh`: SkeinError `runtime_closed` after the index was closed
 * @example
 * await using index = openSymbolIndex('.');
 * await index.refresh();
 * const graph = await buildRefGraph(index.entries());
 * graph.referencedBy('src/index.ts');
 */
export function openSymbolIndex(root: string): OpenSymbolIndex {
  let tasks: Promise<SymbolTasks> | undefined;
  let isClosed = false;
  const run: SymbolTasks['run'] = async (task) => {
    if (isClosed) throw new SkeinError('runtime_closed', `The symbol index of ${root} was closed: open it again`);
    // Who only lays prompts out loads no worker pool.
    tasks ??= import('./symbol-pool.ts').then(({ createSymbolPool }) => createSymbolPool());
    return await (await tasks).run(task);
  };
  const index = createSymbolIndex({ root, runner: createSymbolRunner({ run }), clock: systemClock });
  const close = async (): Promise<void> => {
    isClosed = true;
    await (await tasks)?.close();
  };
  return Object.assign(index, { [Symbol.asyncDispose]: close });
}

import { systemClock } from '../core/clock.ts';
import type { SymbolTasks } from '../core/symbol-tasks.ts';
import { createSymbolIndex, type ProjectSymbols } from './symbol-index.ts';
import { createSymbolRunner } from './symbol-runner.ts';

/** The symbol index of a project, and what reads the files for it. */
export type OpenSymbolIndex = ProjectSymbols & AsyncDisposable;

/**
 * Opens the symbol index of a project, for programs that assemble prompts themselves. It is empty before its first `refresh`;
 * files are read in a worker thread, which starts with the first one and ends with the index.
 *
 * @throws the file system's error if there is no such folder
 * @example
 * await using index = openSymbolIndex('.');
 * await index.refresh();
 * const graph = await buildRefGraph(index.entries());
 * graph.referencedBy('src/index.ts');
 */
export function openSymbolIndex(root: string): OpenSymbolIndex {
  let tasks: Promise<SymbolTasks> | undefined;
  // Who only lays prompts out loads no worker pool.
  const load = (): Promise<SymbolTasks> =>
    (tasks ??= import('./symbol-pool.ts').then(({ createSymbolPool }) => createSymbolPool()));
  const runner = createSymbolRunner({ run: async (task) => await (await load()).run(task) });
  const index = createSymbolIndex({ root, runner, clock: systemClock });
  return Object.assign(index, { [Symbol.asyncDispose]: async () => await (await tasks)?.close() });
}

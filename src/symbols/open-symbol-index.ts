import { systemClock } from '../core/clock.ts';
import { SkeinError } from '../core/errors.ts';
import { createLazyTasks } from '../core/lazy-tasks.ts';
import { createSymbolIndex, type ProjectSymbols } from './symbol-index.ts';
import { createSymbolRunner } from './symbol-runner.ts';

/** The symbol index of a project, and what reads the files for it. */
export type OpenSymbolIndex = ProjectSymbols & AsyncDisposable;

/**
 * Opens the symbol index of a project, for programs that assemble prompts themselves. It is empty before its first `refresh`;
 * files are read in a worker thread, which starts with the first one and ends with the index. Where the project has a folder
 * `.ai`, what was read is kept in `.ai/cache/symbols` for the next time; nothing else is written.
 *
 * @throws the file system's error if there is no such folder; `refresh`: SkeinError `runtime_closed` once the index is closed,
 * also if it was under way then: the index stays as the last whole refresh has left it
 * @example
 * await using index = openSymbolIndex('.');
 * await index.refresh();
 * const graph = await buildRefGraph(index.entries());
 * graph.referencedBy('src/index.ts');
 */
export function openSymbolIndex(root: string): OpenSymbolIndex {
  const tasks = createLazyTasks(
    // Who only lays prompts out loads no worker pool.
    async () => (await import('./symbol-pool.ts')).createSymbolPool(),
    () => new SkeinError('runtime_closed', `The symbol index of ${root} was closed: open it again`),
  );
  const index = createSymbolIndex({ root, runner: createSymbolRunner(tasks), clock: systemClock });
  return Object.assign(index, { [Symbol.asyncDispose]: () => tasks.close() });
}

import type { SymbolTasks } from '../core/symbol-tasks.ts';
import type {
  OutlineResult,
  OutlineTask,
  ParseResult,
  ParseTask,
  ScanResult,
  ScanTask,
  SymbolRunner,
} from './symbol-task.ts';

type Task = ScanTask | ParseTask | OutlineTask;

/** Runs tasks where texts are carried to and from: in a worker, directly or through others. */
export function createSymbolRunner(tasks: Pick<SymbolTasks, 'run'>): SymbolRunner {
  const ask = async (task: Task): Promise<unknown> => JSON.parse(await tasks.run(JSON.stringify(task)));
  // The worker is this package's own, and answers each kind of task with its kind of result.
  return {
    scan: async (task) => (await ask(task)) as ScanResult,
    parse: async (task) => (await ask(task)) as ParseResult,
    outline: async (task) => (await ask(task)) as OutlineResult,
  };
}

import { SkeinError } from '../../core/errors.ts';
import { createLazyTasks } from '../../core/lazy-tasks.ts';
import { attemptLater, type Result } from '../../core/result.ts';
import type { LoadSymbolTasks } from '../../core/symbol-tasks.ts';

/** Hands tasks of symbol indexes on to the worker that all threads of a runtime share. */
export interface SymbolQuestions {
  ask(task: string, done: (answer: Result<string>) => void): void;
  close(): Promise<void>;
}

/** Makes them; the worker starts with the first question, and never in a runtime whose threads ask none. */
export function createSymbolQuestions(load: LoadSymbolTasks): SymbolQuestions {
  const tasks = createLazyTasks(load, () => new SkeinError('runtime_closed', 'The symbol worker has stopped'));
  /** Never rejects. */
  const run = async (task: string, done: (answer: Result<string>) => void): Promise<void> => {
    done(await attemptLater(() => tasks.run(task), 'tool_failed'));
  };
  return {
    ask: (task, done) => void run(task, done),
    close: () => tasks.close(),
  };
}

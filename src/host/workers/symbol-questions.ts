import { toFailure } from '../../core/errors.ts';
import { failed, ok, type Result } from '../../core/result.ts';
import type { LoadSymbolTasks, SymbolTasks } from '../../core/symbol-tasks.ts';

/** Hands tasks of symbol indexes on to the worker that all threads of a runtime share. */
export interface SymbolQuestions {
  ask(task: string, done: (answer: Result<string>) => void): void;
  close(): Promise<void>;
}

/** Makes them; the worker starts with the first question, and never in a runtime whose threads ask none. */
export function createSymbolQuestions(load: LoadSymbolTasks): SymbolQuestions {
  let tasks: Promise<SymbolTasks> | undefined;
  /** One that could not be started is tried again by the next question. */
  const loaded = (): Promise<SymbolTasks> =>
    (tasks ??= load().catch((thrown: unknown) => {
      tasks = undefined;
      throw thrown;
    }));
  /** Never rejects. */
  const run = async (task: string, done: (answer: Result<string>) => void): Promise<void> => {
    let answer: Result<string>;
    try {
      answer = ok(await (await loaded()).run(task));
    } catch (thrown) {
      answer = failed(toFailure(thrown, 'tool_failed'));
    }
    done(answer);
  };
  return {
    ask: (task, done) => void run(task, done),
    close: async () => {
      // Why it did not start is told to whoever has asked.
      const started = await tasks?.catch(() => undefined);
      await started?.close();
    },
  };
}

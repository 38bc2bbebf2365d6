import type { Clock } from '../../core/clock.ts';
import { fromFailure } from '../../core/errors.ts';
import { shareRuns } from '../../core/shared-runs.ts';
import type { SymbolTasks } from '../../core/symbol-tasks.ts';
import { createSymbolIndex, type ProjectSymbols } from '../../symbols/symbol-index.ts';
import { createSymbolRunner } from '../../symbols/symbol-runner.ts';
import type { HostQuestions } from '../services/host-questions.ts';

/**
 * The symbol index of the project that all threads of a worker share.
 *
 * 1. It is opened with the first use, and empty before its first refresh.
 * 2. Files are read and parsed in the one symbol worker of the runtime; the host hands the tasks on.
 * 3. It changes in refreshes only; threads that ask for one while another is under way share the next.
 */
export interface SharedSymbols {
  index(): ProjectSymbols;
  /** Takes in what has changed on the disk. Rejects if that can't be found out; then the index stays as it is. */
  refresh(): Promise<void>;
  /** The symbol block of a text that is on no disk. */
  outline(path: string, text: string): Promise<string | undefined>;
}

/** What it is opened with. */
export type SharedSymbolsOptions = {
  readonly root: string;
  readonly clock: Pick<Clock, 'now'>;
  readonly host: Pick<HostQuestions, 'ask'>;
};

/** Makes it; opens nothing. */
export function createSharedSymbols({ root, clock, host }: SharedSymbolsOptions): SharedSymbols {
  const runner = createSymbolRunner({ run: (task) => ask(host, task) });
  let opened: ProjectSymbols | undefined;
  const index = (): ProjectSymbols => (opened ??= createSymbolIndex({ root, runner, clock }));
  return {
    index,
    refresh: shareRuns(() => index().refresh()),
    outline: async (path, text) => (await runner.outline({ kind: 'outline', path, text })).block,
  };
}

const ask = (host: SharedSymbolsOptions['host'], task: string): ReturnType<SymbolTasks['run']> =>
  new Promise((resolve, reject) => {
    host.ask({ type: 'symbols', task }, (answer) => {
      // The host answers a task with its result (protocol).
      if (answer.ok) resolve(answer.value as string);
      else reject(fromFailure(answer.failure));
    });
  });

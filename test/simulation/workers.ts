import type { Config } from '../../src/config/config.ts';
import type { WorkerLink, WorkerPool } from '../../src/host/workers/worker-pool.ts';
import { startWorker, type WorkerNode, type WorkerNodeOptions } from './worker-node.ts';

/** The workers of a runtime, as many as it has at a time. */
export interface Workers {
  readonly pool: WorkerPool;
  /** One of them is gone: which one, `chance` says. */
  crashOne(chance: number): void;
  /** The same with one of those of which something is on its way; false if there is none. */
  crashTalking(chance: number): boolean;
  crashAll(): void;
}

/** What they are started with; `tamper` makes what happens to the messages of one. */
export type WorkersOptions = Omit<WorkerNodeOptions, 'index' | 'tamper'> & {
  readonly count: number;
  readonly tamper: (() => WorkerNodeOptions['tamper']) | undefined;
};

/** Starts workers, and more of them when the host asks for that. */
export function startWorkers({ count, tamper, ...options }: WorkersOptions): Workers {
  const all: WorkerNode[] = [];
  const start = (config: Config): WorkerLink => {
    const task = { ...options.task, config };
    const worker = startWorker({ ...options, task, index: all.length, tamper: tamper?.() });
    all.push(worker);
    return worker.link;
  };
  const alive = (): WorkerNode[] => all.filter((worker) => worker.isAlive());
  const crashAll = (): void => {
    for (const worker of alive()) worker.crash();
  };
  const crash = (some: readonly WorkerNode[], chance: number): boolean => {
    const one = some[Math.floor(chance * some.length)];
    one?.crash();
    return one !== undefined;
  };
  return {
    pool: {
      links: Array.from({ length: count }, () => start(options.task.config)),
      // The host passes the configuration in force, which is one of those.
      start: ({ config = options.task.config }) => start(config as Config),
      close: async () => crashAll(),
    },
    crashOne: (chance) => void crash(alive(), chance),
    crashTalking: (chance) =>
      crash(
        alive().filter((worker) => worker.isTalking()),
        chance,
      ),
    crashAll,
  };
}

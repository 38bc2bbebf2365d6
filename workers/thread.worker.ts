import type { Failure } from '../src/core/errors.ts';
import type { ThreadWorkerTask } from '../src/core/worker-task.ts';
import { runThreadWorker } from '../src/thread/worker-runtime.ts';

/**
 * The one long-lived task of a pool worker: it holds threads until its port closes. Named, since Piscina requires this file: for
 * a module with a default export Node links one more, and aborts the process if the worker is terminated meanwhile.
 */
export function run(task: ThreadWorkerTask): Promise<Failure | undefined> {
  return runThreadWorker(task);
}

/** A first task of no use but to have this file loaded before there is another. */
export function load(): void {
  // Its imports have done it.
}

import type { Failure } from '../src/core/errors.ts';
import type { ThreadWorkerTask } from '../src/core/worker-task.ts';
import { runThreadWorker } from '../src/thread/worker-runtime.ts';

/** The one long-lived task of a pool worker: it holds threads until its port closes. */
export default function run(task: ThreadWorkerTask): Promise<Failure | undefined> {
  return runThreadWorker(task);
}

import { openWorker, type OpenWorker } from './open-worker.ts';

/** Workers that load their code while nobody knows yet what they are to do. */
export type LoadingWorkers = {
  /** One of them, as long as there are any. */
  take(): OpenWorker | undefined;
  /** Ends those that nobody has taken; there are none to take then. */
  close(): Promise<void>;
};

/** Has so many workers load. They know of no project, and leave no trace; no limit of their heap is known either. */
export function loadWorkers(count: number): LoadingWorkers {
  const workers: OpenWorker[] = [];
  let closing: Promise<unknown> | undefined;
  const close = async (): Promise<void> => {
    closing ??= Promise.all(workers.splice(0).map(({ pool }) => pool.destroy()));
    await closing;
  };
  try {
    while (workers.length < count) {
      const worker = openWorker();
      workers.push(worker);
      worker.load();
    }
  } catch (thrown) {
    // The system has no more threads to give.
    void close();
    throw thrown;
  }
  return { take: () => workers.shift(), close };
}

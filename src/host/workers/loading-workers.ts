import { openWorker, type OpenWorker } from './open-worker.ts';

/** Workers that load their code while nobody knows yet what they are to do. */
export type LoadingWorkers = {
  /** One of them; undefined if there is none that may have so much heap (0 = as Node chooses). */
  take(memoryMb: number): OpenWorker | undefined;
  /** Ends those that nobody has taken. */
  close(): Promise<void>;
};

/** Has so many workers load. They know of no project, and leave no trace. */
export function loadWorkers(count: number): LoadingWorkers {
  const workers = Array.from({ length: count }, () => {
    const worker = openWorker();
    // Whoever takes it is told what is wrong with it.
    worker.pool.run(undefined, { name: 'load' }).catch(() => undefined);
    return worker;
  });
  return {
    // The others' limit is set as they start.
    take: (memoryMb) => (memoryMb === 0 ? workers.shift() : undefined),
    async close() {
      await Promise.all(workers.splice(0).map(({ pool }) => pool.destroy()));
    },
  };
}

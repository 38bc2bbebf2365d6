import type { ResourceLimits } from 'node:worker_threads';
import { fileURLToPath } from 'node:url';
import { Piscina } from 'piscina';
import type { Failure } from '../../core/errors.ts';
import type { ThreadWorkerTask } from '../../core/worker-task.ts';

/** A worker without a task, as a Piscina of its own. */
export type OpenWorker = {
  readonly pool: Piscina<ThreadWorkerTask | undefined, Failure | undefined>;
  /** Settles with the reason if it is gone: one that can't even load its file leaves its task waiting. */
  readonly lost: Promise<unknown>;
  /** Has it load its file before there is a task for it. */
  load(): void;
};

/** Idle workers must run their timers, so `atomics` is off. No threads are kept: one that is lost is replaced by whoever needs another. */
export function openWorker(memoryMb = 0): OpenWorker {
  const pool: OpenWorker['pool'] = new Piscina({
    // Piscina wants a path, not a URL.
    filename: fileURLToPath(import.meta.resolve('#workers/thread.worker.js')),
    name: 'run',
    minThreads: 0,
    maxThreads: 1,
    idleTimeout: Number.POSITIVE_INFINITY,
    concurrentTasksPerWorker: 1,
    atomics: 'disabled',
    ...heapOf(memoryMb),
  });
  const lost = Promise.withResolvers<unknown>();
  pool.on('error', lost.resolve);
  // One that exits before it has a task says nothing else. After whatever says more.
  pool.on('workerDestroy', () => setImmediate(lost.resolve, new Error('its thread has ended')));
  return {
    pool,
    lost: lost.promise,
    load() {
      // One that goes meanwhile takes this task alone: what stands in line behind it would wait for good.
      pool.run(undefined, { name: 'load' }).catch(lost.resolve);
    },
  };
}

/**
 * The heap that a worker may have, as Node wants to be told; 0 = as Node chooses. A worker that reaches its limit is given 16 MB
 * more, in which it is ended; if a collection moves more than that out of its young generation, V8 ends the whole process
 * instead. One of 24 MB, two halves of 8 and what goes with them, is too small for that (ADR 62).
 */
export function heapOf(memoryMb: number): { readonly resourceLimits?: ResourceLimits } {
  return memoryMb === 0 ? {} : { resourceLimits: { maxOldGenerationSizeMb: memoryMb, maxYoungGenerationSizeMb: 24 } };
}

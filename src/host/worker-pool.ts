import { MessageChannel, type MessagePort } from 'node:worker_threads';
import { fileURLToPath } from 'node:url';
import { Piscina } from 'piscina';
import { fromFailure, type Failure } from '../core/errors.ts';
import type { ThreadWorkerTask } from '../core/worker-task.ts';

/** A worker that holds threads. */
export type WorkerLink = {
  /** Commands and reports, batched. */
  readonly port: MessagePort;
  /** The low-rate control surface (Comlink). */
  readonly control: MessagePort;
  /** Settles when the worker's host task is over: undefined after a close, else what went wrong. */
  readonly over: Promise<Failure | undefined>;
};

/** The workers of a runtime. */
export interface WorkerPool {
  readonly links: readonly WorkerLink[];
  close(): Promise<void>;
}

/** What each worker is started with. */
export type WorkerPoolOptions = {
  readonly workers: number;
  readonly task: Omit<ThreadWorkerTask, 'index' | 'port' | 'control' | 'store'>;
  /** A new port to the store worker. */
  readonly storePort: () => MessagePort;
};

/**
 * Starts the pool: one long-lived host task per Piscina worker, which gets its ports and holds thousands of threads.
 * Idle workers must run their timers, so `atomics` is off.
 */
export async function createWorkerPool({ workers, task, storePort }: WorkerPoolOptions): Promise<WorkerPool> {
  const pool = new Piscina<ThreadWorkerTask, Failure | undefined>({
    // Piscina wants a path, not a URL.
    filename: fileURLToPath(import.meta.resolve('#workers/thread.worker.js')),
    minThreads: workers,
    maxThreads: workers,
    idleTimeout: Number.POSITIVE_INFINITY,
    concurrentTasksPerWorker: 1,
    atomics: 'disabled',
  });
  const links = Array.from({ length: workers }, (_, index) => startWorker(pool, { ...task, index }, storePort()));
  try {
    await Promise.all(links.map((link) => link.ready));
  } catch (thrown) {
    await pool.destroy();
    throw thrown;
  }
  return { links, close: () => pool.destroy() };
}

type StartedWorker = WorkerLink & { readonly ready: Promise<void> };
type PoolTask = Omit<ThreadWorkerTask, 'port' | 'control' | 'store'>;

function startWorker(
  pool: Piscina<ThreadWorkerTask, Failure | undefined>,
  task: PoolTask,
  store: MessagePort,
): StartedWorker {
  const commands = new MessageChannel();
  const control = new MessageChannel();
  const full: ThreadWorkerTask = { ...task, port: commands.port2, control: control.port2, store };
  const over = pool
    // Piscina's list is of the browser's ports; Node's are as good.
    .run(full, { transferList: [full.port, full.control, full.store] as never })
    .catch((thrown: unknown) => {
      const message = thrown instanceof Error ? thrown.message : String(thrown);
      return { code: 'worker_lost', message: `Worker ${task.index} is gone: ${message}` } as const satisfies Failure;
    });
  return { port: commands.port1, control: control.port1, over, ready: firstMessage(commands.port1, over) };
}

/** A worker's first message says that it is up; one that ends before that says why. */
async function firstMessage(port: MessagePort, over: Promise<Failure | undefined>): Promise<void> {
  const up = new Promise<undefined>((resolve) => {
    port.once('message', () => resolve(undefined));
  });
  const failure = await Promise.race([up, over.then((known) => known ?? stoppedEarly())]);
  if (failure) throw fromFailure(failure);
}

function stoppedEarly(): Failure {
  return { code: 'worker_lost', message: 'A worker stopped before it was ready' };
}

import { MessageChannel, type MessagePort } from 'node:worker_threads';
import type { PortLike } from '../../core/batched-port.ts';
import { systemClock } from '../../core/clock.ts';
import { doneWithin } from '../../core/done-within.ts';
import { fromFailure, type Failure, messageOf } from '../../core/errors.ts';
import type { WorkerReport } from '../../core/protocol.ts';
import { createVitals, type Vitals } from '../../core/vitals.ts';
import type { ThreadWorkerTask } from '../../core/worker-task.ts';
import type { LoadingWorkers } from './loading-workers.ts';
import { openWorker, type OpenWorker } from './open-worker.ts';

/** A worker that holds threads, or is about to: what is sent to it waits until it is up. */
export type WorkerLink = {
  /** No other worker of the pool has or will have it. */
  readonly number: number;
  /** Commands and reports, batched; the last report is `gone`. */
  readonly port: PortLike;
  /** The low-rate control surface (Comlink). */
  readonly control: MessagePort;
  readonly vitals: Vitals;
  /** Settles when it is up. @throws SkeinError whatever keeps it from that */
  readonly ready: Promise<void>;
  /** Settles when the worker's host task is over: undefined after a close, else what went wrong. */
  readonly over: Promise<Failure | undefined>;
  /** Settles when the store has taken everything that the worker has sent it. */
  readonly leftStore: Promise<void>;
  /** Ends the worker, whatever it is doing. Also of one whose task is over, there is something left until then. */
  end(): Promise<void>;
};

/** The workers of a runtime. */
export interface WorkerPool {
  /** Those it began with. */
  readonly links: readonly WorkerLink[];
  /** One more, for which this takes the place of what the first ones were started with. */
  start(briefing: Briefing): WorkerLink;
  /** Closes the workers' ports, gives them three seconds to say their last and to let their tools' servers end, and ends them. */
  close(): Promise<void>;
}

/** The first workers on their way; what is sent to them waits until they are up. */
export type StartingPool = WorkerPool & {
  /** Settles when all of them are up. @throws SkeinError whatever keeps one of them from that */
  readonly ready: Promise<unknown>;
};

type PoolTask = Omit<ThreadWorkerTask, 'index' | 'vitals' | 'port' | 'control' | 'store' | 'registered'> &
  Partial<Pick<ThreadWorkerTask, 'registered'>>;

/** What a later worker is told, and the heap it may have. */
export type Briefing = Partial<PoolTask> & Required<Pick<WorkerPoolOptions, 'memoryMb'>>;

/** What each worker is started with. */
export type WorkerPoolOptions = {
  readonly workers: number;
  readonly task: PoolTask;
  /** A new port to the store worker; `left` is called when it is closed, and the store has taken what came through it. */
  readonly storePort: (left: () => void) => MessagePort;
  /** Megabytes of heap that a worker may have; 0 = as Node chooses, the default. */
  readonly memoryMb?: number;
  /** Taken before any others are started. Their heap has no limit. */
  readonly loading?: LoadingWorkers;
};

/**
 * Starts the pool: one long-lived host task per worker, which gets its ports and holds thousands of threads. Each worker is
 * a Piscina of its own, so that one that is ended or lost is gone as a whole, and takes no other with it.
 */
export function startWorkerPool(options: WorkerPoolOptions): StartingPool {
  const running = new Set<WorkerLink>();
  let last = 0;
  const start = (own: WorkerPoolOptions): WorkerLink => {
    const started = startWorker(last++, own);
    const link: WorkerLink = {
      ...started,
      end() {
        running.delete(link);
        return started.end();
      },
    };
    running.add(link);
    return link;
  };
  const close = async (): Promise<void> => {
    await Promise.all([...running].map((link) => endInOrder(link)));
  };
  const links: WorkerLink[] = [];
  try {
    while (links.length < options.workers) links.push(start(options));
  } catch (thrown) {
    void close();
    throw thrown;
  }
  return {
    links,
    ready: Promise.all(links.map((link) => link.ready)),
    start: ({ memoryMb, ...task }) => start({ ...options, memoryMb, task: { ...options.task, ...task } }),
    close,
  };
}

/** Longer than an MCP server is given to end. */
const LAST_WORDS_MS = 3_000;

async function endInOrder(link: WorkerLink): Promise<void> {
  link.port.close();
  await doneWithin(LAST_WORDS_MS, link.over, systemClock);
  await link.end();
}

function startWorker(index: number, { task, storePort, memoryMb = 0, loading }: WorkerPoolOptions): WorkerLink {
  const commands = new MessageChannel();
  const control = new MessageChannel();
  const left = Promise.withResolvers<void>();
  const vitals = createVitals();
  const full: ThreadWorkerTask = {
    registered: [],
    ...task,
    index,
    vitals,
    port: commands.port2,
    control: control.port2,
    store: storePort(left.resolve),
  };
  const { over, end } = runTask(full, loading?.take() ?? openWorker(memoryMb));
  return {
    number: index,
    port: endingPort(commands.port1),
    control: control.port1,
    vitals,
    ready: firstMessage(commands.port1, over),
    over,
    leftStore: left.promise,
    end,
  };
}

function runTask(task: ThreadWorkerTask, { pool, lost }: OpenWorker): Pick<WorkerLink, 'over' | 'end'> {
  const asLost = (thrown: unknown): Failure => {
    const message = messageOf(thrown);
    return { code: 'worker_lost', message: `Worker ${task.index} is gone: ${message}` };
  };
  // Piscina's list is of the browser's ports; Node's are as good.
  const run = pool.run(task, { transferList: [task.port, task.control, task.store] as never }).catch(asLost);
  // They are still here if the worker has not come so far that it was given them.
  const closePorts = (): void => {
    for (const port of [task.port, task.control, task.store]) port.close();
  };
  const end = async (): Promise<void> => {
    await pool.destroy();
    closePorts();
  };
  // Piscina keeps a task for the worker that it has not posted it to, also when that is gone.
  void lost.then(closePorts);
  return { over: Promise.race([run, lost.then(asLost)]), end };
}

/**
 * A port whose last message says that it is closed; whatever was posted before that comes first. Who listens late hears of it,
 * too: a worker may be gone before anybody does.
 */
export function endingPort(port: MessagePort): PortLike {
  let isClosed = false;
  port.on('close', () => {
    isClosed = true;
  });
  return {
    postMessage: (message) => port.postMessage(message),
    on(_event, listener) {
      const gone = (): void => listener([{ type: 'gone' }] satisfies readonly WorkerReport[]);
      port.on('message', listener);
      if (isClosed) queueMicrotask(gone);
      else port.on('close', gone);
    },
    close: () => port.close(),
  };
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

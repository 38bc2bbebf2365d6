import { randomBytes } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import type { Config } from '../config/config.ts';
import { systemClock } from '../core/clock.ts';
import { SkeinError, type Failure } from '../core/errors.ts';
import { createThreadIds } from '../core/ids.ts';
import { createStoreClient } from '../core/store-client.ts';
import { openReader } from '../store/reader.ts';
import { createControlClient } from './control-client.ts';
import { openControlSocket, type ControlSocket } from './control-socket.ts';
import { createEventFeed } from './event-feed.ts';
import { createFifo } from './fifo.ts';
import { createGateway, type Gateway } from './gateway.ts';
import type { HostContext } from './host-context.ts';
import { createHostFunctions } from './host-functions.ts';
import { createRecall } from './recall.ts';
import { createQuestionHandler } from './questions.ts';
import { createReportHandler } from './reports.ts';
import { createOperations } from './operations/dispatcher.ts';
import { liveThreads } from './operations/live-threads.ts';
import { createRuntimeApi, type RuntimeParts } from './runtime-api.ts';
import type { Runtime } from './runtime.ts';
import { loadRuntimeConfig, type StartOptions } from './runtime-config.ts';
import { createSlots } from './slots.ts';
import { openStoreLink, type StoreLink } from './store-link.ts';
import { createSupervisor } from './supervisor.ts';
import { createThreadTable } from './thread-table.ts';
import { refuseUnavailable } from './unavailable.ts';
import { createWorkerPool, type WorkerPool } from './worker-pool.ts';
import { createWorkerQuestions } from './worker-questions.ts';

/** Starts a runtime: config, store worker, thread workers, supervisor. Nothing is left behind when one of them refuses. */
export async function startRuntime(options: StartOptions): Promise<Runtime> {
  const { config, ...folders } = loadRuntimeConfig(options);
  refuseUnavailable(config);
  const path = join(folders.projectPath, '.ai', 'threads', 'threads.db');
  const store = await openStoreLink({ path, tables: config.tables });
  try {
    const pool = await createWorkerPool({
      workers: workerCount(options.workers),
      storePort: () => store.newPort(),
      task: {
        ...folders,
        config,
        env: { ...options.env },
        scripts: options.scripts ?? {},
        toolModules: (options.tools ?? []).map(String),
      },
    });
    return await connectOrClose({ config, store, pool, path, hasSocket: options.controlSocket ?? true });
  } catch (thrown) {
    await store.close();
    throw thrown;
  }
}

function workerCount(asked: number | undefined): number {
  if (asked === undefined) return Math.max(1, availableParallelism() - 1);
  if (Number.isInteger(asked) && asked >= 1) return asked;
  throw new SkeinError('invalid_argument', `workers is ${asked}; a whole number from 1 is expected`);
}

type Parts = {
  readonly config: Config;
  readonly store: StoreLink;
  readonly pool: WorkerPool;
  readonly path: string;
  readonly hasSocket: boolean;
};

async function connectOrClose(parts: Parts): Promise<Runtime> {
  try {
    const wired = connect(parts);
    return createRuntimeApi({ ...wired, socket: parts.hasSocket ? await openSocket(parts, wired) : undefined });
  } catch (thrown) {
    await parts.pool.close();
    throw thrown;
  }
}

type Wired = Omit<RuntimeParts, 'socket'>;

async function openSocket({ path }: Parts, { host, operations }: Wired): Promise<ControlSocket> {
  const { clock, problem, reader } = host;
  try {
    return await openControlSocket({ folder: dirname(path), operations, clock, problem });
  } catch (thrown) {
    reader.close();
    throw thrown;
  }
}

/** Wires the running parts together. */
function connect({ config, store, pool, path }: Parts): Wired {
  const clock = systemClock;
  const reader = openReader(path);
  const table = createThreadTable();
  const functions = createHostFunctions();
  const recall = createRecall(reader);
  const problems: ((failure: Failure) => void)[] = [];
  const problem = (failure: Failure): void => problems.forEach((listener) => listener(failure));
  const life = { isStopped: false };
  let nextThread = store.opened.nextThread;
  const supervisor = createSupervisor(() => host);
  const host: HostContext = {
    config,
    clock,
    newThreadId: createThreadIds(clock.now, randomBytes),
    nextThread: () => nextThread++,
    table,
    slots: createSlots(config.resilience.concurrency),
    // The gateway's reports need the host, and the host sends through the gateway.
    get gateway(): Gateway {
      return gateway;
    },
    store: createStoreClient({ port: store.newPort(), schedule: setImmediate }),
    reader,
    feed: createEventFeed({
      config,
      gateway: () => gateway,
      idOf: (thread) => table.get(thread)?.lineage.threadId,
    }),
    load: pool.links.map(() => 0),
    endings: createFifo(),
    questions: createWorkerQuestions(() => gateway),
    messages: createWorkerQuestions(() => gateway),
    awaitingStore: new Set(),
    tell: supervisor.send,
    problem,
  };
  const operations = createOperations(liveThreads({ host, recall, isStopped: () => life.isStopped }));
  const gateway = createGateway({
    ports: pool.links.map(({ port }) => port),
    receive: createReportHandler({
      host,
      questions: createQuestionHandler({ host, functions, operations, recall }),
    }),
    now: () => performance.now(),
    unsent: ({ type }) => problem({ code: 'internal', message: `A ${type} command could not be sent to its worker` }),
  });
  const controls = pool.links.map(({ control }) => createControlClient(control, clock));
  for (const over of [store.over, ...pool.links.map((link) => link.over)]) {
    void over.then((failure) => failure && supervisor.send({ type: 'FAILED', problem: failure }));
  }
  supervisor.send({ type: 'READY' });
  return { host, supervisor, functions, operations, recall, life, controls, store, pool, problems };
}

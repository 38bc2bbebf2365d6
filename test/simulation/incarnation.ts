import type { Failure } from '../../src/core/errors.ts';
import { createSymbolQuestions } from '../../src/host/workers/symbol-questions.ts';
import { createRedactor } from '../../src/core/redactor.ts';
import type { StoreReader } from '../../src/core/store.ts';
import { connectOrClose } from '../../src/host/connect-runtime.ts';
import type { Runtime } from '../../src/host/runtime.ts';
import { openReader } from '../../src/store/reader.ts';
import type { Acknowledged } from './acknowledged.ts';
import type { Plant } from './planted.ts';
import { startStore, type CommitFault } from './store-node.ts';
import { surroundingsOf } from './surroundings.ts';
import { startWorkers, type Workers } from './workers.ts';
import type { Workload } from './workload.ts';
import type { World } from './world.ts';

/** A runtime from its start to its end, whatever that is. */
export interface Incarnation {
  readonly runtime: Runtime;
  /** It was closed, or has stopped by itself. */
  readonly isOver: () => boolean;
  /** The process is killed. */
  crash(): void;
  readonly workers: Pick<Workers, 'crashOne' | 'crashTalking'>;
  failStore(how: CommitFault): void;
}

/** What a runtime runs on. */
export type IncarnationOptions = {
  readonly world: World;
  readonly path: string;
  readonly workload: Workload;
  readonly acknowledged: Acknowledged;
  readonly plant: Plant | undefined;
  /** Told of what the runtime has trouble with. */
  readonly problem: (failure: Failure) => void;
};

const MOST_WORKERS = 2;

/** Starts the shipped runtime on a database: host, store and workers, all in this thread. */
export async function startIncarnation(options: IncarnationOptions): Promise<Incarnation> {
  const { world, path, workload, plant } = options;
  const { config } = workload;
  const host = world.node('host');
  const store = startStore({
    ...options,
    host,
    open: openingOf(options),
    tamper: plant?.toStore,
    isLate: plant?.hasLateWorkers,
  });
  const workers = startWorkers({
    world,
    host,
    count: 1 + Math.floor(world.random() * MOST_WORKERS),
    storePort: (sender, left) => store.portFor(sender, left),
    task: workload,
    tools: workload.tools,
    tamper: plant?.toWorker,
    isLate: plant?.hasLateWorkers,
  });
  let reader: StoreReader | undefined;
  const runtime = await connectOrClose({
    surroundings: surroundingsOf(world, host),
    secrets: { redactor: createRedactor(), learn: () => undefined },
    config,
    sources: { systemDir: workload.systemDir, projectDir: workload.projectPath },
    stamp: undefined,
    store: store.link,
    pool: workers.pool,
    reader: () => (reader = openReader(path)),
    // When the engine collects what is referred to weakly is nothing that a seed decides.
    referTo: (entry) => ({ deref: () => entry }),
    path,
    toolModules: [],
    hasSocket: false,
    symbols: createSymbolQuestions(() => Promise.reject(new Error('No thread of a simulation has tiers'))),
  });
  workload.hooks(runtime);
  runtime.on('problem', options.problem);
  return {
    runtime,
    workers,
    isOver: store.isClosed,
    crash() {
      host.kill();
      workers.crashAll();
      store.crash();
      reader?.close();
    },
    failStore: (how) => store.failNext(how),
  };
}

function openingOf({ path, workload: { config } }: IncarnationOptions) {
  return { path, tables: config.tables, releaseSuspended: config.budget.releaseSuspended };
}

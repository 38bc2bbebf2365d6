import { join } from 'node:path';
import type { Runtime } from '../../src/index.ts';
import { deepFreeze } from '../../src/config/freeze.ts';
import { createBatchedPort } from '../../src/core/batched-port.ts';
import type { WorkerCommand, WorkerReport } from '../../src/core/protocol.ts';
import type { ThreadWorkerTask } from '../../src/core/worker-task.ts';
import { createRedactor } from '../../src/core/redactor.ts';
import { createStoreClient } from '../../src/core/store-client.ts';
import { systemSurroundings } from '../../src/core/surroundings.ts';
import { BEAT, BEAT_MS, createVitals } from '../../src/core/vitals.ts';
import { loadRuntimeConfig, type RuntimeConfig, type StartOptions } from '../../src/host/config/runtime-config.ts';
import { connectOrClose } from '../../src/host/connect-runtime.ts';
import type { StoreLink } from '../../src/host/store-link.ts';
import { createSymbolQuestions } from '../../src/host/workers/symbol-questions.ts';
import type { WorkerLink } from '../../src/host/workers/worker-pool.ts';
import { openStore } from '../../src/store/open.ts';
import { openReader } from '../../src/store/reader.ts';
import { createThreadHost } from '../../src/thread/thread-host.ts';
import { createThreadServices } from '../../src/thread/services/thread-services.ts';
import { loadModuleTools } from '../../src/tools/module-tools.ts';
import { createBareJournal } from './bare-journal.ts';
import { connectDirectly, portToNothing } from './direct-ports.ts';

const { clock, random, randomBytes, schedule } = systemSurroundings;

/**
 * Starts Skein with neither a log nor a ledger, host and threads in the calling thread. It has one worker, and no other if
 * that is lost; no config files are watched, no control socket is open, and nobody looks into the worker.
 */
export async function startBareSkein(options: StartOptions): Promise<Runtime> {
  const { env, scripts = {} } = options;
  const { config, sources, ...folders } = loadRuntimeConfig(options);
  const path = join(folders.projectPath, '.ai', 'threads', 'threads.db');
  // What is asked for what was stored finds a database, and nothing in it.
  const opened = openEmpty(path, config);
  const link = await startWorker({ ...folders, config, env, scripts });
  return connectOrClose({
    surroundings: systemSurroundings,
    secrets: { redactor: createRedactor(), learn: () => undefined },
    config,
    sources,
    stamp: undefined,
    store: storeOfNothing(opened),
    pool: { links: [link], start: () => refuse('Another worker'), close: () => link.end() },
    reader: () => openReader(path),
    path,
    toolModules: [],
    hasSocket: false,
    symbols: createSymbolQuestions(() => refuse('A symbol index')),
  });
}

function openEmpty(path: string, { tables }: RuntimeConfig['config']): StoreLink['opened'] {
  const store = openStore({ path, tables, now: clock.now });
  store.close();
  return store.opened;
}

function storeOfNothing(opened: StoreLink['opened']): StoreLink {
  const over = Promise.withResolvers<undefined>();
  return {
    opened,
    newPort: () => portToNothing(schedule),
    listen: () => undefined,
    over: over.promise,
    close: async () => over.resolve(undefined),
  };
}

type WorkerParts = Pick<ThreadWorkerTask, 'env' | 'scripts'> &
  Pick<RuntimeConfig, 'config' | 'projectPath' | 'userSpace' | 'systemDir'>;

/** A worker as `runThreadWorker` wires it, with a journal that keeps nothing. */
async function startWorker(parts: WorkerParts): Promise<WorkerLink> {
  const [port, far] = connectDirectly(schedule);
  const channel = createBatchedPort<WorkerReport, WorkerCommand>({
    port: far,
    schedule,
    receive: (command) => host.receive(command),
  });
  const over = Promise.withResolvers<undefined>();
  const services = createThreadServices({
    ...parts,
    config: deepFreeze(parts.config),
    validateEvents: 'off',
    clock,
    random,
    randomBytes,
    schedule,
    store: createStoreClient({ port: portToNothing(schedule), schedule }),
    report: (report) => channel.send(report),
    fatal: ({ message }) => refuse(message),
  });
  const vitals = createVitals();
  const beat = setInterval(() => Atomics.add(vitals, BEAT, 1), BEAT_MS).unref();
  const host = createThreadHost({ ...services, journal: createBareJournal(schedule) }, { schedule, vitals });
  services.tools.add(await loadModuleTools(new URL('../tool-module.ts', import.meta.url).href));
  return {
    number: 0,
    port,
    // Nobody calls it.
    control: connectDirectly(schedule)[0],
    vitals,
    ready: Promise.resolve(),
    over: over.promise,
    leftStore: over.promise,
    async end() {
      clearInterval(beat);
      services.close();
      over.resolve(undefined);
    },
  };
}

function refuse(what: string): never {
  throw new Error(`${what} is not to be had here`);
}

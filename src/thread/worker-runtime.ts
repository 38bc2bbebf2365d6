import { AsyncLocalStorage } from 'node:async_hooks';
import * as comlink from 'comlink';
import nodeEndpoint from 'comlink/dist/esm/node-adapter.mjs';
import type { Config } from '../config/config.ts';
import type { HostToolInfo } from '../core/control-surface.ts';
import { deepFreeze } from '../config/freeze.ts';
import { createBatchedPort, type BatchedPort } from '../core/batched-port.ts';
import { toFailure, type Failure } from '../core/errors.ts';
import type { WorkerCommand, WorkerReport } from '../core/protocol.ts';
import { createStoreClient } from '../core/store-client.ts';
import { systemSurroundings, type Surroundings } from '../core/surroundings.ts';
import type { Tool } from '../core/tool.ts';
import { BEAT, BEAT_MS } from '../core/vitals.ts';
import type { ThreadWorkerTask } from '../core/worker-task.ts';
import { loadModuleTools } from '../tools/module-tools.ts';
import { strayRejection, type CallContext, type TracedCall } from '../tools/traced-call.ts';
import { createControlService, hostTool } from './control-service.ts';
import { createThreadHost, type ThreadHost } from './thread-host.ts';
import { createThreadServices, type ThreadServices } from './services/thread-services.ts';

/**
 * Runs a worker until its port closes: wires items, providers, tools, store and host together. Resolves to the failure
 * that ended it, if one did.
 */
export async function runThreadWorker(task: ThreadWorkerTask): Promise<Failure | undefined> {
  const beat = setInterval(() => Atomics.add(task.vitals, BEAT, 1), BEAT_MS).unref();
  try {
    // What is imported may take its time: commands wait in the port meanwhile.
    const trace: CallContext = new AsyncLocalStorage<TracedCall>();
    const registered = [...task.toolModules, ...task.registered];
    const loaded = registered.map(async (tool) => (typeof tool === 'string' ? loadModuleTools(tool, trace) : tool));
    return await runThreads(task, trace, await Promise.all(loaded));
  } catch (thrown) {
    return toFailure(thrown, 'invalid_argument');
  } finally {
    clearInterval(beat);
  }
}

async function runThreads(
  task: ThreadWorkerTask,
  trace: CallContext,
  registered: readonly (readonly Tool[] | HostToolInfo)[],
): Promise<Failure | undefined> {
  const ended = Promise.withResolvers<Failure | undefined>();
  const { host, services, channel } = wireWorker(task, systemSurroundings, ended.resolve);
  // Of two with one id the later one counts.
  services.tools.add(registered.flatMap((one) => ('id' in one ? hostTool(one, services) : one)));
  comlink.expose(createControlService({ host, services, trace }), nodeEndpoint(task.control));
  // A registered tool's stray promise must not take the threads of this worker with it.
  process.on('unhandledRejection', (reason) => {
    services.report({ type: 'problem', failure: strayRejection(reason, trace.getStore()) });
  });
  task.port.on('close', () => ended.resolve(undefined));
  process.once('exit', () => services.close());
  task.port.postMessage([]);
  const failure = await ended.promise;
  await services.disconnect();
  services.close();
  channel.close();
  services.store.close();
  task.control.close();
  return failure;
}

/** A worker's threads, and their way to the host. */
export type WiredWorker = {
  readonly host: ThreadHost;
  readonly services: ThreadServices;
  readonly channel: BatchedPort<WorkerReport>;
};

/**
 * Wires a worker's threads to its ports; nothing has been said to the host yet, and registered tools are left to be
 * added.
 *
 * @throws SkeinError if the system space can't be used
 */
export function wireWorker(
  task: ThreadWorkerTask,
  surroundings: Surroundings,
  fatal: (failure: Failure) => void,
): WiredWorker {
  const { clock, random, randomBytes, schedule } = surroundings;
  const channel = createBatchedPort<WorkerReport, WorkerCommand>({
    port: task.port,
    schedule,
    receive: (command) => host.receive(command),
    refused: (message) => channel.send(unsent(message as WorkerReport)),
  });
  const services = createThreadServices({
    ...task,
    // Parsed by the host before it was sent here; frozen again, since freezing does not travel.
    config: deepFreeze(task.config as Config),
    clock,
    random,
    randomBytes,
    schedule,
    store: createStoreClient({ port: task.store, schedule }),
    report: (message) => channel.send(message),
    fatal,
  });
  const host = createThreadHost(services, { schedule, vitals: task.vitals });
  return { host, services, channel };
}

/** A report is plain data by its type; one that is not all the same is named, not lost. */
function unsent({ type }: WorkerReport): WorkerReport {
  return { type: 'problem', failure: { code: 'internal', message: `A ${type} report could not be sent to the host` } };
}

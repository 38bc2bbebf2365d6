import * as comlink from 'comlink';
import nodeEndpoint from 'comlink/dist/esm/node-adapter.mjs';
import { join } from 'node:path';
import { compileClassifier } from '../config/classify.ts';
import type { Config } from '../config/config.ts';
import { createBatchedPort } from '../core/batched-port.ts';
import { systemClock } from '../core/clock.ts';
import { toFailure, type Failure } from '../core/errors.ts';
import type { WorkerCommand, WorkerReport } from '../core/protocol.ts';
import { createStoreClient } from '../core/store-client.ts';
import type { ThreadWorkerTask } from '../core/worker-task.ts';
import { createItemCache } from '../items/item-cache.ts';
import { createSpaces } from '../items/spaces.ts';
import { createProviders } from '../providers/provider-registry.ts';
import { createProcessRuntime } from '../tools/process-runtime.ts';
import { loadModuleTools } from '../tools/module-tools.ts';
import { createControlService } from './control-service.ts';
import { createCounters } from './counters.ts';
import { createHostQuestions } from './host-questions.ts';
import { createJournal, type EventPolicy } from './journal.ts';
import { createPlanCache } from './plan.ts';
import { createThreadHost, type ThreadHostServices } from './thread-host.ts';
import { THREAD_TOOLS } from './thread-tools.ts';
import { createToolShelf } from './tool-shelf.ts';

/**
 * Runs a worker until its port closes: wires items, providers, tools, store and host together. Resolves to the failure
 * that ended it, if one did.
 */
export async function runThreadWorker(task: ThreadWorkerTask): Promise<Failure | undefined> {
  const ended = Promise.withResolvers<Failure | undefined>();
  // Parsed and frozen by the host before it was sent here.
  const config = task.config as Config;
  const clock = systemClock;
  const channel = createBatchedPort<WorkerReport, WorkerCommand>({
    port: task.port,
    schedule: setImmediate,
    receive: (command) => host.receive(command),
    refused: (message) => channel.send(unsent(message as WorkerReport)),
  });
  const report = (message: WorkerReport): void => channel.send(message);
  const processes = createProcessRuntime({
    runnersDir: join(task.systemDir, 'runtimes'),
    env: task.env,
    clock,
  });
  const services = createServices(task, {
    config,
    report,
    processes,
    fatal: (failure) => ended.resolve(failure),
  });
  try {
    services.tools.add((await Promise.all(task.toolModules.map((url) => loadModuleTools(url)))).flat());
  } catch (thrown) {
    return toFailure(thrown, 'invalid_argument');
  }
  const host = createThreadHost(services);
  comlink.expose(createControlService({ host, services }), nodeEndpoint(task.control));
  // A registered tool's stray promise must not take the threads of this worker with it.
  process.on('unhandledRejection', (reason) => {
    const { message } = toFailure(reason);
    report({
      type: 'problem',
      failure: { code: 'tool_failed', message: `A promise nobody waits for was rejected: ${message}` },
    });
  });
  task.port.on('close', () => ended.resolve(undefined));
  process.once('exit', () => processes.killAll());
  task.port.postMessage([]);
  const failure = await ended.promise;
  processes.killAll();
  channel.close();
  services.store.close();
  task.control.close();
  return failure;
}

type Wiring = {
  readonly config: Config;
  readonly report: (report: WorkerReport) => void;
  readonly processes: ReturnType<typeof createProcessRuntime>;
  readonly fatal: (failure: Failure) => void;
};

function createServices(task: ThreadWorkerTask, { config, report, processes, fatal }: Wiring): ThreadHostServices {
  const clock = systemClock;
  const counters = createCounters();
  const onProblem = (failure: Failure): void => report({ type: 'problem', failure });
  const store = createStoreClient({ port: task.store, schedule: setImmediate });
  const spaces = createSpaces({
    projectPath: task.projectPath,
    ...(task.userSpace !== undefined && { userSpace: task.userSpace }),
    systemSpace: join(task.systemDir, 'space'),
  });
  const items = createItemCache(spaces, {
    now: clock.now,
    onWarning: ({ message, where }) => onProblem({ code: 'invalid_item', message, where: { file: where } }),
  });
  const providers = createProviders({
    config: config.agent,
    env: task.env,
    clock,
    // Validated by the scripted provider when it is made.
    scripts: task.scripts,
  });
  const tools = createToolShelf({ items, processes, threadTools: THREAD_TOOLS, onProblem });
  const eventPolicies = eventPoliciesOf(config);
  return {
    projectPath: task.projectPath,
    clock,
    random: Math.random,
    config,
    classify: compileClassifier(config.errors),
    eventPolicies,
    items,
    providers,
    tools,
    counters,
    plans: createPlanCache({ config, items, providers, tools }),
    store,
    journal: createJournal({ store, clock, schedule: setImmediate, counters, policies: eventPolicies, report, fatal }),
    host: createHostQuestions(report, clock),
    report,
    fatal,
  };
}

/** An event whose `emit_config` says `async` is shown as it happens and not stored. */
function eventPoliciesOf({ events }: Config): Map<string, EventPolicy> {
  return new Map(
    Object.entries(events.eventTypes).map(([type, { criticality, emitConfig }]) => [
      type,
      { criticality, live: criticality === 'droppable' && emitConfig?.async === true },
    ]),
  );
}

/** A report is plain data by its type; one that is not all the same is named, not lost. */
function unsent({ type }: WorkerReport): WorkerReport {
  return { type: 'problem', failure: { code: 'internal', message: `A ${type} report could not be sent to the host` } };
}

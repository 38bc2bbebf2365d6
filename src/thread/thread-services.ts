import { compileClassifier } from '../config/classify.ts';
import type { Config } from '../config/config.ts';
import type { Schedule } from '../core/batched-port.ts';
import type { Clock } from '../core/clock.ts';
import type { Failure } from '../core/errors.ts';
import type { WorkerReport } from '../core/protocol.ts';
import type { StoreClient } from '../core/store-client.ts';
import type { ThreadWorkerTask } from '../core/worker-task.ts';
import { createProviders } from '../providers/provider-registry.ts';
import { withUserSpace } from '../tools/child-env.ts';
import { createItemServices, type ItemServices } from '../tools/item-services.ts';
import { createMcpTools, type McpTools } from '../tools/mcp-tools.ts';
import { createPrimaryTools } from '../tools/primary-tools.ts';
import { createCounters } from './counters.ts';
import { compilePayloadCheck, createEventCheck } from './event-check.ts';
import { eventPoliciesOf } from './event-policies.ts';
import { createHostQuestions } from './host-questions.ts';
import { createInternalTools } from './internal-tools.ts';
import { createJournal } from './journal.ts';
import { createPlanCache } from './plan.ts';
import { createProviderGates } from './provider-gates.ts';
import type { Services } from './services.ts';
import type { ThreadHostServices } from './thread-host.ts';
import { createThreadTools } from './thread-tools.ts';
import { createToolRequests } from './tool-requests.ts';
import { createToolShelf } from './tool-shelf.ts';

/** What the services of a worker's threads are made of. */
export type ThreadServicesOptions = Pick<
  ThreadWorkerTask,
  'projectPath' | 'userSpace' | 'systemDir' | 'env' | 'scripts' | 'validateEvents'
> & {
  readonly config: Config;
  readonly clock: Clock;
  readonly random: () => number;
  readonly schedule: Schedule;
  readonly store: StoreClient;
  readonly report: (report: WorkerReport) => void;
  readonly fatal: (failure: Failure) => void;
};

/** The services, and the way to end the tool processes and close what is open. */
export type ThreadServices = ThreadHostServices & { readonly close: () => void };

/**
 * Wires what threads work with: items, providers, tools, log and host.
 *
 * @throws SkeinError if the system space can't be used
 */
export function createThreadServices(options: ThreadServicesOptions): ThreadServices {
  const { config, clock, schedule, store, report, fatal, env, scripts } = options;
  const onProblem = (failure: Failure): void => report({ type: 'problem', failure });
  const itemServices = createItemServices({
    ...options,
    onProblem,
    registered: (id) => tools.tools.registered(id),
  });
  const { items } = itemServices;
  const mcp = createMcpTools({ ...options, env: withUserSpace(env, options.userSpace), config: config.mcp, onProblem });
  const tools = createTools({ ...itemServices, mcp }, onProblem);
  const providers = createProviders({ config: config.agent, env, clock, scripts });
  const gates = createProviderGates({ clock, report });
  const counters = createCounters();
  const eventPolicies = eventPoliciesOf(config.events);
  const payloadCheck = compilePayloadCheck(config.events);
  const check = createEventCheck({
    mode: options.validateEvents,
    check: payloadCheck,
    invalid: counters.invalidEvents,
  });
  return {
    ...tools,
    mcp,
    projectPath: options.projectPath,
    clock,
    random: options.random,
    config,
    classify: compileClassifier(config.errors),
    eventPolicies,
    payloadCheck,
    items,
    inputEnv: { allowed: config.agent.inputEnv, values: env },
    providers,
    gates,
    counters,
    plans: createPlanCache({ config, items, providers, tools: tools.tools }),
    store,
    journal: createJournal({ store, clock, schedule, counters, policies: eventPolicies, check, report, fatal }),
    host: createHostQuestions(report),
    report,
    fatal,
    close: () => {
      gates.close();
      itemServices.close();
      mcp.killAll();
    },
  };
}

type Tools = Pick<Services, 'tools' | 'threadTools' | 'internalTools' | 'requests' | 'dispatcher'>;

function createTools(
  { items, spaces, tools: files, dispatcher, mcp }: ItemServices & { readonly mcp: McpTools },
  onProblem: (failure: Failure) => void,
): Tools {
  const threadTools = createThreadTools(items);
  const primaryTools = createPrimaryTools(dispatcher);
  const tools = createToolShelf({ files, spaces, threadTools, primaryTools, mcp, onProblem });
  return {
    tools,
    threadTools,
    internalTools: createInternalTools(items),
    requests: createToolRequests({ tools, threadTools, primaryTools }),
    dispatcher,
  };
}

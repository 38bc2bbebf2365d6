import { createClassifier } from '../../config/classify.ts';
import type { Config } from '../../config/config.ts';
import { promptSourcesOf } from '../../config/prompt-files.ts';
import { secretValues } from '../../config/secret-values.ts';
import type { Schedule } from '../../core/batched-port.ts';
import type { Clock } from '../../core/clock.ts';
import type { Failure } from '../../core/errors.ts';
import { createApprovalIds, type RandomBytes } from '../../core/ids.ts';
import type { WorkerReport } from '../../core/protocol.ts';
import { cleanReport } from '../../core/redact-report.ts';
import { withoutSecrets } from '../../core/redact-store.ts';
import { createRedactor } from '../../core/redactor.ts';
import type { StoreClient } from '../../core/store-client.ts';
import type { ThreadWorkerTask } from '../../core/worker-task.ts';
import type { Fetch } from '../../providers/http-fetch.ts';
import { createProviders, type Providers } from '../../providers/provider-registry.ts';
import { createRecordedFetch } from '../../providers/recorded-fetch.ts';
import { withUserSpace } from '../../tools/child-env.ts';
import { createDirectiveTemplates } from '../../prompt/prompty/directive-templates.ts';
import { createItemServices } from '../../tools/item-services.ts';
import { createMcpTools, type McpTools } from '../../tools/mcp-tools.ts';
import { createPrimaryTools } from '../../tools/primary-tools.ts';
import { createProjectSources, withPrompts, type ProjectSources } from '../tiers/assembly-services.ts';
import { createCacheLimits } from '../tiers/cache-limits.ts';
import { createCounters } from './counters.ts';
import { compilePayloadCheck, createEventCheck, type PayloadCheck } from './event-check.ts';
import { eventPoliciesOf } from './event-policies.ts';
import { createHostQuestions } from './host-questions.ts';
import { createInspectionTap } from '../inspection-tap.ts';
import { createInternalTools } from '../internal/internal-tools.ts';
import { createJournal, type EventHandling } from './journal.ts';
import { createOpenParts, type OpenParts } from './open-parts.ts';
import { createPlanCache } from '../plan/plan.ts';
import { createSharedSpecs } from '../plan/shared-specs.ts';
import { createSpecDrafts } from '../plan/spec-drafts.ts';
import { createProviderGates } from './provider-gates.ts';
import type { Services } from './services.ts';
import { sharePart, type SharedPart } from './shared-part.ts';
import type { ThreadHostServices } from './service-versions.ts';
import { createThreadTools } from '../tools/thread-tools.ts';
import { createToolRequests } from '../tools/tool-requests.ts';
import { createAddedTools, createToolShelf, type AddedTools } from '../tools/tool-shelf.ts';

/** What the services of a worker's threads are made of. */
export type ThreadServicesOptions = Pick<
  ThreadWorkerTask,
  'projectPath' | 'userSpace' | 'systemDir' | 'env' | 'scripts' | 'validateEvents' | 'recording'
> & {
  /** Number of the worker; default 0. */
  readonly index?: number;
  readonly config: Config;
  readonly clock: Clock;
  readonly random: () => number;
  readonly randomBytes: RandomBytes;
  readonly schedule: Schedule;
  readonly store: StoreClient;
  readonly report: (report: WorkerReport) => void;
  readonly fatal: (failure: Failure) => void;
};

/** The services, and the ways to end what they have open. */
export type ThreadServices = ThreadHostServices & {
  /** Ends the connections to MCP servers in good order, also those of older versions of the config. */
  readonly disconnect: () => Promise<void>;
  /** Ends the tool processes and closes what is open, also of older versions. */
  readonly close: () => void;
};

/**
 * Wires what threads work with: items, providers, tools, log and host.
 *
 * @throws SkeinError if the system space can't be used
 */
export function createThreadServices(options: ThreadServicesOptions): ThreadServices {
  const { config, env, clock, randomBytes, schedule, recording, fatal, index = 0 } = options;
  const { connections } = config.agent;
  const redactor = createRedactor(secretValues(config, env));
  // The two ways out of a worker.
  const store = withoutSecrets(options.store, redactor);
  const report = (given: WorkerReport): void => options.report(cleanReport(given, redactor));
  const counters = createCounters();
  const events = shareEvents(undefined, config, { ...options, counters });
  const host = createHostQuestions(report);
  const onProblem = (failure: Failure): void => report({ type: 'problem', failure });
  const worker: Worker = {
    ...options,
    newApprovalId: createApprovalIds(clock.now, randomBytes),
    templates: createDirectiveTemplates(randomBytes),
    specs: createSharedSpecs(),
    store,
    report,
    redactor,
    ...(recording && {
      fetch: createRecordedFetch({ ...options, recording, index, redactor, connections, onProblem }),
    }),
    counters,
    journal: createJournal({ store, clock, schedule, counters, ...events.value, report, fatal }),
    gates: createProviderGates({ clock, report }),
    host,
    inspection: createInspectionTap({ index, clock, schedule, redactor, report }),
    project: createProjectSources({ ...options, host }),
    added: createAddedTools(),
    onProblem,
    open: createOpenParts(),
  };
  const { mcp, killAll } = worker.open;
  return {
    ...versionOf(worker, config, { events }),
    disconnect: async () => {
      await Promise.all([...mcp].map((tools) => tools.close()));
    },
    close: () => {
      worker.gates.close();
      killAll();
    },
  };
}

/** What a worker has once, whatever its config. */
type Worker = Omit<ThreadServicesOptions, 'config'> &
  Pick<
    Services,
    'newApprovalId' | 'templates' | 'specs' | 'counters' | 'journal' | 'gates' | 'host' | 'inspection' | 'redactor'
  > & {
    /** If requests are recorded or replayed. */
    readonly fetch?: Fetch;
    readonly project: ProjectSources;
    readonly added: AddedTools;
    readonly onProblem: (failure: Failure) => void;
    readonly open: OpenParts;
  };

/** What versions of the config share. */
type Parts = {
  readonly events: SharedPart<Handling>;
  readonly mcp: SharedPart<McpTools>;
  readonly tools: SharedPart<Tools>;
  readonly providers: SharedPart<Providers>;
};

/** How threads that have this version of the config handle their events. */
type Handling = EventHandling & { readonly payloadCheck: PayloadCheck };

/** Compiled once for as long as `events.yaml` stays what it was. */
function shareEvents(
  before: SharedPart<Handling> | undefined,
  { events }: Config,
  { validateEvents: mode, counters }: Pick<Worker, 'validateEvents' | 'counters'>,
): SharedPart<Handling> {
  return sharePart(before, events, () => {
    const payloadCheck = compilePayloadCheck(events);
    const check = createEventCheck({ mode, check: payloadCheck, invalid: counters.invalidEvents });
    return { value: { policies: eventPoliciesOf(events), check, payloadCheck }, close: () => undefined };
  });
}

function versionOf(worker: Worker, config: Config, before: Partial<Parts>): ThreadHostServices {
  const { projectPath, clock, random, newApprovalId, env, counters, store, gates, host, report, fatal, redactor } =
    worker;
  const parts = shareParts(worker, config, before);
  const { items, ...tools } = parts.tools.value;
  const providers = parts.providers.value;
  const handling = parts.events.value;
  return {
    ...tools,
    mcp: parts.mcp.value,
    projectPath,
    clock,
    random,
    newApprovalId,
    config,
    classify: createClassifier(config.errors),
    eventPolicies: handling.policies,
    payloadCheck: handling.payloadCheck,
    items,
    internalTools: createInternalTools(items),
    inputEnv: { allowed: config.agent.inputEnv, values: env },
    templates: worker.templates,
    providers,
    cacheLimits: createCacheLimits(config),
    assembly: withPrompts(worker.project, promptSourcesOf({ ...worker, trust: config.agent.trust })),
    gates,
    counters,
    plans: createPlanCache({ config, items, providers, tools: tools.tools, clock }),
    specs: worker.specs,
    drafts: createSpecDrafts({ config, providers, specs: worker.specs }),
    redactor,
    store,
    journal: worker.journal.handling(handling),
    host,
    inspection: worker.inspection,
    report,
    fatal,
    renewed: (next) => {
      redactor.add(secretValues(next, env));
      return versionOf(worker, next, parts);
    },
    retire: () => {
      parts.tools.letGo();
      parts.mcp.letGo();
      parts.providers.letGo();
    },
  };
}

/** What changes with every edit of the config is made anew; what holds processes, connections and files is not. */
function shareParts(worker: Worker, config: Config, before: Partial<Parts>): Parts {
  const { clock, scripts, onProblem, open, fetch, recording, redactor, report } = worker;
  const env = withUserSpace(worker.env, worker.userSpace);
  // What may refuse the config comes before what is held.
  const events = shareEvents(before.events, config, worker);
  const mcp = sharePart(before.mcp, config.mcp, () => {
    const tools = createMcpTools({ ...worker, env, config: config.mcp, onProblem });
    return { value: tools, close: open.addMcp(tools, onProblem) };
  });
  const { trust, inputEnv, tools: rights } = config.agent;
  const toolKey = [config.mcp, config.extractors, config.projectVouches, trust, inputEnv, rights];
  return {
    events,
    mcp,
    tools: sharePart(before.tools, toolKey, () => createTools(worker, config, mcp.value)),
    providers: sharePart(before.providers, config.agent, () => ({
      value: createProviders({
        config: config.agent,
        env: worker.env,
        clock,
        scripts,
        recording: recording?.mode,
        onKey: (key) => {
          redactor.add([key]);
          report({ type: 'secretFound', value: key });
        },
        ...(fetch && { fetch }),
      }),
      close: () => undefined,
    })),
  };
}

type Tools = Pick<Services, 'tools' | 'threadTools' | 'requests' | 'dispatcher' | 'items'>;

function createTools(
  worker: Worker,
  config: Config,
  mcp: McpTools,
): { readonly value: Tools; readonly close: () => void } {
  const { onProblem, added, open } = worker;
  const itemServices = createItemServices({
    ...worker,
    config,
    onProblem,
    registered: (id) => tools.registered(id),
    renderTemplate: worker.templates.bodyOf,
  });
  const { items, spaces, tools: files, dispatcher } = itemServices;
  const threadTools = createThreadTools(items);
  const primaryTools = createPrimaryTools(dispatcher);
  const tools = createToolShelf({ files, spaces, threadTools, primaryTools, mcp, added, onProblem });
  const requests = createToolRequests({ tools, threadTools, primaryTools });
  return { value: { tools, threadTools, requests, dispatcher, items }, close: open.addItems(itemServices) };
}

import type { CacheLimits } from '../../prompt/tiers/marks.ts';
import type { ModelBinding, Providers } from '../../providers/provider-registry.ts';
import type { AssemblyServices } from '../tiers/assembly-services.ts';
import type { Classifier } from '../../config/classify.ts';
import type { Config } from '../../config/config.ts';
import type { Clock } from '../../core/clock.ts';
import type { Failure } from '../../core/errors.ts';
import type { ApprovalId } from '../../core/ids.ts';
import type { WorkerReport } from '../../core/protocol.ts';
import type { Redactor } from '../../core/redactor.ts';
import type { StoreClient } from '../../core/store-client.ts';
import type { EnvironmentRefs } from '../../items/input-refs.ts';
import type { ItemCache } from '../../items/item-cache.ts';
import type { DirectiveTemplates } from '../../prompt/prompty/directive-templates.ts';
import type { ToolDispatcher } from '../../tools/dispatcher.ts';
import type { McpTools } from '../../tools/mcp-tools.ts';
import type { Counters } from './counters.ts';
import type { HostQuestions } from './host-questions.ts';
import type { InspectionTap } from '../inspection-tap.ts';
import type { InternalTools } from '../internal/internal-tools.ts';
import type { PayloadCheck } from './event-check.ts';
import type { EventPolicy } from './event-policies.ts';
import type { Journal } from './journal.ts';
import type { PlanCache } from '../plan/plan.ts';
import type { SharedSpecs } from '../plan/shared-specs.ts';
import type { SpecDrafts } from '../plan/spec-drafts.ts';
import type { PrepareSources } from '../plan/prepare-spec.ts';
import type { ProviderGates } from './provider-gates.ts';
import type { Thread } from '../thread.ts';
import type { ThreadTools } from '../tools/thread-tools.ts';
import type { ToolRequests } from '../tools/tool-requests.ts';
import type { ToolShelf } from '../tools/tool-shelf.ts';

/**
 * What the effects of a thread work with: one set per worker for each version of the config that a thread still has. A
 * thread keeps the set it started with.
 */
export type Services = {
  readonly projectPath: string;
  readonly clock: Clock;
  /** A number in [0, 1), for jitter. */
  readonly random: () => number;
  readonly newApprovalId: () => ApprovalId;
  readonly config: Config;
  readonly classify: Classifier;
  readonly eventPolicies: ReadonlyMap<string, EventPolicy>;
  readonly payloadCheck: PayloadCheck;
  readonly items: ItemCache;
  /** What directives may put into their prompts with `{env:NAME}`. */
  readonly inputEnv: EnvironmentRefs;
  /** Renders the bodies of directives that are templates. */
  readonly templates: DirectiveTemplates;
  readonly providers: Providers;
  /** What the cache of a model's provider takes. */
  readonly cacheLimits: (model: ModelBinding) => CacheLimits;
  /** What prompts in tiers are made with. */
  readonly assembly: AssemblyServices;
  /** Which providers are not to be called now. */
  readonly gates: ProviderGates;
  readonly tools: ToolShelf;
  /** Connections to MCP servers. */
  readonly mcp: Pick<McpTools, 'ready' | 'troubles' | 'close'>;
  /** Carries out what hooks declare. */
  readonly dispatcher: Pick<ToolDispatcher, 'dispatch'>;
  readonly threadTools: ThreadTools;
  readonly internalTools: InternalTools;
  /** Finds out what runs for a model's call. */
  readonly requests: ToolRequests;
  readonly plans: PlanCache;
  readonly specs: SharedSpecs;
  readonly drafts: SpecDrafts;
  /** What is stored and reported goes through it on its way; here for what is told in pieces. */
  readonly redactor: Redactor;
  readonly store: StoreClient;
  readonly journal: Journal;
  readonly host: HostQuestions;
  /** Tells the host of actors that somebody looks at. */
  readonly inspection: InspectionTap;
  readonly counters: Counters;
  /** Says something to the host. */
  readonly report: (report: WorkerReport) => void;
  /** The thread's ending is on disk: forget it. */
  readonly forget: (thread: Thread) => void;
  /** Nothing of a thread with these services runs any more, its last hooks included. */
  readonly leave: (thread: Thread) => void;
  /** What threads are prepared with that start now, and the config in force. */
  readonly latest: () => PrepareSources & Pick<Services, 'config'>;
  readonly fatal: (failure: Failure) => void;
};

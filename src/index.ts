import { SkeinError } from './core/errors.ts';
import { checkRuntimeOptions } from './host/config/check-options.ts';
import { checkText } from './host/handle/argument-types.ts';
import { checkOptionNames } from './host/handle/option-names.ts';
import type { PromptPreview } from './core/prompt-preview.ts';
import type { PreviewOptions } from './host/project/preview-prompt.ts';
import type { CollectOptions } from './host/project/collect-project-garbage.ts';
import type { CollectedGarbage } from './core/collected-garbage.ts';
import type { ProjectStatus } from './host/project/project-status.ts';
import type { ProjectConnection, ProjectOptions } from './host/control-socket/project-connection.ts';
import type { DoctorOptions, DoctorReport } from './host/project/doctor.ts';
import type { ReplayedThread, ReplayOptions } from './host/project/replay.ts';
import type { Runtime } from './host/runtime.ts';
import type { RuntimeOptions } from './host/runtime-options.ts';
import type { OpenRelay } from './core/inspection.ts';
import type { SymbolTasks } from './core/symbol-tasks.ts';

export { SkeinError, describeFailure, type ErrorPlace, type Failure, type SkeinErrorCode } from './core/errors.ts';
export type { Criticality, EventOf, EventPayloads, EventType, SuspendReason, ThreadEvent } from './core/events.ts';
// All of it, so that a program can add to it by the name of the package.
export type * from './core/project-events.ts';
export type { DoctorOptions, DoctorReport } from './host/project/doctor.ts';
export type { ReplayedThread, ReplayOptions } from './host/project/replay.ts';
export type { Finding, Invariant } from './core/finding.ts';
export type { ThreadStatus } from './core/ending.ts';
export type { ThreadId } from './core/ids.ts';
export type { ToolCaller } from './core/tool.ts';
export type { ModuleTool, ModuleToolCaller } from './core/module-tool.ts';
export type { Words, WordsQuestion } from './core/words.ts';
export type { OperationAnswer, OperationInput, OperationName, OperationRefusal } from './core/operations.ts';
export type { LimitOverrides } from './core/limits.ts';
export type { PreviewMessage, PreviewPart, PromptPreview } from './core/prompt-preview.ts';
export type { PreviewOptions } from './host/project/preview-prompt.ts';
export type { ConfigReload } from './host/runtime.ts';
export type {
  Approval,
  ApprovalAnswer,
  ApprovalGrant,
  ApprovalListFilter,
  Approvals,
} from './host/approvals/approvals.ts';
export type { ApprovalEvent } from './host/approvals/approval-news.ts';
export type { RuntimeApprovals } from './host/approvals/approvals-runtime.ts';
export type { ForkOptions } from './host/project/fork-options.ts';
export type { FunctionCaller, HostHook } from './host/workers/host-functions.ts';
export type { InspectChoice, InspectOptions } from './host/inspection/inspect-options.ts';
export type { Inspector } from './host/inspection/inspector.ts';
export type { RelayCounts } from './core/inspection.ts';
export type {
  EventsOptions,
  Orchestrator,
  OrchestratorAnswer,
  RuntimeOrchestrator,
  TranscriptOptions,
} from './host/operations/orchestrator.ts';
export type {
  ListedThread,
  ListFilter,
  Runtime,
  RuntimeEvents,
  RuntimeView,
  WaitResult,
  WorkerView,
} from './host/runtime.ts';
export type { CollectOptions } from './host/project/collect-project-garbage.ts';
export type { CollectedGarbage } from './core/collected-garbage.ts';
export type { ProjectStatus } from './host/project/project-status.ts';
export type { ProjectConnection, ProjectOptions } from './host/control-socket/project-connection.ts';
export type { Follower, Shown, WindowNews } from './host/window/follow.ts';
export type { ProjectWindow, WindowAccount } from './host/window/project-window.ts';
export type { WindowPlace } from './core/window-place.ts';
export type { WindowSpec } from './host/window/window-spec.ts';
export type { Tally } from './host/window/tally.ts';
export type { LogPageOptions, WindowEvent, WindowLog } from './host/window/window-log.ts';
export type { WindowFound, WindowHit, WindowQuery } from './host/window/window-search.ts';
export type { LevelOptions, WindowPage, WindowThread } from './host/window/window-threads.ts';
export type { RuntimeOptions, SpawnOptions, ToolRegistration } from './host/runtime-options.ts';
export type { TelemetryOptions } from './host/telemetry/telemetry-options.ts';
export type { ThreadEnding, ThreadHandle, ThreadState, Usage } from './host/handle/thread-handle.ts';

const MIN_NODE = [22, 18] as const;

/**
 * Starts a runtime for a project.
 *
 * @throws SkeinError `node_version`, `project_locked`, `project_unwritable`, `invalid_config`, `schema_too_new`,
 * `store_corrupt`, `invalid_argument`
 */
export async function createRuntime(options: RuntimeOptions = {}): Promise<Runtime> {
  checkNodeVersion(process.versions.node);
  checkOptionNames('createRuntime', options, OPTION_NAMES);
  checkRuntimeOptions(options);
  // Loaded late: SQLite's addon crashes on versions that were just refused.
  const { startRuntime } = await import('./host/start-runtime.ts');
  return startRuntime({ ...options, env: options.env ?? process.env }, { loadSymbols, openRelay });
}

/**
 * What a thread of a directive would send with its first call: messages and tools, where each part is from, and about how
 * many tokens it has. No model is called and nothing is stored; hooks read items but run nothing. Works beside a runtime.
 *
 * @throws SkeinError `node_version`, `invalid_config`, `invalid_argument`, and what would keep the thread from starting
 */
export async function previewPrompt(
  directive: string,
  inputs: Readonly<Record<string, unknown>> = {},
  options: PreviewOptions = {},
): Promise<PromptPreview> {
  checkNodeVersion(process.versions.node);
  checkOptionNames('previewPrompt', options, PREVIEW_OPTION_NAMES);
  checkRuntimeOptions(options);
  const { startPreview } = await import('./host/project/preview-prompt.ts');
  const env = options.env ?? process.env;
  return startPreview({ directive, inputs, options: { ...options, env } }, loadSymbols);
}

/**
 * Reaches the threads of a project from outside of its runtime: through its control socket if a runtime holds the project,
 * else by reading the stored database, where what would change something is refused with `runtime_closed`. A project in which
 * nothing has run yet has no threads.
 *
 * @throws SkeinError `node_version`, `invalid_argument`, `invalid_config`, `store_failed`, `store_corrupt`, `schema_too_new`
 */
export async function connectProject(options: ProjectOptions = {}): Promise<ProjectConnection> {
  checkNodeVersion(process.versions.node);
  checkOptionNames('connectProject', options, { project: true, userSpace: true, env: true });
  checkRuntimeOptions(options);
  // Loaded late: SQLite's addon crashes on versions that were just refused.
  const { openProjectConnection } = await import('./host/control-socket/project-connection.ts');
  return openProjectConnection({ ...options, env: options.env ?? process.env });
}

/**
 * Checks the invariants of a project's database and archive; with `repair` it puts right what it can without losing data.
 * Looking changes nothing, also while a runtime has the project.
 *
 * @throws SkeinError `node_version`, `invalid_argument`, `schema_too_new`, `store_failed`: nothing has run there yet;
 * `invalid_config`: which values are secret is not known; `project_locked`: repairs need the project for themselves
 */
export async function doctor(options: DoctorOptions = {}): Promise<DoctorReport> {
  checkNodeVersion(process.versions.node);
  checkOptionNames('doctor', options, { project: true, userSpace: true, config: true, env: true, repair: true });
  checkRuntimeOptions(options);
  const { examineProject } = await import('./host/project/doctor.ts');
  return examineProject({ ...options, env: options.env ?? process.env });
}

/**
 * Folds a thread's log into the state that it had at an event, and compares that with what is stored of it: `differences`
 * is empty if replay equals the reported state. Changes nothing, also while a runtime has the project.
 *
 * @throws SkeinError `node_version`, `invalid_argument`: no such event; `thread_not_found`, `schema_too_new`,
 * `store_corrupt`, `store_failed`: nothing has run there yet
 */
export async function replay(project: string, id: string, options: ReplayOptions = {}): Promise<ReplayedThread> {
  checkNodeVersion(process.versions.node);
  checkText('The project of a replay', project);
  checkText('The id of a thread to replay', id);
  checkOptionNames('replay', options, { to: true });
  checkRuntimeOptions({ project });
  const [{ replayThread }, { rebuildHistory }] = await Promise.all([
    import('./host/project/replay.ts'),
    import('./thread/conversation/history.ts'),
  ]);
  return replayThread({ project, id, options }, (lines) => rebuildHistory(lines).messages);
}

/**
 * How a project stands: its threads by status, what they cost, how large its database is, and what the runtime that holds it
 * is doing. Looks at every row.
 *
 * @throws SkeinError as `connectProject`
 */
export async function projectStatus(options: ProjectOptions = {}): Promise<ProjectStatus> {
  checkNodeVersion(process.versions.node);
  checkOptionNames('projectStatus', options, { project: true, userSpace: true, env: true });
  checkRuntimeOptions(options);
  const { readProjectStatus } = await import('./host/project/project-status.ts');
  return readProjectStatus({ ...options, env: options.env ?? process.env });
}

/**
 * Archives the trees that ended long ago, as `cleanup` of `resilience.yaml` says, and gives free space back. A runtime does
 * so by itself when it is idle; this is for a project that nobody runs.
 *
 * @throws SkeinError `project_locked`, and as `connectProject`
 */
export async function collectGarbage(options: CollectOptions = {}): Promise<CollectedGarbage> {
  checkNodeVersion(process.versions.node);
  checkOptionNames('collectGarbage', options, { project: true, userSpace: true, env: true, onProblem: true });
  checkRuntimeOptions(options);
  const { collectProjectGarbage } = await import('./host/project/collect-project-garbage.ts');
  return collectProjectGarbage({ ...options, env: options.env ?? process.env });
}

/** Refuses a Node that is too old. @throws SkeinError `node_version` */
export function checkNodeVersion(version: string): void {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major > MIN_NODE[0] || (major === MIN_NODE[0] && minor >= MIN_NODE[1])) return;
  throw new SkeinError('node_version', `Skein needs Node ${MIN_NODE.join('.')} or newer; this is Node ${version}`);
}

/** The worker of symbol indexes, which only threads with prompts in tiers need. */
async function loadSymbols(): Promise<SymbolTasks> {
  const { createSymbolPool } = await import('./symbols/symbol-pool.ts');
  return createSymbolPool();
}

/** The server for viewers, which only those need who look into machines. */
const openRelay: OpenRelay = async (options) => {
  const { startRelay } = await import('./inspect/relay/start-relay.ts');
  return startRelay(options);
};

const OPTION_NAMES: Readonly<Record<keyof RuntimeOptions, true>> = {
  project: true,
  userSpace: true,
  config: true,
  watchConfig: true,
  env: true,
  workers: true,
  scripts: true,
  validateEvents: true,
  tools: true,
  controlSocket: true,
  record: true,
  replay: true,
  telemetry: true,
  inspect: true,
};

const PREVIEW_OPTION_NAMES: Readonly<Record<keyof PreviewOptions, true>> = {
  project: true,
  userSpace: true,
  config: true,
  env: true,
  scripts: true,
  tools: true,
  model: true,
  onProblem: true,
};

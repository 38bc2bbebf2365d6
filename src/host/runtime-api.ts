import { EventEmitter } from 'eventemitter3';
import { z } from 'zod';
import { fromFailure } from '../core/errors.ts';
import { outputSchemaOf } from '../core/json-schema.ts';
import type { ThreadFilter, ThreadRow } from '../core/store.ts';
import { threadNotFound } from '../core/thread-not-found.ts';
import type { SpawnRequest, WaitedThread } from '../core/protocol.ts';
import type { Result } from '../core/result.ts';
import type { ControlClient } from './workers/control-client.ts';
import type { ControlSocket } from './control-socket/control-socket.ts';
import type { RunningCrew } from './workers/crew.ts';
import type { ApprovalDesk } from './approvals/approval-desk.ts';
import { parentOfSpawn } from './admission/parent-of-spawn.ts';
import { createRuntimeApprovals } from './approvals/approvals-runtime.ts';
import { checkChoice, checkFunction, checkMilliseconds, checkText, checkThreadIds } from './handle/argument-types.ts';
import { createHandle, type HandleSources } from './handle/create-handle.ts';
import { createSignalFollowing, type FollowSignal } from './handle/follow-signal.ts';
import { refuseStopped } from './handle/refuse-stopped.ts';
import { forkOrder } from './project/fork.ts';
import type { ForkOptions } from './project/fork-options.ts';
import type { HostContext, SpawnOrder } from './host-context.ts';
import type { HostFunctions } from './workers/host-functions.ts';
import { findEntry } from './rest/find-entry.ts';
import type { Inspection } from './inspection/inspection.ts';
import type { Inspector } from './inspection/inspector.ts';
import { createListening } from './handle/listening.ts';
import type { Problems } from './handle/problems.ts';
import type { Asking, Operations } from './operations/dispatcher.ts';
import { listedThreads } from './operations/listed-threads.ts';
import type { ThreadSources } from './operations/operation.ts';
import { createOrchestrator, type Orchestrator, type RuntimeOrchestrator } from './operations/orchestrator.ts';
import { checkListFilter } from './handle/list-filter.ts';
import { checkOptionNames } from './handle/option-names.ts';
import { registerTool } from './workers/register-tool.ts';
import type { Registrations } from './workers/registrations.ts';
import type { ListFilter, ListedThread, Runtime, RuntimeEvents, WaitResult } from './runtime.ts';
import type { Recovery } from './rest/recovery.ts';
import type { Settings } from './config/settings.ts';
import type { SpawnOptions, ToolRegistration } from './runtime-options.ts';
import { stopOnce } from './stop-runtime.ts';
import type { StoreLink } from './store-link.ts';
import type { Supervisor } from './supervisor.ts';
import type { QuestionHandler } from './workers/questions.ts';
import type { SymbolQuestions } from './workers/symbol-questions.ts';
import { toThreadEnding, toUsage, type ThreadHandle } from './handle/thread-handle.ts';
import type { ThreadEntry } from './rest/thread-table.ts';
import { checkSpawnOptions, inputsOf, limitsOf } from './handle/spawn-arguments.ts';
import { createWaitFollowing } from './operations/wait-following.ts';
import type { WaitAnswer, WaitOrder } from './waits/waits.ts';
import type { WorkerPool } from './workers/worker-pool.ts';

/** The running parts behind the API. */
export type RuntimeParts = {
  readonly host: HostContext;
  readonly supervisor: Supervisor;
  readonly recovery: Recovery;
  readonly functions: HostFunctions;
  readonly threads: ThreadSources;
  readonly operations: Operations;
  readonly desk: ApprovalDesk;
  readonly recall: (threadId: string) => WaitedThread;
  /** Whether the runtime has stopped. */
  readonly life: { isStopped: boolean };
  readonly crew: RunningCrew;
  /** Of the workers there are. */
  readonly controls: readonly ControlClient[];
  readonly registrations: Registrations;
  readonly store: StoreLink;
  readonly pool: WorkerPool;
  readonly symbols: SymbolQuestions;
  readonly threadQuestions: QuestionHandler;
  readonly settings: Settings;
  readonly socket: ControlSocket | undefined;
  readonly inspection: Inspection | undefined;
  readonly inspector: Inspector | undefined;
  readonly problems: Problems;
};

const DEFAULT_GRACE_MS = 2_000;

/** The public face of a runtime. */
export function createRuntimeApi(parts: RuntimeParts): Runtime {
  const { host, supervisor, functions, recovery } = parts;
  const emitter = new EventEmitter<RuntimeEvents>();
  const listening = createListening(emitter, { feed: host.feed, problems: parts.problems });
  parts.settings.onReload((reload) => emitter.emit('config', reload));
  const stop = stopOnce(parts, () => (parts.life.isStopped = true));
  void supervisor.stopped.then(() => closeEarly(parts));
  // Neither of the two rejects.
  void supervisor.stopped.then(stop);
  const controlOf: HandleSources['controlOf'] = (worker) => parts.crew.members.get(worker)?.control;
  const sources: HandleSources = { host, controlOf, isStopped: () => parts.life.isStopped };
  const spawning = { sources, follow: createSignalFollowing(host) };

  return {
    spawn: <Outputs>(directive: string, inputs = {}, options: SpawnOptions<Outputs> = {}) =>
      spawnThread(spawning, { directive, inputs, options }),
    fork: async (id, options) => createHandle(await fork(id, options, sources), sources),
    thread(id) {
      checkText('A thread id', id);
      refuseStopped(sources);
      return createHandle(findEntry(id, host), sources);
    },
    ...createWaits(parts, sources),
    orchestrator: orchestratorOf(parts, sources),
    approvals: createRuntimeApprovals(parts),
    inspector: parts.inspector,
    list(filter = {}) {
      checkListFilter(filter);
      refuseStopped(sources);
      return listThreads(parts.threads, filter);
    },
    on: listening,
    async registerTool<Input>(tool: ToolRegistration<Input>) {
      refuseStopped(sources);
      await recovery.after(registerTool(tool, parts));
    },
    registerHook(name, hook) {
      checkText('The name of a hook', name);
      checkFunction(`The hook ${name}`, hook);
      functions.addHook(name, hook);
    },
    async view() {
      refuseStopped(sources);
      return parts.threads.view();
    },
    async reloadConfig() {
      refuseStopped(sources);
      return parts.settings.reload();
    },
    async close(options = {}) {
      checkOptionNames('close', options, { graceMs: true });
      const { graceMs = DEFAULT_GRACE_MS } = options;
      checkMilliseconds('graceMs of close', graceMs);
      host.tell({ type: 'DRAIN', graceMs });
      await stop(await supervisor.stopped);
    },
    async [Symbol.asyncDispose]() {
      await this.close();
    },
  };
}

/** What would begin something else must not outlast the supervisor. */
function closeEarly({ recovery, settings, crew }: RuntimeParts): void {
  crew.close();
  recovery.stop();
  settings.close();
}

type WaitAsked = Pick<WaitOrder, 'threadIds' | 'timeoutMs' | 'until'>;

/** Waits follow threads that hand over to the end of what they began. */
function createWaits({ host, recall }: RuntimeParts, sources: HandleSources): Pick<Runtime, 'waitAll' | 'waitFirst'> {
  const follow = createWaitFollowing({ host, recall, isStopped: sources.isStopped });
  const wait = async (call: string, order: WaitAsked): Promise<readonly WaitResult[]> => {
    checkThreadIds(call, order.threadIds);
    checkMilliseconds(`timeoutMs of ${call}`, order.timeoutMs);
    refuseStopped(sources);
    const waited = await new Promise<WaitAnswer>((done) => {
      follow({ ...order, isVisible: () => true, done });
    });
    if (!waited.ok) throw fromFailure(waited.failure);
    return toWaitResults(waited.value);
  };
  return {
    async waitAll(ids, options = {}) {
      checkOptionNames('waitAll', options, { timeoutMs: true, failFast: true });
      const { timeoutMs, failFast } = options;
      checkChoice('failFast of waitAll', failFast);
      return wait('waitAll', { threadIds: ids, timeoutMs, until: failFast ? 'failFast' : 'all' });
    },
    async waitFirst(ids, options = {}) {
      checkOptionNames('waitFirst', options, { timeoutMs: true });
      return wait('waitFirst', { threadIds: ids, timeoutMs: options.timeoutMs, until: 'first' });
    },
  };
}

function orchestratorOf({ operations }: RuntimeParts, sources: HandleSources): RuntimeOrchestrator {
  const askedBy = (asking: Asking): Orchestrator =>
    createOrchestrator(async (name, input) => {
      refuseStopped(sources);
      return operations.call(name, input, asking);
    });
  const forModel = askedBy({ isModel: true });
  return { ...askedBy({}), callForModel: (name, input) => forModel.call(name, input) };
}

/** What `spawn` is called with. */
type Asked<Outputs> = {
  readonly directive: string;
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly options: SpawnOptions<Outputs>;
};

type Spawning = { readonly sources: HandleSources; readonly follow: FollowSignal };

/** One promise, not one for each step on the way: a caller may start ten thousand threads in one go. What throws, rejects. */
function spawnThread<Outputs>({ sources, follow }: Spawning, asked: Asked<Outputs>): Promise<ThreadHandle<Outputs>> {
  const { host } = sources;
  return new Promise((resolve, reject) => {
    const request = requestOf(asked);
    refuseStopped(sources);
    const { parent: parentId, signal, output } = asked.options;
    admit(host, { request, parentId }, (answer) => {
      if (!answer.ok) return reject(fromFailure(answer.failure));
      const handle = createHandle(answer.value, sources, output);
      resolve(signal ? follow(handle, { entry: answer.value, signal }) : handle);
    });
  });
}

function requestOf<Outputs>({ directive, inputs, options }: Asked<Outputs>): SpawnRequest {
  checkSpawnOptions(options);
  const { limits, model, output } = options;
  const outputSchema = output && (output instanceof z.core.$ZodType ? outputSchemaOf(output) : ANY_OUTPUTS);
  return { directive, inputs: inputsOf(inputs), limits: limitsOf(limits), model, parent: undefined, outputSchema };
}

/** What is told of a schema that only its own library reads. */
const ANY_OUTPUTS = { type: 'object' };

/** Asks for a thread. @throws SkeinError if it can't have this parent */
function admit(
  host: HostContext,
  { request, parentId }: { readonly request: SpawnRequest; readonly parentId: string | undefined },
  done: SpawnOrder['done'],
): void {
  const parent = parentId === undefined ? undefined : parentOfSpawn(parentId, host);
  // Below the span that is active now: when the thread is there, it may be another one.
  const order: SpawnOrder = { request, parent, done, caller: host.telemetry?.caller() };
  host.tell({ type: 'SPAWN', order });
}

async function fork(id: string, options: ForkOptions, sources: HandleSources): Promise<ThreadEntry> {
  const { host } = sources;
  checkText('The id of a thread to fork', id);
  checkOptionNames('fork', options, { at: true, inputs: true, limits: true });
  const inputs = options.inputs === undefined ? undefined : inputsOf(options.inputs);
  const limits = limitsOf(options.limits);
  refuseStopped(sources);
  const row = host.reader.thread(id);
  if (!row) throw threadNotFound(id);
  const answer = await new Promise<Result<ThreadEntry>>((done) => {
    const caller = host.telemetry?.caller();
    host.tell({ type: 'SPAWN', order: { ...forkOrder(host, { row, at: options.at, inputs, limits }, done), caller } });
  });
  if (!answer.ok) throw fromFailure(answer.failure);
  return answer.value;
}

function toWaitResults(waited: readonly WaitedThread[]): Promise<WaitResult[]> {
  return Promise.all(
    waited.map(async ({ threadId, status, ending, cost, suspendReason, continuedAs }) => ({
      id: threadId,
      status,
      ...(cost && { cost: toUsage(cost) }),
      ...(suspendReason !== undefined && { suspendReason }),
      ...(continuedAs !== undefined && { continuedAs }),
      ending: ending && (await toThreadEnding<Readonly<Record<string, unknown>>>(ending, undefined)),
    })),
  );
}

function listThreads(threads: ThreadSources, filter: ListFilter): ListedThread[] {
  const { parent, status, directive, limit } = filter;
  const parentRow = parent === undefined ? undefined : threads.reader.thread(parent);
  if (parent !== undefined && !parentRow) return [];
  const asked: ThreadFilter = {
    ...(status !== undefined && { status }),
    ...(directive !== undefined && { directive }),
    ...(limit !== undefined && { limit }),
    ...(parentRow && { parent: parentRow.thread }),
  };
  return listedThreads(asked, threads).map((row) => listed(row, threads));
}

function listed(row: ThreadRow, threads: ThreadSources): ListedThread {
  const { status, cost } = threads.standing(row);
  const { threadId: id, directive, model, createdAt: createdAtMs } = row;
  return { id, directive, model, status, usage: toUsage(cost), createdAtMs };
}

import { dirname } from 'node:path';
import type { Config } from '../config/config.ts';
import type { ConfigSources } from '../config/layers.ts';
import { isApprovalOperation } from '../core/approval-operations.ts';
import { SkeinError } from '../core/errors.ts';
import { createThreadIds } from '../core/ids.ts';
import { createNumberedMap } from '../core/paged-map.ts';
import type { OpenRelay } from '../core/inspection.ts';
import { withoutSecrets } from '../core/redact-store.ts';
import type { Redactor } from '../core/redactor.ts';
import type { StoreReader } from '../core/store.ts';
import { createSlices, type Slices } from '../core/slices.ts';
import { createStoreClient, type StoreClient } from '../core/store-client.ts';
import type { Surroundings } from '../core/surroundings.ts';
import { READ_WORDS } from '../core/words.ts';
import { createAbsences } from './workers/absences.ts';
import { createApprovalDesk } from './approvals/approval-desk.ts';
import { createApprovalNews } from './approvals/approval-news.ts';
import type { ControlClient } from './workers/control-client.ts';
import type { ServedOperations } from './control-socket/control-socket-connection.ts';
import { openControlSocket, type ControlSocket } from './control-socket/control-socket.ts';
import { createEventFeed, type EventFeed } from './handle/event-feed.ts';
import { createProblems } from './handle/problems.ts';
import { connectWorkers } from './workers/connect-workers.ts';
import type { RunningCrew } from './workers/crew.ts';
import { readBack } from './rest/find-entry.ts';
import type { OpenGateway } from './workers/gateway.ts';
import { heedStore } from './heed-store.ts';
import type { HostContext } from './host-context.ts';
import type { InspectOptions } from './inspection/inspect-options.ts';
import { createInspection } from './inspection/inspection.ts';
import { createHostFunctions } from './workers/host-functions.ts';
import { createLastHooks } from './endings/last-hooks.ts';
import { createLiveWords } from './handle/live-words.ts';
import { createRecall } from './rest/recall.ts';
import { createRecentEndings } from './endings/recent-endings.ts';
import { createRecovery } from './rest/recovery.ts';
import { createQuestionHandler } from './workers/questions.ts';
import { createOperations } from './operations/dispatcher.ts';
import { liveThreads, type LiveSources } from './operations/live-threads.ts';
import { createRuntimeApi, type RuntimeParts } from './runtime-api.ts';
import type { Runtime } from './runtime.ts';
import { createSettings, type Settings } from './config/settings.ts';
import { createSlots } from './admission/slots.ts';
import { createSpawnLine } from './admission/spawn-line.ts';
import { stopOnce } from './stop-runtime.ts';
import type { StoreLink } from './store-link.ts';
import { createSupervisor } from './supervisor.ts';
import { createSuspectLine } from './workers/suspect-line.ts';
import type { SymbolQuestions } from './workers/symbol-questions.ts';
import { createThreadTable, type Recollection, type ThreadEntry } from './rest/thread-table.ts';
import type { Telemetry } from './telemetry/telemetry.ts';
import type { WorkerPool } from './workers/worker-pool.ts';
import { createWorkerQuestions } from './workers/worker-questions.ts';
import { viewsOf } from './workers/worker-views.ts';

/** What is secret, and how more is learnt from another configuration. */
export type Secrets = { readonly redactor: Redactor; readonly learn: (config: Config) => void };

/** What a runtime is made of, all of it running. */
export type Parts = {
  readonly surroundings: Surroundings;
  readonly secrets: Secrets;
  readonly config: Config;
  readonly sources: ConfigSources;
  /** What the user should know about the files that were read; default: nothing. */
  readonly warnings?: readonly string[];
  /** How the config files were when they were read; undefined if they are not watched. */
  readonly stamp: string | undefined;
  readonly store: StoreLink;
  readonly pool: WorkerPool;
  /** Opens one. */
  readonly reader: () => StoreReader;
  /** How threads at rest are referred to, if not weakly. */
  readonly referTo?: Recollection['referTo'];
  readonly path: string;
  /** Those that workers load as they start. */
  readonly toolModules: readonly string[];
  readonly hasSocket: boolean;
  readonly symbols: SymbolQuestions;
  /** Begins to tell OpenTelemetry of what happens, if that is asked for. */
  readonly telemetry?: ((host: HostContext, redactor: Redactor) => Telemetry) | undefined;
  /** How others may look into its machines; undefined if nobody may. */
  readonly inspect?: { readonly options: InspectOptions; readonly openRelay: OpenRelay } | undefined;
};

/** Wires parts to a runtime, and begins its recovery; closes workers and store if that fails. */
export async function connectOrClose(parts: Parts): Promise<Runtime> {
  let wired: Wired | undefined;
  let socket: ControlSocket | undefined;
  try {
    wired = connect(parts);
    const recovery = createRecovery(wired.host, { ...parts.surroundings, foreign: parts.store.opened.foreign });
    wired.host.recovery = recovery;
    const inspector = parts.inspect && (await wired.inspection?.open(parts.inspect.openRelay));
    socket = parts.hasSocket ? await openSocket(parts, wired) : undefined;
    wired.host.telemetry = parts.telemetry?.(wired.host, parts.secrets.redactor);
    const runtime = createRuntimeApi({ ...wired, recovery, socket, inspector });
    recovery.start();
    return runtime;
  } catch (thrown) {
    if (wired) await abandon({ ...wired, socket });
    else await parts.pool.close();
    throw thrown;
  }
}

/** Nobody has it yet, so nothing is under way: it stops as a runtime does, and replaces no worker that ends with that. */
async function abandon(wired: Wired & Pick<RuntimeParts, 'socket'>): Promise<void> {
  wired.crew.close();
  wired.settings.close();
  await stopOnce(wired, () => (wired.life.isStopped = true))(undefined);
}

type Wired = Omit<RuntimeParts, 'socket' | 'recovery' | 'inspector'>;

async function openSocket({ path }: Parts, { host, operations, desk }: Wired): Promise<ControlSocket> {
  const { clock, feed, problem, reader, table } = host;
  const find = (id: string): ThreadEntry | undefined => {
    const row = reader.thread(id);
    return row && table.get(row.thread);
  };
  const words = createLiveWords({ feed, clock, find });
  const call: ServedOperations['call'] = async (name, input, asking) => {
    if (name === READ_WORDS) return words.read(input);
    return isApprovalOperation(name) ? desk.call(name, input) : operations.call(name, input, asking);
  };
  return openControlSocket({ folder: dirname(path), operations: { call }, clock, problem });
}

/** How long a turn of the event loop handles what store and workers say: the host must answer others soon (architecture). */
const SLICE_MS = 2;

/** Wires the running parts together. */
function connect(parts: Parts): Wired {
  const { config, store, pool, symbols, referTo } = parts;
  const reader = parts.reader();
  const { clock, randomBytes, schedule } = parts.surroundings;
  const slices = createSlices({ sliceMs: SLICE_MS, now: clock.stopwatch, schedule });
  const table = createThreadTable({ readBack: (thread) => readBack(thread, host), ...(referTo && { referTo }) });
  const functions = createHostFunctions();
  const recall = createRecall(reader);
  const problems = createProblems(parts.secrets.redactor);
  for (const message of parts.warnings ?? []) problems.tell({ code: 'invalid_config', message });
  const life = { isStopped: false };
  let nextThread = store.opened.nextThread;
  const inspection = parts.inspect && createInspection({ ...parts.inspect, ...parts.secrets, host: () => host, clock });
  const supervisor = createSupervisor(() => host, inspection?.supervisor);
  const host: HostContext = {
    get config() {
      return settings.current();
    },
    clock,
    newThreadId: createThreadIds(clock.now, randomBytes),
    nextThread: () => nextThread++,
    table,
    slots: createSlots(config.resilience.concurrency),
    spawnLine: createSpawnLine(supervisor.send),
    // The gateway's reports need the host, and the host sends through the gateway.
    get gateway(): OpenGateway {
      return gateway;
    },
    store: storeClientOf(parts, slices),
    reader,
    feed: feedOf(() => host, parts.secrets.redactor),
    inspection,
    approvals: createApprovalNews(),
    load: [],
    get crew(): RunningCrew {
      return crew;
    },
    suspects: createSuspectLine(() => host),
    endings: createRecentEndings({ clock, table }),
    questions: createWorkerQuestions(() => gateway),
    messages: createWorkerQuestions(() => gateway),
    parking: new Map(),
    cancelling: new Set(),
    absences: createAbsences(() => host),
    lastHooks: createLastHooks(),
    awaitingStore: createNumberedMap(),
    tell: supervisor.send,
    problem: (failure) => problems.tell(failure),
  };
  const isStopped = (): boolean => life.isStopped;
  const desk = createApprovalDesk({ reader, running: { host, isStopped } });
  const threads = liveThreads({ host, recall, isStopped, ...surfacesOf(() => crew) });
  const operations = createOperations(threads);
  const questions = createQuestionHandler({ host, functions, operations, recall, symbols });
  const { gateway, crew, registrations } = connectWorkers(host, { ...parts, slices, questions });
  const settings = followConfig(parts, host, () => crew.members.get(crew.next())?.control);
  begin(store, host);
  const said = { functions, threads, operations, desk, recall, inspection };
  const wired = { host, supervisor, ...said, life, crew, controls: crew.controls, registrations };
  return { ...wired, store, pool, symbols, problems, settings, threadQuestions: questions };
}

function storeClientOf({ store, surroundings, secrets }: Parts, slices: Slices): StoreClient {
  const { schedule } = surroundings;
  const client = createStoreClient({ port: store.newPort(), schedule, line: slices.line() });
  return withoutSecrets(client, secrets.redactor);
}

function feedOf(host: () => HostContext, redactor: Redactor): EventFeed {
  return createEventFeed({
    get config() {
      return host().config;
    },
    gateway: () => host().gateway,
    redactor,
  });
}

/** The workers as they are when they are asked for: the crew comes after those who ask. */
function surfacesOf(crew: () => RunningCrew): Pick<LiveSources, 'workers' | 'machines'> {
  return {
    workers: () => viewsOf(crew().members),
    machines: (worker) => crew().members.get(worker)?.control,
  };
}

/** A runtime without its store is over. */
function begin(store: StoreLink, host: HostContext): void {
  host.tell({ type: 'READY' });
  store.listen((news) => heedStore(news, host));
  void store.over.then((failure) => failure && host.tell({ type: 'FAILED', problem: failure }));
}

function followConfig(
  { config, sources, warnings = [], stamp, secrets }: Parts,
  host: HostContext,
  reader: () => ControlClient | undefined,
): Settings {
  return createSettings({
    config,
    sources,
    warnings,
    stamp,
    clock: host.clock,
    reader: () => reader() ?? nobody(),
    problem: host.problem,
    adopt: (next) => {
      secrets.learn(next);
      putInForce(next, host);
    },
  });
}

/** Before anything is sent that comes after it: a thread that is started from now on finds the config in its worker. */
function putInForce(config: Config, { gateway, slots, tell }: HostContext): void {
  gateway.broadcast({ type: 'config', config });
  slots.resize(config.resilience.concurrency);
  tell({ type: 'SLOT_FREE' });
}

/** There is at least one worker. */
function nobody(): never {
  throw new SkeinError('internal', 'A runtime without workers');
}

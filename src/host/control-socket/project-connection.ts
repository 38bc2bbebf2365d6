import { dirname } from 'node:path';
import type { Config } from '../../config/config.ts';
import { SYSTEM_DIR } from '../../config/default-places.ts';
import { loadConfig } from '../../config/load.ts';
import { projectFolder } from '../../config/project-folder.ts';
import type { ApprovalOperation } from '../../core/approval-operations.ts';
import { answerOrNone } from '../../core/answer-or-none.ts';
import { systemClock, type Clock } from '../../core/clock.ts';
import { fromFailure, SkeinError, type SkeinErrorCode } from '../../core/errors.ts';
import { OPERATIONS, type OperationName } from '../../core/operations.ts';
import { attempt } from '../../core/result.ts';
import { storeOf } from '../../core/store-place.ts';
import type { StoreReader } from '../../core/store.ts';
import { READ_WORDS, SILENCE, wordsSchema, type Words, type WordsQuestion } from '../../core/words.ts';
import { lockHolder } from '../../store/lock.ts';
import { openReader } from '../../store/reader.ts';
import { isUntouched, NOTHING_STORED } from '../../store/untouched.ts';
import { openWindow } from '../../store/window.ts';
import { createApprovalDesk } from '../approvals/approval-desk.ts';
import { createApprovals, type Approvals } from '../approvals/approvals.ts';
import { longestMs, SLOW_MS } from './deadlines.ts';
import { connectControlSocket, type ControlSocketClient } from './control-socket-client.ts';
import { createOperations } from '../operations/dispatcher.ts';
import { createOrchestrator, type CallOperation, type Orchestrator } from '../operations/orchestrator.ts';
import { restingThreads, type RestingSources } from '../operations/resting-threads.ts';
import { loadRuntimeConfig, type StartOptions } from '../config/runtime-config.ts';
import type { RuntimeOptions } from '../runtime-options.ts';
import { createProjectWindow, type ProjectWindow } from '../window/project-window.ts';

/** Settings of `connectProject`; they mean what they mean for a runtime. */
export type ProjectOptions = Pick<RuntimeOptions, 'project' | 'userSpace' | 'env'>;

/** A project's threads, reached from outside of its runtime. */
export interface ProjectConnection extends Disposable {
  /** Whether a runtime answers; if not, the stored database is read, and changes are refused with `runtime_closed`. */
  readonly isRun: boolean;
  /**
   * False after `close`, once the runtime has closed the connection, for being idle or since it has ended, once there is a database
   * where there was none, or once a runtime that does not answer has come or gone: connect again.
   */
  readonly isOpen: boolean;
  readonly orchestrator: Orchestrator;
  /** Threads, logs and money as they are stored, for whoever looks on. @throws SkeinError `store_failed`: nothing has run yet */
  readonly window: ProjectWindow;
  /** What threads ask of people, and the way to answer. */
  readonly approvals: Approvals;
  /**
   * What a thread's model says while it says it; whoever asks again and again gets what has come since. Nothing has where the
   * runtime has no time to answer, or has gone.
   */
  words(question: WordsQuestion): Promise<Words>;
  close(): void;
}

/**
 * Connects to the runtime that holds a project, or opens what is stored of it. A runtime goes on with what it has read when its
 * config files are broken later, and so can whoever speaks to it: the config serves them for the deadline of a wait that names none and
 * the table of events alone: then the shipped ones hold.
 */
export async function openProjectConnection(
  options: ProjectOptions & Pick<StartOptions, 'env'>,
  clock: Clock = systemClock,
): Promise<ProjectConnection> {
  const { folder, database: path } = storeOf(projectFolder(options.project));
  const read = attempt(() => loadRuntimeConfig(options).config);
  const client = await connectControlSocket({ folder, clock });
  if (client) return throughSocket(client, { path, config: read.ok ? read.value : shippedConfig() });
  if (!read.ok) throw fromFailure(read.failure);
  return readOnly({ path, config: read.value });
}

function shippedConfig(): Config {
  return loadConfig({ systemDir: SYSTEM_DIR }).config;
}

type Stored = { readonly path: string; readonly config: Config };

function throughSocket(client: ControlSocketClient, stored: Stored): ProjectConnection {
  const onlooker = openLate(stored, () => true);
  const orchestrator = createOrchestrator(askOrRead(client, () => onlooker.reader(), stored.config));
  // What is asked is stored: a runtime that does not answer keeps nobody from reading it.
  const approvals = createApprovals({
    call: async (name, input) =>
      READS.has(name)
        ? createApprovalDesk({ reader: onlooker.reader() }).call(name, input)
        : client.ask(name, input, { deadlineMs: SLOW_MS, changes: true }),
  });
  const close = (): void => {
    onlooker.close();
    client.close();
  };
  return {
    isRun: true,
    get isOpen() {
      return client.isOpen;
    },
    orchestrator,
    approvals,
    words: (question) => askForWords(client, question),
    get window() {
      return onlooker.window();
    },
    close,
    [Symbol.dispose]: close,
  };
}

/** What no database says: how busy a runtime is, the state of a machine, and when a thread will have ended. */
const LIVE: ReadonlySet<OperationName> = new Set(['view_runtime', 'inspect_thread', 'wait_threads']);

/** Asks the runtime. While it does not answer, what is stored is read as it stands: a runtime that was stopped hides nothing. */
function askOrRead(client: ControlSocketClient, reader: () => StoreReader, config: Config): CallOperation {
  const { waitTimeoutSeconds } = config.resilience.coordination;
  return async (name, input) => {
    const { changes } = OPERATIONS[name];
    const deadlineMs = longestMs(name, input, waitTimeoutSeconds);
    const ask = (): ReturnType<CallOperation> => client.call(name, input, { deadlineMs, changes });
    if (changes || LIVE.has(name)) return ask();
    const answer = client.isSilent ? undefined : await answerOrNone(ask(), LATE);
    return (
      answer ?? createOperations(restingThreads({ reader: reader(), config, isRun: () => true })).call(name, input)
    );
  };
}

const LATE: ReadonlySet<SkeinErrorCode> = new Set<SkeinErrorCode>(['deadline_exceeded']);

const READS: ReadonlySet<string> = new Set<ApprovalOperation>(['list_approvals', 'get_approval']);

/** How long words are waited for: they are told again when the thread is in the log. */
const WORDS_MS = 1_000;

/** Where there is no answer, what was told of one before still stands: nothing follows it yet. */
async function askForWords(client: ControlSocketClient, question: WordsQuestion): Promise<Words> {
  const told = await answerOrNone(client.ask(READ_WORDS, question, { deadlineMs: WORDS_MS }));
  const { answer = 0, after = 0 } = question;
  return told === undefined ? { answer, from: after, text: '' } : wordsSchema.parse(told);
}

type Onlooker = {
  readonly isOpen: boolean;
  reader(): StoreReader;
  window(): ProjectWindow;
  close(): void;
};

/** Whoever only acts needs no connections to the database. What is asked of it after its end is refused with `runtime_closed`. */
function openLate({ path, config }: Stored, isRun: RestingSources['isRun']): Onlooker {
  let read: StoreReader | undefined;
  let opened: OpenWindow | undefined;
  let isClosed = false;
  const reader = (): StoreReader => {
    if (isClosed) throw new SkeinError('runtime_closed', 'The connection to the project is closed');
    return (read ??= openReader(path));
  };
  return {
    get isOpen() {
      return !isClosed;
    },
    reader,
    window() {
      const from = reader();
      return (opened ??= openProjectWindow(from, { path, config, isRun })).window;
    },
    close() {
      isClosed = true;
      opened?.close();
      if (!opened) read?.close();
    },
  };
}

function readOnly({ path, config }: Stored): ProjectConnection {
  const isRun = (): boolean => lockHolder(dirname(path)) !== undefined;
  const wasRun = isRun();
  const isEmpty = isUntouched(path);
  const onlooker = openLate({ path, config }, isRun);
  const reader = (): StoreReader => (isEmpty && onlooker.isOpen ? NOTHING_STORED : onlooker.reader());
  // Opened at once: what can't be read is told to whoever connects.
  reader();
  return {
    isRun: false,
    get isOpen() {
      return onlooker.isOpen && isRun() === wasRun && (!isEmpty || isUntouched(path));
    },
    orchestrator: createOrchestrator(async (name, input) =>
      createOperations(restingThreads({ reader: reader(), config, isRun })).call(name, input),
    ),
    approvals: createApprovals({
      call: async (name, input) => createApprovalDesk({ reader: reader() }).call(name, input),
    }),
    words: async () => SILENCE,
    get window() {
      return onlooker.window();
    },
    close: () => onlooker.close(),
    [Symbol.dispose]: () => onlooker.close(),
  };
}

type OpenWindow = { readonly window: ProjectWindow; readonly close: () => void };

/** Closes the reader with it. */
function openProjectWindow(
  reader: StoreReader,
  { path, config, isRun }: Stored & Pick<RestingSources, 'isRun'>,
): OpenWindow {
  const window = openWindow(path);
  const threads = restingThreads({ reader, config, isRun });
  return {
    window: createProjectWindow({ reader, window, threads, config, clock: systemClock }),
    close() {
      window.close();
      reader.close();
    },
  };
}

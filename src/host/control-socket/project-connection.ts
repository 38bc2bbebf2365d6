import { dirname, join } from 'node:path';
import type { Config } from '../../config/config.ts';
import { SYSTEM_DIR } from '../../config/default-places.ts';
import { loadConfig } from '../../config/load.ts';
import { systemClock } from '../../core/clock.ts';
import { fromFailure, SkeinError } from '../../core/errors.ts';
import { attempt } from '../../core/result.ts';
import type { StoreReader } from '../../core/store.ts';
import { READ_WORDS, SILENCE, wordsSchema, type Words, type WordsQuestion } from '../../core/words.ts';
import { lockHolder } from '../../store/lock.ts';
import { openReader } from '../../store/reader.ts';
import { isUntouched, NOTHING_STORED } from '../../store/untouched.ts';
import { openWindow } from '../../store/window.ts';
import { createApprovalDesk } from '../approvals/approval-desk.ts';
import { createApprovals, type Approvals } from '../approvals/approvals.ts';
import { deadlineOf, SLOW_MS } from './deadlines.ts';
import { connectControlSocket, type ControlSocketClient } from './control-socket-client.ts';
import { createOperations } from '../operations/dispatcher.ts';
import { createOrchestrator, type Orchestrator } from '../operations/orchestrator.ts';
import { restingThreads } from '../operations/resting-threads.ts';
import { loadRuntimeConfig, projectFolder, type StartOptions } from '../config/runtime-config.ts';
import type { RuntimeOptions } from '../runtime-options.ts';
import { createProjectWindow, type ProjectWindow } from '../window/project-window.ts';

/** Settings of `connectProject`; they mean what they mean for a runtime. */
export type ProjectOptions = Pick<RuntimeOptions, 'project' | 'userSpace' | 'env'>;

/** A project's threads, reached from outside of its runtime. */
export interface ProjectConnection extends Disposable {
  /** Whether a runtime answers; if not, the stored database is read, and changes are refused with `runtime_closed`. */
  readonly isRun: boolean;
  /**
   * False once the runtime has closed the connection, for being idle or since it has ended, or once there is a database where
   * there was none: connect again.
   */
  readonly isOpen: boolean;
  readonly orchestrator: Orchestrator;
  /** Threads, logs and money as they are stored, for whoever looks on. @throws SkeinError `store_failed`: nothing has run yet */
  readonly window: ProjectWindow;
  /** What threads ask of people, and the way to answer. */
  readonly approvals: Approvals;
  /**
   * What a thread's model says while it says it; whoever asks again and again gets what has come since. Nothing where the
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
): Promise<ProjectConnection> {
  const folder = join(projectFolder(options.project ?? '.'), '.ai', 'threads');
  const path = join(folder, 'threads.db');
  const read = attempt(() => loadRuntimeConfig(options).config);
  const client = await connectControlSocket({ folder });
  if (client) return throughSocket(client, { path, config: read.ok ? read.value : shippedConfig() });
  if (!read.ok) throw fromFailure(read.failure);
  return readOnly({ path, config: read.value });
}

function shippedConfig(): Config {
  return loadConfig({ systemDir: SYSTEM_DIR }).config;
}

type Stored = { readonly path: string; readonly config: Config };

function throughSocket(client: ControlSocketClient, stored: Stored): ProjectConnection {
  const { waitTimeoutSeconds } = stored.config.resilience.coordination;
  const orchestrator = createOrchestrator((name, input) =>
    client.call(name, input, { deadlineMs: deadlineOf(name, input, waitTimeoutSeconds) }),
  );
  const approvals = createApprovals({ call: (name, input) => client.ask(name, input, { deadlineMs: SLOW_MS }) });
  const onlooker = openLate(stored);
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

/** How long words are waited for: they are told again when the thread is in the log. */
const WORDS_MS = 1_000;

const NOT_NOW: ReadonlySet<unknown> = new Set(['deadline_exceeded', 'runtime_closed']);

async function askForWords(client: ControlSocketClient, question: WordsQuestion): Promise<Words> {
  try {
    return wordsSchema.parse(await client.ask(READ_WORDS, question, { deadlineMs: WORDS_MS }));
  } catch (thrown) {
    if (thrown instanceof SkeinError && NOT_NOW.has(thrown.code)) return SILENCE;
    throw thrown;
  }
}

/** Whoever only acts needs no connections to the database. */
function openLate({ path, config }: Stored): { window(): ProjectWindow; close(): void } {
  let opened: OpenWindow | undefined;
  return {
    window: () => (opened ??= openProjectWindow(openReader(path), { path, config, isRun: true })).window,
    close: () => opened?.close(),
  };
}

function readOnly({ path, config }: Stored): ProjectConnection {
  const isRun = lockHolder(dirname(path)) !== undefined;
  const isEmpty = isUntouched(path);
  const reader = isEmpty ? NOTHING_STORED : openReader(path);
  const operations = createOperations(restingThreads({ reader, config, isRun }));
  const orchestrator = createOrchestrator((name, input) => operations.call(name, input));
  const approvals = createApprovals(createApprovalDesk({ reader }));
  let opened: OpenWindow | undefined;
  const close = (): void => {
    opened?.close();
    if (!opened) reader.close();
  };
  return {
    isRun: false,
    get isOpen() {
      return !isEmpty || isUntouched(path);
    },
    orchestrator,
    approvals,
    words: async () => SILENCE,
    get window() {
      return (opened ??= openProjectWindow(isEmpty ? openReader(path) : reader, { path, config, isRun })).window;
    },
    close,
    [Symbol.dispose]: close,
  };
}

type OpenWindow = { readonly window: ProjectWindow; readonly close: () => void };

/** Closes the reader with it. */
function openProjectWindow(
  reader: StoreReader,
  { path, config, isRun }: Stored & { readonly isRun: boolean },
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

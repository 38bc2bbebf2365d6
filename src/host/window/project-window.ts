import type { Config } from '../../config/config.ts';
import type { Clock } from '../../core/clock.ts';
import { readEnding, type Ending } from '../../core/ending.ts';
import type { ThreadId } from '../../core/ids.ts';
import { nanoToUsd } from '../../core/money.ts';
import type { LedgerRow, StoreReader, ThreadRow } from '../../core/store.ts';
import type { WindowPlace } from '../../core/window-place.ts';
import type { CountedThread, StoreWindow } from '../../store/window.ts';
import type { ThreadSources } from '../operations/operation.ts';
import { followWindow, type Follower, type Shown } from './follow.ts';
import { takeTally, type Tally } from './tally.ts';
import { readEvent, readLogPage, type LogPageOptions, type WindowEvent, type WindowLog } from './window-log.ts';
import { readSpec, type WindowSpec } from './window-spec.ts';
import { searchLogs, type WindowFound, type WindowQuery } from './window-search.ts';
import {
  readLevel,
  readLine,
  readThreads,
  requireRow,
  toWindowThread,
  type LevelOptions,
  type WindowPage,
  type WindowThread,
} from './window-threads.ts';

/** An account of the budget tree, in USD. */
export type WindowAccount = {
  readonly id: ThreadId;
  readonly directive: string;
  readonly max: number;
  /** For model calls in flight, by hooks, and for children beyond what they have spent. */
  readonly reserved: number;
  /** With everything below it. */
  readonly spent: number;
  readonly remaining: number;
  readonly status: LedgerRow['status'];
};

/**
 * A project's threads as whoever looks on sees them: read from what is stored, through connections of its own. The runtime is
 * asked nothing and sends nothing, so that no number of onlookers slows a thread. What is not stored yet is not seen.
 * Methods throw `thread_not_found` for an unknown id, but for `follow`: what is not there is left out of what it follows.
 */
export interface ProjectWindow {
  thread(id: string): WindowThread;
  /** Roots (no parent), or children of a thread. */
  level(parent: string | undefined, options: LevelOptions): WindowPage;
  /** All threads that are not archived, newest first. */
  threads(options: LevelOptions): WindowPage;
  /** Those above it, root first, and itself. */
  line(id: string): readonly WindowThread[];
  /** Predecessors, itself and successors. */
  chain(id: string): readonly WindowThread[];
  /** The accounts above it, root first, and its own. */
  accounts(id: string): readonly WindowAccount[];
  spec(id: string): WindowSpec;
  /** Undefined: it has not ended. */
  ending(id: string): Ending | undefined;
  /** Counts, slice by slice. */
  tally(of: 'all' | 'roots' | { readonly parent: string }): Promise<Tally>;
  log(id: string, options: LogPageOptions): Promise<WindowLog>;
  /** @throws SkeinError `invalid_argument`: no such event */
  event(id: string, sequence: number): Promise<WindowEvent>;
  search(query: WindowQuery): Promise<WindowFound>;
  /** How many questions wait for a person, up to 1,000. */
  pendingApprovals(): number;
  /** Another number whenever something has been stored. */
  version(): number;
  /** Follows what changes of what is shown, from a place on (see {@link Follower.upTo}); default: from now on. */
  follow(shown: Shown, since?: WindowPlace): Follower;
}

/** What a window is opened on. */
export type WindowSources = {
  readonly reader: StoreReader;
  readonly window: StoreWindow;
  readonly threads: ThreadSources;
  readonly config: Config;
  readonly clock: Pick<Clock, 'stopwatch'>;
};

/** Questions are counted up to here. */
const MOST_APPROVALS = 1_000;

/** Makes the window of a stored project. */
export function createProjectWindow(sources: WindowSources): ProjectWindow {
  const { reader } = sources;
  const show = (row: ThreadRow): WindowThread => toWindowThread(row, sources);
  const find = (id: string): ThreadRow => requireRow(reader, id);
  return {
    thread: (id) => show(find(id)),
    level: (parent, options) => readLevel(parent, options, sources),
    threads: (options) => readThreads(options, sources),
    line: (id) => readLine(id, sources).map(show),
    chain: (id) => reader.chain(find(id).thread).map(show),
    accounts: (id) =>
      readLine(id, sources).flatMap((row) => {
        const account = reader.ledger(row.thread);
        return account ? [toAccount(row, account)] : [];
      }),
    spec: (id) => readSpec(reader, find(id).thread),
    ending: (id) => readEnding(find(id).ending),
    async tally(of) {
      const counted: CountedThread = typeof of === 'string' ? of : { parent: find(of.parent).thread };
      return takeTally(counted, sources);
    },
    log: async (id, options) => readLogPage(find(id), options, sources),
    event: async (id, sequence) => readEvent(find(id), sequence, sources),
    search: async (query) => searchLogs(query, sources),
    pendingApprovals: () => reader.approvals({ status: 'pending', limit: MOST_APPROVALS }).length,
    version: () => sources.window.version(),
    follow: (shown, since) => followWindow(shown, sources, since),
  };
}

function toAccount({ threadId, directive }: ThreadRow, { max, actual, committed, status }: LedgerRow): WindowAccount {
  return {
    id: threadId,
    directive,
    max: nanoToUsd(max),
    reserved: nanoToUsd(committed - actual),
    spent: nanoToUsd(actual),
    remaining: nanoToUsd(max - committed),
    status,
  };
}

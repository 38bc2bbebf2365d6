import type { Config } from '../../config/config.ts';
import type { ThreadStatus } from '../../core/ending.ts';
import type { SkeinErrorCode } from '../../core/errors.ts';
import type { SuspendReason } from '../../core/events.ts';
import type { ThreadNo } from '../../core/ids.ts';
import type { Cost, LimitOverrides } from '../../core/limits.ts';
import type { OperationAnswer, OperationName, OperationRefusal, ParsedInput } from '../../core/operations.ts';
import type { Result } from '../../core/result.ts';
import type { StoreReader, ThreadRow } from '../../core/store.ts';
import { threadNotFound } from '../../core/thread-not-found.ts';
import type { ForkOptions } from '../project/fork-options.ts';
import type { News } from '../handle/news.ts';
import type { ThreadEntry } from '../rest/thread-table.ts';
import type { RuntimeView } from '../runtime.ts';
import type { OngoingWait, WaitAnswer, WaitOrder } from '../waits/waits.ts';

/** How a thread stands now. */
export type Standing = {
  readonly status: ThreadStatus;
  readonly suspendReason: SuspendReason | undefined;
  readonly cost: Cost;
};

/** A wait for several threads and those that take over from them. */
export type FollowingOrder = {
  readonly threadIds: readonly string[];
  /** Milliseconds for all of them together; undefined = no deadline. */
  readonly timeoutMs: number | undefined;
  /** As for a wait for threads without successors. */
  readonly until: WaitOrder['until'];
  /** Whether the caller may know of a thread; of others it hears that they are not found. */
  isVisible(id: string): boolean;
  done(answer: WaitAnswer): void;
};

/** What operations work on: a running host, or a stored database that nobody runs. */
export interface ThreadSources {
  readonly reader: StoreReader;
  readonly config: Config;
  standing(row: ThreadRow): Standing;
  /** What the rows of threads say that stand like this now. */
  storedAs(status: readonly ThreadStatus[]): readonly ThreadStatus[];
  /** Numbers of those in memory that stand like this, whatever their rows say. */
  inMemory(status: readonly ThreadStatus[]): Iterable<ThreadNo>;
  /** What is queued or runs: below a thread, or all of it. */
  active(below: ThreadNo | undefined): Promise<Iterable<ThreadNo>>;
  wait(order: FollowingOrder): OngoingWait;
  /** What happens to a thread from now on. */
  news(row: ThreadRow): News;
  view(): Promise<RuntimeView>;
  /** What carries out changes; undefined: no runtime does. */
  readonly runtime: RunningThreads | undefined;
}

/** How a thread is to go on. */
export type Resuming = { readonly message: string | undefined; readonly limits: LimitOverrides | undefined };

/** What a running host does with threads. */
export interface RunningThreads {
  /** The entry of a stored thread. */
  entry(row: ThreadRow): ThreadEntry;
  cancel(entry: ThreadEntry, reason: string): void;
  /** Cancels threads with everything below them; resolves, once all have been told, to how many had not ended. */
  kill(entries: readonly ThreadEntry[], reason: string): Promise<number>;
  /** Threads at or below this one that have not ended. */
  live(entry: ThreadEntry): readonly ThreadEntry[];
  /** Those of them that are being cancelled. */
  beingCancelled(entry: ThreadEntry): readonly ThreadEntry[];
  /** Resolves once these have ended; to what keeps that from happening. */
  ended(entries: readonly ThreadEntry[]): Promise<OperationRefusal | undefined>;
  /** Asks the thread to stop at its next step; resolves once it rests, or after a second. */
  suspend(entry: ThreadEntry): Promise<Result<ThreadEntry>>;
  /** The state of its machine; undefined: it is in no worker. */
  machineState(row: ThreadRow): Promise<string | undefined>;
  /** To the thread that goes on: another one if this one has ended. */
  resume(entry: ThreadEntry, how: Resuming): Promise<Result<ThreadEntry>>;
  /** To a new thread that goes on from an event of this one. */
  fork(row: ThreadRow, fork: ForkOptions): Promise<Result<ThreadEntry>>;
  /** To the successor if somebody waits for it. */
  handOver(entry: ThreadEntry, how: { readonly wait: boolean }): Promise<Result<ThreadEntry | undefined>>;
}

/** One call of an operation. */
export type OperationCall<Name extends OperationName = OperationName> = {
  readonly input: ParsedInput<Name>;
  /** The thread that asks; undefined: the embedder, a person, or a model that is no thread. */
  readonly caller: ThreadNo | undefined;
  /** Whether it is a model that asks, in a thread or outside of any. */
  readonly isModel: boolean;
  /** Aborted when nobody waits for the answer any more. */
  readonly signal: AbortSignal | undefined;
  readonly sources: ThreadSources;
  /** A thread by its id, if the caller may name it. */
  readonly find: (id: string) => ThreadRow | undefined;
};

/** Carries out an operation; expected refusals are answers. @throws SkeinError for what nobody expects */
export type Operation<Name extends OperationName> = (
  call: OperationCall<Name>,
) => OperationAnswer<Name> | Promise<OperationAnswer<Name>>;

/** An answer that says why an operation was not carried out. */
export function refused(code: SkeinErrorCode, error: string): OperationRefusal {
  return { success: false, error, code };
}

/** The answer for a thread that there is not, or that the caller may not name. */
export function notFound(id: string): OperationRefusal {
  const { code, message } = threadNotFound(id);
  return refused(code, message);
}

/** An operation about one thread: whoever names another than one it may is told that there is none. */
export function onThread<Name extends OperationName>(
  run: (row: ThreadRow, call: OperationCall<Name>) => OperationAnswer<Name> | Promise<OperationAnswer<Name>>,
): (call: OperationCall<Name> & { readonly input: { readonly thread_id: string } }) => ReturnType<Operation<Name>> {
  return (call) => {
    const { thread_id: id } = call.input;
    const row = call.find(id);
    return row ? run(row, call) : notFound(id);
  };
}

import type { ThreadStatus } from '../core/ending.ts';
import type { Failure } from '../core/errors.ts';
import type { EventOf, EventType, SuspendReason, ThreadEvent } from '../core/events.ts';
import type { ThreadId } from '../core/ids.ts';
import type { RuntimeApprovals } from './approvals/approvals-runtime.ts';
import type { ForkOptions } from './project/fork-options.ts';
import type { HostHook } from './workers/host-functions.ts';
import type { Inspector } from './inspection/inspector.ts';
import type { RuntimeOrchestrator } from './operations/orchestrator.ts';
import type { SpawnOptions, ToolRegistration } from './runtime-options.ts';
import type { ThreadEnding, ThreadHandle, Usage } from './handle/thread-handle.ts';

/**
 * Events of a runtime: every thread event under its own name, `event` for all of them, `problem` for what ends no
 * thread, `config` once another configuration is in force.
 */
export type RuntimeEvents = { [Type in EventType]: (event: EventOf<Type>) => void } & {
  readonly event: (event: ThreadEvent) => void;
  readonly problem: (failure: Failure) => void;
  readonly config: (reload: ConfigReload) => void;
};

/** Which config files say something else now, by name: `resilience.yaml`. Empty if none does. */
export type ConfigReload = { readonly changed: readonly string[] };

/** A thread in a list. */
export type ListedThread = {
  readonly id: ThreadId;
  readonly directive: string;
  readonly model: string;
  readonly status: ThreadStatus;
  readonly usage: Usage;
  /** Milliseconds since the epoch. */
  readonly createdAtMs: number;
};

/** Which threads are listed; newest first. */
export type ListFilter = {
  readonly status?: readonly ThreadStatus[] | undefined;
  readonly parent?: string | undefined;
  readonly directive?: string | undefined;
  /** Default 100. */
  readonly limit?: number | undefined;
};

/** How a thread stood at the end of a wait, in the order asked. */
export type WaitResult = {
  readonly id: ThreadId;
  /**
   * How it ended, or `suspended`, also when the runtime stopped first. Of one that is not there yet: `timeout` when the
   * deadline passed, `running` when the wait was over without it. `not_found`: no thread of this project.
   */
  readonly status: ThreadEnding['status'] | 'running' | 'timeout' | 'not_found';
  readonly ending: ThreadEnding | undefined;
  /** What one has used so far that is suspended, or, for the first 250 of those, was not there in time. */
  readonly cost?: Usage;
  /** Why it is suspended, if it is. */
  readonly suspendReason?: SuspendReason;
  /** The last of those that took over from it, if any did: status and ending are theirs. */
  readonly continuedAs?: ThreadId;
};

/** What a worker has counted since its start, of live and ended threads. */
export type WorkerView = {
  /** From 0. No two workers of a runtime ever have the same: one that replaces another counts from 0 again, under a new number. */
  readonly number: number;
  readonly threads: number;
  /** Threads by machine state, e.g. `running.calling`. */
  readonly states: Readonly<Record<string, number>>;
  readonly turns: number;
  /** USD. */
  readonly spend: number;
  /** Of all calls, and what of that came from the caches of providers. */
  readonly inputTokens: number;
  readonly cacheReadTokens: number;
  readonly events: number;
  /** Events whose payload did not fit `events.yaml`, by type; none are looked for with `validateEvents: 'off'`. */
  readonly invalidEvents: Readonly<Record<string, number>>;
  readonly openQuestions: number;
};

/**
 * What a runtime is doing. A worker that does not answer within five seconds is not among the workers: `number` says which ones
 * are.
 */
export type RuntimeView = {
  readonly running: number;
  readonly queued: number;
  readonly workers: readonly WorkerView[];
};

/**
 * A running Skein: threads, their budgets and their log, for one project. Close it, or hold it with `await using`.
 */
export interface Runtime extends AsyncDisposable {
  /**
   * Starts a thread on a directive. Resolves once it is admitted; from then on it survives this process.
   *
   * @throws SkeinError `item_not_found`, `missing_input`, `invalid_item`, `invalid_argument`, `budget_refused`,
   * `runtime_closed` …; with a `parent` also `thread_not_found`, `thread_ended`, `spawns_exceeded`, `depth_exceeded`,
   * `permission_denied`: it is not granted the directive
   */
  spawn<Outputs = Readonly<Record<string, unknown>>>(
    directive: string,
    inputs?: Readonly<Record<string, unknown>>,
    options?: SpawnOptions<Outputs>,
  ): Promise<ThreadHandle<Outputs>>;
  /**
   * Starts a thread that has the conversation of another one up to an event, and goes on from there (ADR 42): a root with an
   * id and an account of its own. What the other one's tools did is not done again; a call that had no result by then has an
   * error in its place. The prompt is made anew, with other inputs if they are given.
   *
   * @throws SkeinError `thread_not_found`; `invalid_argument`: its log has no such event, or a limit is none; else as `spawn`
   */
  fork(id: string, options: ForkOptions): Promise<ThreadHandle>;
  /**
   * The handle of a thread of this project, also of one that an earlier runtime left.
   *
   * @throws SkeinError `thread_not_found`, `invalid_argument`
   */
  thread(id: string): ThreadHandle;
  /**
   * Waits until all have ended or are suspended, but for what the end of a runtime has interrupted and this one takes up; with
   * `failFast` until one has failed. `timeoutMs`: one deadline for all of them, in milliseconds; without it there is none.
   * Results in the order asked; an unknown id is `not_found`, no error.
   *
   * @throws SkeinError `runtime_closed`, `invalid_argument`; `store_failed`, `store_corrupt`: a thread can't be read
   */
  waitAll(
    ids: readonly string[],
    options?: { readonly timeoutMs?: number | undefined; readonly failFast?: boolean | undefined },
  ): Promise<readonly WaitResult[]>;
  /** Waits until the first has ended or is suspended; the rest is as in `waitAll`: the others are `running`. */
  waitFirst(
    ids: readonly string[],
    options?: { readonly timeoutMs?: number | undefined },
  ): Promise<readonly WaitResult[]>;
  /** The operations on threads that models and people have as well. */
  readonly orchestrator: RuntimeOrchestrator;
  /** What threads ask of people, and the way to answer. */
  readonly approvals: RuntimeApprovals;
  /** The way into its machines; undefined if it was started without `inspect`. */
  readonly inspector: Inspector | undefined;
  /** Threads of this project, whoever started them, newest first. @throws SkeinError `invalid_argument`, `runtime_closed` */
  list(filter?: ListFilter): readonly ListedThread[];
  /**
   * Listens; returns the way to stop. A listener that throws, or whose promise rejects, harms nobody: it is reported as
   * `problem`. Problems that come before anybody listens to them, of which the first 100 are kept, are told the first who does:
   * also what there is to say of the config files that the runtime has started with.
   *
   * @throws SkeinError `invalid_argument`: no name, or nothing to call
   */
  on<Type extends keyof RuntimeEvents>(type: Type, listener: NoInfer<RuntimeEvents[Type]>): () => void;
  /**
   * Adds a tool for threads whose directive allows it. Resolves once every worker has it.
   *
   * @throws SkeinError `invalid_argument`: its id, schema or module can't be used; `runtime_closed`; `deadline_exceeded`: a
   * worker stands still
   */
  registerTool<Input = Readonly<Record<string, unknown>>>(tool: ToolRegistration<Input>): Promise<void>;
  /** Registers a function that hooks call with `action: {function: name}`. @throws SkeinError `invalid_argument` */
  registerHook(name: string, hook: HostHook): void;
  /** How busy it is: threads that hold a slot, threads in line, and what its workers say. @throws `runtime_closed` */
  view(): Promise<RuntimeView>;
  /**
   * Forgets the configuration and reads its files again (S2 §7.7). Resolves when what they say is in force: for threads
   * that start or are read back from now on, and for the host's own decisions. Threads that run keep what they started
   * with.
   *
   * @throws SkeinError `invalid_config`, `not_available` with file and path; `runtime_closed`; `deadline_exceeded`,
   * `worker_lost`: the worker that reads them does not answer. The configuration then stays as it is
   */
  reloadConfig(): Promise<ConfigReload>;
  /**
   * Lets running threads, and the hooks after their end, finish for `graceMs` (milliseconds, default 2,000), suspends the
   * rest, and stops. A second call may shorten the time, not lengthen it. What does not stop is told as a `problem`.
   *
   * @throws SkeinError `invalid_argument`: it goes on then
   */
  close(options?: { readonly graceMs?: number | undefined }): Promise<void>;
}

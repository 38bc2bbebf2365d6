import type { ThreadStatus } from '../../core/ending.ts';
import type {
  OperationAnswer,
  OperationInput,
  OperationName,
  OperationRefusal,
  OperationResult,
} from '../../core/operations.ts';
import type { LimitOverrides, SpelledLimits } from '../../core/limits.ts';
import { isRecord } from '../../core/record.ts';
import type { ForkOptions } from '../project/fork-options.ts';
import { checkMilliseconds } from '../handle/argument-types.ts';
import { checkOptionNames } from '../handle/option-names.ts';
import { checkPlain } from '../handle/plain-data.ts';
import { camelKeys, type Camel } from './camel-keys.ts';

/** What an operation answers, in camelCase: its result, or why it was refused. `spend` is in USD. */
export type OrchestratorAnswer<Name extends OperationName> = Camel<OperationResult<Name>> | OperationRefusal;

/**
 * The operations on threads, as models and people have them (S2 §6.11 and contracts). An unknown id is an answer:
 * `{success: false, error, code: 'thread_not_found'}`; bad input throws `invalid_argument`.
 */
export interface Orchestrator {
  /** One deadline for all of them (default `coordination.wait_timeout_seconds`); results in the order asked. */
  waitThreads(ids: readonly string[], options?: { readonly timeoutMs?: number | undefined }): Answered<'wait_threads'>;
  /** Ends a thread, and its subtree as the child policy says. Resolves when its ending is on disk. */
  cancelThread(id: string): Answered<'cancel_thread'>;
  /** Ends a thread with its whole subtree, whatever the child policy says. Resolves when all endings are on disk. */
  killThread(id: string): Answered<'kill_thread'>;
  getStatus(id: string): Answered<'get_status'>;
  /** What is queued or runs. */
  listActive(): Answered<'list_active'>;
  /**
   * Threads of the project, newest first; archived ones only with `archived`. `limit`: default 100, at most 1,000; `next` of one
   * page is the `after` of the next.
   */
  listThreads(filter?: {
    readonly status?: readonly ThreadStatus[] | undefined;
    readonly directive?: string | undefined;
    readonly limit?: number | undefined;
    readonly after?: string | undefined;
    readonly archived?: boolean | undefined;
  }): Answered<'list_threads'>;
  /** Children, oldest first; `next` of one page is the `after` of the next. `limit`: default 100, at most 1,000. */
  listChildren(
    id: string,
    page?: { readonly limit?: number | undefined; readonly after?: string | undefined },
  ): Answered<'list_children'>;
  /**
   * Goes on with a suspended thread, with other limits if given; one that has ended goes on as another one, whose id is in
   * the answer.
   */
  resumeThread(
    id: string,
    message?: string,
    options?: { readonly limits?: LimitOverrides | undefined },
  ): Answered<'resume_thread'>;
  /** Has a thread stop at its next step; resolves when it rests, or after a second. */
  suspendThread(id: string): Answered<'suspend_thread'>;
  /** Begins another thread with what this one had said and heard up to the event `at`; see `runtime.fork`. */
  forkThread(id: string, fork: ForkOptions): Answered<'fork_thread'>;
  /** Has a successor take over at the thread's next step; resolves when it has. */
  handoffThread(id: string): Answered<'handoff_thread'>;
  /** Predecessors and successors, in order. */
  getChain(id: string): Answered<'get_chain'>;
  /** Finds a text in the transcripts of a chain. `limit`: default 20, at most 100. */
  chainSearch(id: string, query: string, options?: { readonly limit?: number | undefined }): Answered<'chain_search'>;
  /** The last events: `tail` of them (default 50, at most 1,000), within `maxBytes` (default 64 KiB, at most 1 MiB). */
  readTranscript(id: string, options?: TranscriptOptions): Answered<'read_transcript'>;
  /** A thread's log in order and whole, in pages: `last` of one is the `after` of the next. `waitMs`: until there is more. */
  readEvents(id: string, options?: EventsOptions): Answered<'read_events'>;
  /** The state of a thread's machine; none of a thread that is in no worker. */
  inspectThread(id: string): Answered<'inspect_thread'>;
  /** How busy the runtime is, with the workers that answer within five seconds; all zero where none holds the project. */
  viewRuntime(): Answered<'view_runtime'>;
  /** Results and cost in the order asked, and the cost of all together. */
  aggregateResults(ids: readonly string[]): Answered<'aggregate_results'>;
  /** An operation by its name, with input and result as they are on the wire. */
  call<Name extends OperationName>(name: Name, input: OperationInput<Name>): Promise<OperationAnswer<Name>>;
}

/** The operations on the threads of a running runtime. */
export interface RuntimeOrchestrator extends Orchestrator {
  /**
   * As `call`, for a model that is no thread of this runtime: like one that is, it can't have a thread go on that was
   * cancelled or denied, or that a person has to decide about (ADR 19), and forks none (ADR 42).
   */
  callForModel: Orchestrator['call'];
}

type Answered<Name extends OperationName> = Promise<OrchestratorAnswer<Name>>;

/** What is read of a transcript. */
export type TranscriptOptions = {
  readonly tail?: number | undefined;
  /** Names of events; default: all. */
  readonly types?: readonly string[] | undefined;
  readonly maxBytes?: number | undefined;
};

/** What is read of a log. */
export type EventsOptions = {
  /** Sequence number; default 0. */
  readonly after?: number | undefined;
  /** Names of events; default: all. */
  readonly types?: readonly string[] | undefined;
  /** Default 256 KiB, at most 1 MiB; a longer event comes alone. */
  readonly maxBytes?: number | undefined;
  /** Milliseconds, at most 20,000; default 0. */
  readonly waitMs?: number | undefined;
};

/** Carries out an operation by its name. */
export type CallOperation = (name: OperationName, input: unknown) => Promise<OperationAnswer<OperationName>>;

const THREAD_FILTER = { status: true, directive: true, limit: true, after: true, archived: true } as const;

/** Makes the typed face of the operations over whatever carries them out. */
export function createOrchestrator(carryOut: CallOperation): Orchestrator {
  // What carries it out answers by the definition of the name.
  const call: Orchestrator['call'] = async <Name extends OperationName>(name: Name, input: OperationInput<Name>) =>
    (await carryOut(name, input)) as OperationAnswer<Name>;
  const ask = async <Name extends OperationName>(name: Name, input: OperationInput<Name>): Answered<Name> =>
    camelKeys(await call(name, input));
  return {
    call,
    async waitThreads(ids, options = {}) {
      checkOptionNames('waitThreads', options, { timeoutMs: true });
      const { timeoutMs } = options;
      return ask('wait_threads', { thread_ids: list(ids), timeout: seconds('timeoutMs of waitThreads', timeoutMs) });
    },
    cancelThread: (id) => ask('cancel_thread', { thread_id: id }),
    killThread: (id) => ask('kill_thread', { thread_id: id }),
    getStatus: (id) => ask('get_status', { thread_id: id }),
    listActive: () => ask('list_active', {}),
    async listThreads(filter = {}) {
      checkOptionNames('listThreads', filter, THREAD_FILTER);
      const { status, directive, limit, after, archived } = filter;
      return ask('list_threads', { status: status && list(status), directive, limit, after, archived });
    },
    async listChildren(id, page = {}) {
      checkOptionNames('listChildren', page, { limit: true, after: true });
      const { limit, after } = page;
      return ask('list_children', { thread_id: id, limit, after });
    },
    async resumeThread(id, message, options = {}) {
      checkOptionNames('resumeThread', options, { limits: true });
      return ask('resume_thread', { thread_id: id, message, limits: written(options.limits) });
    },
    suspendThread: (id) => ask('suspend_thread', { thread_id: id }),
    async forkThread(id, fork) {
      checkOptionNames('forkThread', fork, { at: true, inputs: true, limits: true });
      const { at, inputs, limits } = fork;
      return ask('fork_thread', { thread_id: id, at, inputs, limits: written(limits) });
    },
    handoffThread: (id) => ask('handoff_thread', { thread_id: id }),
    getChain: (id) => ask('get_chain', { thread_id: id }),
    async chainSearch(id, query, options = {}) {
      checkOptionNames('chainSearch', options, { limit: true });
      return ask('chain_search', { thread_id: id, query, limit: options.limit });
    },
    async readTranscript(id, options = {}) {
      checkOptionNames('readTranscript', options, { tail: true, types: true, maxBytes: true });
      const { tail, types, maxBytes } = options;
      return ask('read_transcript', { thread_id: id, tail, types: types && list(types), max_bytes: maxBytes });
    },
    async readEvents(id, options = {}) {
      checkOptionNames('readEvents', options, { after: true, types: true, maxBytes: true, waitMs: true });
      const { after, types, maxBytes, waitMs } = options;
      const wait = seconds('waitMs of readEvents', waitMs);
      return ask('read_events', { thread_id: id, after, types: types && list(types), max_bytes: maxBytes, wait });
    },
    inspectThread: (id) => ask('inspect_thread', { thread_id: id }),
    viewRuntime: () => ask('view_runtime', {}),
    aggregateResults: (ids) => ask('aggregate_results', { thread_ids: list(ids) }),
  };
}

/** Anything may be divided, and be a number then. @throws SkeinError `invalid_argument` */
function seconds(what: string, milliseconds: number | undefined): number | undefined {
  checkMilliseconds(what, milliseconds);
  return milliseconds === undefined ? undefined : milliseconds / 1000;
}

/** A limit that is undefined is none, as in `spawn`; what are no limits is refused where it is parsed. */
function written(limits: LimitOverrides | undefined): Partial<SpelledLimits> | undefined {
  if (!isRecord(limits)) return limits;
  checkPlain('limits', limits);
  return Object.fromEntries(Object.entries(limits).filter(([, value]) => value !== undefined));
}

/** What callers without types give instead of a list is refused where it is parsed, as any other input. */
function list<Entry>(given: readonly Entry[]): Entry[] {
  // Nothing is changed in it.
  return given as Entry[];
}

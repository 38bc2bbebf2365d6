import { SkeinError } from '../../core/errors.ts';
import type { ThreadNo } from '../../core/ids.ts';
import {
  isOperation,
  OPERATIONS,
  type OperationAnswer,
  type OperationName,
  type ParsedInput,
} from '../../core/operations.ts';
import { faultLine } from '../../core/zod-fault.ts';
import { aggregateResults } from './aggregate-results.ts';
import { chainSearch } from './chain-search.ts';
import { cancelThread, killThread } from './end-threads.ts';
import { forkThread } from './fork-thread.ts';
import { getChain } from './get-chain.ts';
import { getStatus } from './get-status.ts';
import { inspectThread } from './inspect-thread.ts';
import { listActive, listChildren, listThreads } from './list-threads.ts';
import { refused, type Operation, type OperationCall, type ThreadSources } from './operation.ts';
import { isInReach } from './reach.ts';
import { readEvents } from './read-events.ts';
import { readTranscript } from './read-transcript.ts';
import { handoffThread } from './handoff-thread.ts';
import { resumeThread } from './resume-thread.ts';
import { suspendThread } from './suspend-thread.ts';
import { viewRuntime } from './view-runtime.ts';
import { waitThreads } from './wait-threads.ts';

/**
 * Who asks; nothing = the embedder or a person, who waits until it is answered. `isModel`: a model that is no thread, as an MCP
 * client is; it reaches what a person does, and decides nothing that a person has to.
 */
export type Asking = { readonly caller?: ThreadNo; readonly isModel?: true; readonly signal?: AbortSignal };

/** The operations on threads, whoever asks for them. */
export interface Operations {
  /**
   * Carries one out. What can be expected to be refused, e.g. an unknown thread, is an answer.
   *
   * @throws SkeinError `invalid_argument` for an unknown operation or an input that does not fit; `runtime_closed`;
   * `store_failed`
   */
  call(name: string, input: unknown, asking?: Asking): Promise<OperationAnswer<OperationName>>;
}

/** Every operation has its code here, by the name of its definition. */
const CODE: { readonly [Name in OperationName]: Operation<Name> } = {
  wait_threads: waitThreads,
  cancel_thread: cancelThread,
  kill_thread: killThread,
  get_status: getStatus,
  list_active: listActive,
  list_threads: listThreads,
  list_children: listChildren,
  resume_thread: resumeThread,
  suspend_thread: suspendThread,
  fork_thread: forkThread,
  handoff_thread: handoffThread,
  get_chain: getChain,
  chain_search: chainSearch,
  read_transcript: readTranscript,
  read_events: readEvents,
  inspect_thread: inspectThread,
  view_runtime: viewRuntime,
  aggregate_results: aggregateResults,
};

/** Makes the operations on a host's threads, or on those of a stored database. */
export function createOperations(sources: ThreadSources): Operations {
  return {
    async call(name, given, { caller, signal, isModel = caller !== undefined } = {}) {
      if (!isOperation(name)) throw unknownOperation(name);
      const { reach } = OPERATIONS[name];
      // What a thread may know of is below it.
      if (caller !== undefined && reach === 'none') return refused('not_available', `${name} is not for threads`);
      const find: OperationCall['find'] = (id) => {
        const row = sources.reader.thread(id);
        if (!row || caller === undefined) return row;
        return reach !== 'none' && isInReach(row, { caller, reach, reader: sources.reader }) ? row : undefined;
      };
      const call = { input: parseInput(name, given), caller, isModel, signal, sources, find };
      // Name, input and code belong together by the two tables.
      const run = CODE[name] as Operation<OperationName>;
      return run(call);
    },
  };
}

function parseInput(name: OperationName, given: unknown): ParsedInput<OperationName> {
  const parsed = OPERATIONS[name].input.safeParse(given);
  if (parsed.success) return parsed.data;
  throw new SkeinError('invalid_argument', `${name}: ${faultLine(parsed.error)}`);
}

function unknownOperation(name: string): SkeinError {
  const known = Object.keys(OPERATIONS).join(', ');
  return new SkeinError('invalid_argument', `There is no operation ${JSON.stringify(name)}; there are: ${known}`);
}

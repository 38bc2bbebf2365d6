import { z } from 'zod';
import { THREAD_STATUSES } from './ending.ts';
import { OPERATION_BOUNDS } from './operation-bounds.ts';

const { children, threads, hits, tail, transcript, page, news } = OPERATION_BOUNDS;
const id = z.string().max(OPERATION_BOUNDS.id);
const ids = z.array(id).max(OPERATION_BOUNDS.ids);
const upTo = ({ default: usual, max }: { readonly default: number; readonly max: number }) =>
  z.int().min(1).max(max).default(usual);

/** How a thread stands, as it is on the wire. */
export const threadStatus = z.enum(THREAD_STATUSES);
const cost = z.object({
  turns: z.number(),
  input_tokens: z.number(),
  output_tokens: z.number(),
  spend: z.number(),
  cache_read_tokens: z.number().exactOptional(),
  cache_write_tokens: z.number().exactOptional(),
});
const succeeded = z.literal(true);

/** S2 §6.8's `SYNC_RETURN`, as far as the thread has come; `continued_as`: whose result it is, if others took over. */
const outcome = z.object({
  success: z.boolean(),
  thread_id: z.string(),
  status: z.union([threadStatus, z.enum(['timeout', 'not_found'])]),
  result: z.unknown(),
  outputs: z.record(z.string(), z.unknown()).nullable().optional(),
  cost: cost.optional(),
  error: z.string().nullable(),
  code: z.string().optional(),
  continued_as: z.string().optional(),
});

const summary = z.object({ thread_id: z.string(), directive: z.string(), status: threadStatus, cost });
/** What a person has to decide; about a limit if it has a code. */
const approval = z.object({
  approval_id: z.string(),
  asked_by: z.string().optional(),
  message: z.string().optional(),
  limit_code: z.string().optional(),
  current_value: z.number().optional(),
  current_max: z.number().optional(),
  suggested: z.number().optional(),
});
const event = z.object({
  thread_id: z.string(),
  event_type: z.string(),
  timestamp: z.string(),
  payload: z.record(z.string(), z.unknown()),
  criticality: z.string(),
  sequence: z.number().optional(),
  /** Long texts of its payload are cut; each says by how much. */
  cut: z.literal(true).optional(),
});
const amount = z.number().positive().exactOptional();
/** New limits, with the seeds' names; `spend` in USD. */
const limits = z.strictObject({
  turns: amount,
  tokens: amount,
  spend: z.number().min(0).exactOptional(),
  spend_currency: z.literal('USD').exactOptional(),
  spawns: z.int().min(0).exactOptional(),
  depth: z.int().min(0).exactOptional(),
  duration_seconds: amount,
});
const worker = z.object({
  /** From 0; no two workers of a runtime ever have the same. */
  number: z.number(),
  threads: z.number(),
  /** Threads by the state of their machine. */
  states: z.record(z.string(), z.number()),
  turns: z.number(),
  spend: z.number(),
  input_tokens: z.number().exactOptional(),
  /** Of the input, what came from the caches of providers. */
  cache_read_tokens: z.number().exactOptional(),
  events: z.number(),
});
const hit = z.object({ thread_id: z.string(), event_type: z.string(), sequence: z.number(), snippet: z.string() });

/**
 * The operations on threads (S2 §6.11 and contracts), defined once for models, hosts, people and the control socket:
 * - `changes`: needs a runtime, since something is to happen; the others can be answered from the stored database.
 * - `reach`: which threads a thread may name: `below` itself only, or `self` as well; `none`: it is not for threads. Hosts and
 *   people may name any.
 * - `input` and `result` as they are on the wire; a result may be an {@link OperationRefusal} instead.
 */
export const OPERATIONS = {
  /** Until all are there, one deadline for all of them; `timeout` in seconds. Results in the order asked. */
  wait_threads: define(
    { changes: false, reach: 'below' },
    { thread_ids: ids, timeout: z.number().min(0).optional() },
  ).gives({ success: z.boolean(), results: z.array(outcome) }),
  /** Ends a thread, and of its subtree what the child policy says; goes after those that took over from it. */
  cancel_thread: define({ changes: true, reach: 'below' }, { thread_id: id }).gives({
    success: succeeded,
    cancelled: z.string(),
  }),
  /** Ends a thread and everything below it, whatever the child policy says; `threads`: how many that were. */
  kill_thread: define({ changes: true, reach: 'below' }, { thread_id: id }).gives({
    success: succeeded,
    killed: z.string(),
    threads: z.number(),
  }),
  /** How a thread stands; the cost is that of its last stored step, `tree_spend` what it and all below it have spent, in USD. */
  get_status: define({ changes: false, reach: 'self' }, { thread_id: id }).gives({
    success: succeeded,
    ...summary.shape,
    tree_spend: z.number(),
    parent_thread_id: z.string().optional(),
    suspend_reason: z.string().optional(),
    approval: approval.optional(),
  }),
  /** What is queued or runs: all of it, or what is below the thread that asks. */
  list_active: define({ changes: false, reach: 'below' }, {}).gives({
    success: succeeded,
    active_threads: z.array(z.string()),
    count: z.number(),
  }),
  /**
   * Threads of the project, newest first, of these statuses and this directive, archived ones only if they are asked for;
   * `more`: there are others, and `next` is the `after` of their page.
   */
  list_threads: define(
    { changes: false, reach: 'none' },
    {
      status: z.array(threadStatus).min(1).max(10).optional(),
      directive: id.optional(),
      limit: upTo(threads),
      after: id.optional(),
      archived: z.boolean().default(false),
    },
  ).gives({ success: succeeded, threads: z.array(summary), more: z.boolean(), next: z.string().optional() }),
  /** Children, oldest first; `next` is the `after` of the next page, if there is one. */
  list_children: define(
    { changes: false, reach: 'self' },
    { thread_id: id, limit: upTo(children), after: id.optional() },
  ).gives({ success: succeeded, thread_id: z.string(), children: z.array(summary), next: z.string().optional() }),
  /**
   * A suspended thread goes on, under its own id; one that has ended as another one, which `thread_id` names. Only hosts and
   * people may give it other `limits`.
   */
  resume_thread: define(
    { changes: true, reach: 'below' },
    {
      thread_id: id,
      message: z.string().max(OPERATION_BOUNDS.message).optional(),
      limits: limits.optional(),
    },
  ).gives({ success: succeeded, thread_id: z.string(), status: threadStatus, continues: z.string().optional() }),
  /**
   * A thread stops at its next step, as its owner may have it do; goes after those that took over from it. `status` is
   * `running` if that takes more than a second: it stops all the same.
   */
  suspend_thread: define({ changes: true, reach: 'none' }, { thread_id: id }).gives({
    success: succeeded,
    thread_id: z.string(),
    status: threadStatus,
  }),
  /** Another thread begins with what a thread had said and heard up to an event; what its tools did is not done again. */
  fork_thread: define(
    { changes: true, reach: 'none' },
    {
      thread_id: id,
      at: z.int().min(0),
      inputs: z.record(z.string(), z.unknown()).optional(),
      limits: limits.optional(),
    },
  ).gives({ success: succeeded, thread_id: z.string(), status: threadStatus, forked_from: z.string() }),
  /** A successor takes over from a thread, at its next step; a thread that asks is not told who. */
  handoff_thread: define({ changes: true, reach: 'below' }, { thread_id: id }).gives({
    success: succeeded,
    thread_id: z.string(),
    successor: z.string().optional(),
  }),
  /** Predecessors, the thread itself and its successors, in order. */
  get_chain: define({ changes: false, reach: 'self' }, { thread_id: id }).gives({
    success: succeeded,
    thread_id: z.string(),
    chain: z.array(summary),
  }),
  /** Where a text stands in the transcripts of a chain, without regard to case; `more`: there are further hits. */
  chain_search: define(
    { changes: false, reach: 'self' },
    {
      thread_id: id,
      query: z.string().min(1).max(OPERATION_BOUNDS.query),
      limit: upTo(hits),
    },
  ).gives({ success: succeeded, thread_id: z.string(), notice: z.string(), hits: z.array(hit), more: z.boolean() }),
  /** The last events of a thread, oldest first; `left_out`: how many of those asked for came before them. */
  read_transcript: define(
    { changes: false, reach: 'self' },
    {
      thread_id: id,
      tail: upTo(tail),
      types: z.array(z.string().max(100)).max(100).optional(),
      max_bytes: z.int().min(1_000).max(transcript.max).default(transcript.default),
    },
  ).gives({
    success: succeeded,
    thread_id: z.string(),
    notice: z.string(),
    events: z.array(event),
    left_out: z.number(),
  }),
  /**
   * Events of a thread's log in order, whole, a page at a time: those after a sequence number. `last` is the `after` of the
   * next page; `more`: it is there already. If there is nothing yet, the answer is waited for, `wait` seconds at most, while
   * a runtime holds the project. `ended`: nothing comes after this page but what is there.
   */
  read_events: define(
    { changes: false, reach: 'none' },
    {
      thread_id: id,
      after: z.int().min(0).default(0),
      types: z.array(z.string().max(100)).max(100).optional(),
      max_bytes: z.int().min(1_000).max(page.max).default(page.default),
      wait: z.number().min(0).max(news).default(0),
    },
  ).gives({
    success: succeeded,
    thread_id: z.string(),
    events: z.array(event),
    last: z.number(),
    more: z.boolean(),
    ended: z.boolean(),
    status: threadStatus,
    /** The thread that took over from it. */
    continued_as: z.string().optional(),
  }),
  /** The state of a thread's machine, e.g. `running.calling`; absent: it is in no worker. */
  inspect_thread: define({ changes: false, reach: 'none' }, { thread_id: id }).gives({
    success: succeeded,
    thread_id: z.string(),
    state: z.string().optional(),
  }),
  /** How busy the runtime is: threads that hold a slot, threads in line, and its workers; none of all that without one. */
  view_runtime: define({ changes: false, reach: 'none' }, {}).gives({
    success: succeeded,
    running: z.number(),
    queued: z.number(),
    workers: z.array(worker),
  }),
  /** Results and cost in the order asked; the total counts every thread once. */
  aggregate_results: define({ changes: false, reach: 'self' }, { thread_ids: ids }).gives({
    success: z.boolean(),
    results: z.array(outcome),
    total: cost,
  }),
};

/** Name of an operation, as it is on the wire. */
export type OperationName = keyof typeof OPERATIONS;

/** What a caller gives; what has a default may be left out. */
export type OperationInput<Name extends OperationName> = z.input<(typeof OPERATIONS)[Name]['input']>;

/** What an operation works with. */
export type ParsedInput<Name extends OperationName> = z.output<(typeof OPERATIONS)[Name]['input']>;

/** What an operation gives when it was not refused. */
export type OperationResult<Name extends OperationName> = z.output<(typeof OPERATIONS)[Name]['result']>;

/** How a thread stands or ended, in results of `wait_threads` and `aggregate_results`. */
export type ThreadOutcome = z.output<typeof outcome>;

/** Said instead of a result: an unknown thread (`thread_not_found`), one that can't be acted on, … */
export const refusalSchema = z.object({ success: z.literal(false), error: z.string(), code: z.string() });

/** An operation that was not carried out; `code` is one of `SkeinErrorCode`. */
export type OperationRefusal = z.output<typeof refusalSchema>;

/** What an operation answers. */
export type OperationAnswer<Name extends OperationName> = OperationResult<Name> | OperationRefusal;

/** Whether a text names an operation. */
export function isOperation(name: string): name is OperationName {
  return Object.hasOwn(OPERATIONS, name);
}

/** Of what a tool was given, that which an operation takes. */
export function operationInput(name: OperationName, given: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const names = Object.keys(OPERATIONS[name].input.shape).filter((key) => given[key] !== undefined);
  return Object.fromEntries(names.map((key) => [key, given[key]]));
}

type Facts = { readonly changes: boolean; readonly reach: 'self' | 'below' | 'none' };

function define<const Of extends Facts, Input extends z.ZodRawShape>(facts: Of, input: Input) {
  return {
    gives: <Result extends z.ZodRawShape>(result: Result) => ({
      ...facts,
      input: z.strictObject(input),
      result: z.object(result),
    }),
  };
}

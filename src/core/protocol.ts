import type { BackOff, RefusedCall } from './back-off.ts';
import type { Ending } from './ending.ts';
import type { Failure } from './errors.ts';
import type { SuspendReason } from './events.ts';
import type { ApprovalId, ThreadId, ThreadNo } from './ids.ts';
import type { Cost, LimitOverrides, Limits } from './limits.ts';
import type { NanoUsd } from './money.ts';

/** What a caller asks for when it spawns a thread. */
export type SpawnRequest = {
  readonly directive: string;
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly limits: LimitOverrides | undefined;
  /** `provider:model`, a model id, or a tier. */
  readonly model: string | undefined;
  /** A running thread whose child it becomes; in the worker that is asked. */
  readonly parent: ThreadNo | undefined;
  /** Outputs the caller expects beyond the directive's own declaration, as a JSON Schema of an object. */
  readonly outputSchema: Readonly<Record<string, unknown>> | undefined;
};

/**
 * A thread ready to be admitted: directive loaded and verified, inputs filled and checked, limits and capabilities
 * resolved. Stored with the thread, so it is JSON; a worker finds the directive again by its id.
 */
export type ThreadSpec = {
  readonly directive: string;
  /** Ids of the directives it extends, as far as its chain goes, root first; absent without any. */
  readonly extends?: readonly string[];
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly limits: Limits;
  /** `provider:model`. */
  readonly model: string;
  /** Models that it goes on with, one after the other, when the one before has failed for good; absent = none. */
  readonly fallbacks?: readonly string[];
  /** What its author should hear of, as `warning` events. */
  readonly warnings: readonly string[];
  /** One list of capability patterns per level of the chain; a call must be allowed by every list. */
  readonly capabilities: readonly (readonly string[])[];
  readonly outputSchema: Readonly<Record<string, unknown>> | undefined;
  /** Where it goes on from, if it is a fork: the log of that thread, up to and with this event. */
  readonly forkedFrom?: ForkOrigin;
  /** What one that goes on from an ended thread is told, until its first checkpoint has it; absent = nothing. */
  readonly message?: string;
  /** How many hooks stand between it and a thread that nobody's hook started; absent = none. */
  readonly hookDepth?: number;
  /** The call of its parent's model that spawned it; absent = none did. */
  readonly callId?: string;
  /** The span that its own is below, as the W3C writes it; absent if nobody traces. */
  readonly traceparent?: string;
};

/** What a spec has in common with those of other threads of its directive and model, as it is written. */
export const SHARED_FIELDS = [
  'directive',
  'extends',
  'model',
  'fallbacks',
  'warnings',
  'capabilities',
  'outputSchema',
] as const satisfies readonly (keyof ThreadSpec)[];

/** These of a spec. */
export type SharedFields = Pick<ThreadSpec, (typeof SHARED_FIELDS)[number]>;

/** The rest of it. */
export type OwnSpec = Omit<ThreadSpec, keyof SharedFields>;

/** A {@link ThreadSpec} as JSON, in two parts: what it shares with others, and the rest. */
export type SpecText = { readonly shared: string; readonly own: string };

/**
 * A {@link ThreadSpec} as it travels: it is written once, by the worker that has prepared it, stored as it is and read by the
 * worker that starts it. Beside it stands what the host itself has to know.
 */
export type PackedSpec = SpecText &
  Pick<ThreadSpec, 'directive' | 'model'> & { readonly spend: NanoUsd; readonly spawns: number };

/** The event of a thread that another one was forked at; 0 = before the first one. */
export type ForkOrigin = { readonly thread: ThreadNo; readonly threadId: ThreadId; readonly sequence: number };

/** A child that a call has spawned before. */
export type SpawnedChild = { readonly threadId: ThreadId; readonly directive: string };

/** A thread's place in its tree. */
export type Lineage = {
  readonly thread: ThreadNo;
  readonly threadId: ThreadId;
  readonly parent: ThreadNo | undefined;
  readonly parentId: ThreadId | undefined;
  readonly root: ThreadNo;
  /** The thread whose work it goes on with; absent for one that begins. */
  readonly continues?: ThreadId;
};

/** Number and id of a thread that is to take over from another one. */
export type Successor = { readonly thread: ThreadNo; readonly threadId: ThreadId };

/** How a thread that was waited for stands: S2 §6.11's entry of `results`. */
export type WaitedThread = {
  readonly threadId: ThreadId;
  readonly status: Ending['status'] | 'suspended' | 'running' | 'timeout' | 'not_found';
  readonly ending: Ending | undefined;
  /**
   * What it has used so far; absent for one that nobody knows, that has an ending, or that is `running`, and for those not there in
   * time beyond the first 250.
   */
  readonly cost?: Cost;
  /** Why it is suspended, if it is. */
  readonly suspendReason?: SuspendReason | undefined;
  /** The last of those that took over from it, if any did: status and ending are theirs. */
  readonly continuedAs?: ThreadId;
};

/** A call of a thread's model that waits for other threads. */
export type WaitingCall = {
  readonly id: string;
  /** Of the child that it has spawned and waits for; absent if it waits for those it names. */
  readonly directive?: string;
};

/** A thread that left its worker while it waited, with the calls that wait, and since when on the process's stopwatch. */
export type WaitingThread = Pick<LeftThread, 'startedAt' | 'deadline'> & {
  readonly calls: readonly (WaitingCall & { readonly since: number })[];
};

/**
 * A child of the thread was admitted that the thread has not asked for, or does not wait for any more; or a child goes on as
 * this one (`continues`).
 */
export type ChildStarted = {
  readonly type: 'childStarted';
  readonly thread: ThreadNo;
  readonly childId: ThreadId;
  readonly directive: string;
  readonly continues?: ThreadId;
};

/** Host → thread worker. */
export type WorkerCommand =
  | { readonly type: 'prepare'; readonly ref: number; readonly request: SpawnRequest }
  | { readonly type: 'start'; readonly lineage: Lineage; readonly spec: SpecText }
  | {
      readonly type: 'resume';
      readonly lineage: Lineage;
      /** It has or had children: what became of them is to be read. */
      readonly hasChildren: boolean;
      /** It was never suspended: it goes on waiting. */
      readonly waiting?: WaitingThread;
    }
  /** Nothing but waits is left of it for a long time: it is to leave the worker. Answered by `left` or `stays`. */
  | { readonly type: 'leave'; readonly thread: ThreadNo }
  /** A successor takes over at the next step. */
  | { readonly type: 'handOver'; readonly thread: ThreadNo }
  | { readonly type: 'cancel'; readonly threads: readonly ThreadNo[]; readonly reason: string }
  /** At the next step, or at once (`now`), which interrupts what is in flight. */
  | { readonly type: 'suspend'; readonly thread: ThreadNo; readonly reason: SuspendReason; readonly now: boolean }
  /** To be said to the model before its next turn; answered by `heard`. */
  | { readonly type: 'send'; readonly ref: number; readonly thread: ThreadNo; readonly text: string }
  /** Answers a question the worker asked with `ref`; `child`: what its parent is told if nobody waits for the answer. */
  | { readonly type: 'answer'; readonly ref: number; readonly value: unknown; readonly child?: ChildStarted }
  | { readonly type: 'answer'; readonly ref: number; readonly failure: Failure; readonly child?: undefined }
  | ChildStarted
  | { readonly type: 'childEnded'; readonly thread: ThreadNo; readonly childId: ThreadId; readonly ending: Ending }
  | { readonly type: 'joined'; readonly thread: ThreadNo }
  | { readonly type: 'watch'; readonly threads: readonly ThreadNo[] | 'all'; readonly on: boolean }
  /** Somebody looks at the actors of these threads as well; `anew`: at no others, and has all told from the beginning. */
  | { readonly type: 'inspect'; readonly threads: readonly ThreadNo[]; readonly anew: boolean }
  /** A provider has too many calls, or (`streak` 0) answers again: how it stands for all workers. */
  | ({ readonly type: 'backOff'; readonly provider: string } & BackOff)
  /** A value that another worker has learnt to be secret. */
  | { readonly type: 'secret'; readonly value: string }
  /** Another configuration, parsed and checked: threads that start or are read back from now on have it. */
  | { readonly type: 'config'; readonly config: unknown };

/** Thread worker → host. */
export type WorkerReport =
  | { readonly type: 'prepared'; readonly ref: number; readonly spec: PackedSpec }
  | { readonly type: 'refused'; readonly ref: number; readonly failure: Failure }
  | ({ readonly ref: number } & HostQuestion)
  /** Only waits for child threads are left: the slot is free for others until one of them is answered. */
  | { readonly type: 'yield'; readonly thread: ThreadNo }
  | { readonly type: 'join'; readonly thread: ThreadNo }
  /** `ending`: JSON of the `Ending`, as it is stored: a string is cloned in a third of the time. */
  | ({ readonly type: 'ended'; readonly thread: ThreadNo; readonly ending: string } & HooksLeft & LastStep)
  /** It has handed over, and both its ending and its successor's row are on disk. */
  | ({
      readonly type: 'continued';
      readonly thread: ThreadNo;
      readonly ending: string;
      readonly successor: Successor;
    } & HooksLeft &
      LastStep)
  /** The `after_complete` hooks of a thread that has ended are done. */
  | { readonly type: 'hooksDone'; readonly thread: ThreadNo }
  | ({
      readonly type: 'suspended';
      readonly thread: ThreadNo;
      readonly reason: SuspendReason;
      readonly cost: Cost;
      /** What a person is asked. */
      readonly approval?: ApprovalId | undefined;
    } & LastStep)
  /** It has left the worker while it waits, and all of it is on disk; number of its last event. */
  | ({ readonly type: 'left'; readonly thread: ThreadNo } & LeftThread)
  /** It has something to do, and stays. */
  | { readonly type: 'stays'; readonly thread: ThreadNo }
  /** The thread could not be set up: it has run nothing, and its row still says `created`. */
  | { readonly type: 'startFailed'; readonly thread: ThreadNo; readonly failure: Failure }
  /** The thread could not be read back. */
  | { readonly type: 'resumeFailed'; readonly thread: ThreadNo; readonly failure: Failure }
  | EventsReport
  /** What an actor does that somebody looks at: JSON of `ActorNews` of `inspection.ts`, which the host checks. */
  | { readonly type: 'inspected'; readonly news: string }
  /** The thread has what was sent with `ref`, or can't take it: it takes no more turns. */
  | { readonly type: 'heard'; readonly ref: number; readonly failure: Failure | undefined }
  /** A question is given up; `parent` if it was to spawn a child; `stays`: the call that spawns it is made again. */
  | { readonly type: 'abandon'; readonly ref: number; readonly parent?: ThreadNo; readonly stays?: true }
  /** The provider refused a call for being one too many. */
  | ({ readonly type: 'providerRefused'; readonly provider: string } & RefusedCall)
  /** A call that was started after a refusal was answered. */
  | { readonly type: 'providerAnswered'; readonly provider: string; readonly startedIn: number }
  /** A key that it is about to use, which may be newer than what was read as the runtime started: nothing with it is stored or told. */
  | { readonly type: 'secretFound'; readonly value: string }
  /** Something went wrong that ends no thread. */
  | { readonly type: 'problem'; readonly failure: Failure }
  /** Its port is closed: nothing comes from it any more. Said by the port, after all that the worker has said. */
  | { readonly type: 'gone' };

/** What those are told who listen to a thread. */
export type EventsReport =
  | { readonly type: 'events'; readonly thread: ThreadNo; readonly lines: string; readonly stored: boolean }
  /** A chunk of events is on disk that nobody wanted to hear of when it was sent there; the number of its first. */
  | { readonly type: 'stored'; readonly thread: ThreadNo; readonly first: number };

/** The events of the step with which a thread leaves its worker: whoever hears of them may act on where it stands by then. */
type LastStep = { readonly last?: EventsReport | undefined };

/** What the host has to know of a thread that has left its worker while it waits; times in milliseconds. */
export type LeftThread = {
  readonly sequence: number;
  readonly cost: Cost;
  readonly startedAt: number;
  /** When its `duration_seconds` are over; undefined if they were, and it was let go on. */
  readonly deadline: number | undefined;
};

/** Whether hooks of the thread run after its end; `hooksDone` follows then. */
type HooksLeft = { readonly hooksLeft?: true };

/** What a thread asks the host; answered once, unless the worker abandons it. */
export type HostQuestion =
  /** Admit a child. Answer: `{threadId}`. */
  | { readonly type: 'spawn'; readonly thread: ThreadNo; readonly spec: PackedSpec }
  /** The child that a call spawned before it was cut off. Answer: {@link SpawnedChild}, or nothing. */
  | { readonly type: 'spawned'; readonly thread: ThreadNo; readonly callId: string }
  /** A number and an id for the thread that takes over. Answer: {@link Successor}. */
  | { readonly type: 'succeed'; readonly thread: ThreadNo }
  /** Wait for threads. Answer: `WaitedThread[]` in the order asked. No `timeoutMs` = until they are there. */
  | {
      readonly type: 'wait';
      readonly thread: ThreadNo;
      readonly threadIds: readonly string[];
      readonly timeoutMs: number | undefined;
      readonly failFast: boolean;
      /** Whose wait it is; absent for that of a hook. */
      readonly call?: WaitingCall;
      /** It is of a hook that runs beside what the thread does: neither the wait nor its answer says whether that needs a slot. */
      readonly isBeside?: boolean;
    }
  /** The thread is back: the answer to what this call of it waits for. Answer: as to `wait`. */
  | { readonly type: 'waitAgain'; readonly thread: ThreadNo; readonly callId: string }
  /** An operation on threads, with its input as the wire has it. Answer: its result. */
  | { readonly type: 'orchestrate'; readonly thread: ThreadNo; readonly operation: string; readonly input: unknown }
  /** Whether outputs are what the thread's caller asked for with an `outputSchema`. Answer: nothing; a failure says what does not fit. */
  | {
      readonly type: 'checkOutputs';
      readonly thread: ThreadNo;
      readonly outputs: Readonly<Record<string, unknown>>;
    }
  /** A task of the worker's symbol index, as JSON. Answer: its result, as JSON. */
  | { readonly type: 'symbols'; readonly task: string }
  /** Call a function of the embedder. Answer: what it returned. */
  | HostCall;

/** A call of a function that the embedder has registered with the host. */
export type HostCall = {
  readonly type: 'hostCall';
  readonly name: string;
  readonly input: unknown;
  readonly threadId: ThreadId;
} & ({ readonly kind: 'tool'; readonly callId: string } | { readonly kind: 'hook' });

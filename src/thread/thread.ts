import type { ChildEvent } from '../core/child-events.ts';
import type { Message } from '../core/conversation.ts';
import type { Failure } from '../core/errors.ts';
import type { SuspendReason } from '../core/events.ts';
import type { ThreadId } from '../core/ids.ts';
import type { LimitCode, Limits } from '../core/limits.ts';
import type { NanoUsd } from '../core/money.ts';
import type { SplitSpec } from '../core/packed-spec.ts';
import type { Lineage, WaitingThread, WorkerCommand } from '../core/protocol.ts';
import type { ModelCall, ModelFailure, ModelResponse, TokenUsage } from '../core/provider.ts';
import type { Settlement } from '../core/store.ts';
import type { ApprovalQuestion } from '../core/store-approvals.ts';
import type { Timer } from '../core/clock.ts';
import type { RunningTool } from '../core/tool.ts';
import type { EarlyEnd, ThreadMachineEvent } from '../../machines/thread.machine.ts';
import type { AssemblySession } from './tiers/assembly-session.ts';
import type { Answer } from './conversation/history.ts';
import type { CallSink } from './services/model-sink.ts';
import type { ChildNews, HookedChild } from './hooks/child-hooks.ts';
import type { Inheritance } from './conversation/inheritance.ts';
import type { ThreadPlan } from './plan/plan.ts';
import type { FinishedCall } from './steps/after-tool.ts';
import type { ToolRequest } from './tools/tool-requests.ts';

/** The tool calls of one assistant message while they run. */
export type ToolRun = {
  readonly requests: readonly ToolRequest[];
  /** Results by call index; undefined = not there yet. */
  readonly results: (ToolResult | undefined)[];
  /** Calls in flight by index; made with the first that is not done at once. */
  running: Map<number, RunningTool | undefined> | undefined;
  /** When each call began, by its index, on the process's stopwatch. */
  readonly startedAt: (number | undefined)[];
  /** Index of the next call to start. */
  next: number;
  /** Calls running in tools of files or registered ones; calls that wait for other threads. */
  active: number;
  waiting: number;
  left: number;
  starting: boolean;
  /** The log says that the calls start: `before_tool` hooks have let them pass. */
  readonly announced: boolean;
  /** It is clear which of them run. */
  readonly decided: boolean;
  /** Number of the event that says that the runtime ended in which they were started, 0 if it did not; undefined = they were not yet. */
  readonly interruptedAt: number | undefined;
  /** Which of them have waited before: the thread left its worker meanwhile; undefined = it did not. */
  readonly waited: WaitingThread['calls'] | undefined;
};

/** What goes back to the model for one call. */
export type ToolResult = { readonly text: string; readonly isError: boolean };

/** What the host tells a thread of its children. */
export type ChildCommand = Extract<WorkerCommand, { type: 'childStarted' | 'childEnded' }>;

/**
 * A thread in this worker's memory.
 *
 * Owns: the conversation, the counters, what is in flight, and the events not yet sent to the store.
 * Doesn't own: its state, which is the machine's; money and status on disk, which are the store's.
 *
 * Invariants:
 * 1. Effects change it; nothing else does. After `ended` nothing changes.
 * 2. `sequence` counts stored events without gaps; `lines` holds those from `firstSequence` on.
 * 3. At most one model call is in flight, and only with `reserved` granted for it.
 */
export type Thread = {
  readonly lineage: Lineage;
  readonly spec: SplitSpec;
  /** The shared one of threads like it; its own with another model once it has fallen back. */
  plan: ThreadPlan;
  /** Sends the machine an event; ignored once the thread has ended. */
  send: (event: ThreadMachineEvent) => void;
  sink: CallSink | undefined;
  limits: Limits;
  startedAt: number;

  turns: number;
  inputTokens: number;
  outputTokens: number;
  /** Of its input, as providers count them. */
  cacheReadTokens: number;
  cacheWriteTokens: number;
  spend: NanoUsd;
  spawned: number;

  system: string;
  readonly messages: Message[];
  /** Of a thread whose prompt stands in tiers. */
  assembly: AssemblySession | undefined;
  /** Tokens of the next request: what the provider counted last, plus an estimate of what was added since. */
  contextTokens: number;
  /** The part of it that the provider has counted; undefined where that is not known exactly. */
  knownTokens: number | undefined;
  /** Tokens that were added since, as they were counted here. */
  addedTokens: number;
  /** What it goes on with, until that is in its log. */
  inherited: Inheritance | undefined;
  /** Turns that it had from the beginning: those of the threads it took over from. */
  firstTurn: number;
  /** A successor is to take over at the next step. */
  handOverAsked: boolean;
  /** Texts to be delivered before the next turn. */
  inbox: string[];
  /** What was found in the registry about its children when it was read back: the host may tell of it once more. */
  caughtUp: Map<ThreadId, ChildEvent['type']> | undefined;
  /** What it was told of its children while its suspension was being written: a cancellation puts it into the log. */
  missed: ChildCommand[] | undefined;

  /** Its log says that it has started. */
  announced: boolean;
  /** Its log says that it goes on, as the last thing it says. */
  isResumed: boolean;
  sequence: number;
  firstSequence: number;
  lines: string;
  settlement: Settlement | undefined;
  checkpointDue: boolean;
  /** The registry still says `created`. */
  startDue: boolean;

  reserving: boolean;
  reserved: NanoUsd;
  /** How many tokens its call may answer with: less than the model's where its budget or the window has no more. */
  maxOutputTokens: number;
  /** What a call has reserved that nobody has seen the answer of: the next one takes it over. */
  leftReserved: NanoUsd;
  call: ModelCall | undefined;
  response: ModelResponse | undefined;
  modelFailure: ModelFailure | undefined;
  /** Usage of a call that was aborted before its thread was told to stop. */
  abortedUsage: TokenUsage | undefined;
  /** Round of the provider's back-off that the call is started in; undefined while there is none. */
  providerRound: number | undefined;
  /** Models of its chain of fallbacks that it has gone on with or passed over. */
  fallbacksUsed: number;
  /** Turn before which it has gone on with one of them last, in the step that its `before_step` hooks let pass; -1 = never. */
  fellBackAt: number;
  /** Consecutive failures of the current call with the model that it has now, refusals apart. */
  attempt: number;
  /** Consecutive refusals of it, but no more than its provider has given in a row. */
  refusals: number;
  /** When it may repeat a call, on the process's stopwatch; undefined: it waits for none. */
  retryAt: number | undefined;
  timer: Timer | undefined;
  deadline: Timer | undefined;
  toolRun: ToolRun | undefined;
  /** Calls of the last answer whose `after_tool` hooks have not decided, by their ids; made with the first. */
  unheardCalls: Map<string, FinishedCall> | undefined;
  /** How often a runtime has ended without it since its last answer. */
  cutOffs: number;
  /** A runtime has ended without it, and no calls have ended since: the starts of the next ones are on disk before they run (ADR 71). */
  wasCutOff: boolean;
  /** Actions of hooks that are not done yet; made with the first that has to wait. */
  hookActions: Set<RunningTool> | undefined;
  /** Its children whose end its `child_ended` hooks are to hear of. */
  hookedChildren: Map<ThreadId, HookedChild> | undefined;
  /** What its hooks have not heard of its children yet, or not to the end; made with the first. */
  childNews: Set<ChildNews> | undefined;

  /** Turn before which `context_window_pressure` was raised last; -1 = never. */
  pressedAt: number;
  /** Compaction was tried under pressure, and the conversation has not been below the threshold since. */
  compacted: boolean;
  /** Turn before which a hook let a conversation at the hard threshold go on; -1 = never. */
  fullWaivedAt: number;
  /** The last turn of which the `after_step` hooks have decided. */
  steppedAt: number;
  /** Limits that hooks have waived for this turn; made with the first. */
  waived: Set<LimitCode> | undefined;
  /** The `directive_return` hooks have heard of its outputs. */
  returnHeard: boolean;

  outputs: Readonly<Record<string, unknown>> | undefined;
  /** Turn in which it gave them last; undefined = it has none. */
  returnedAt: number | undefined;
  text: string;
  reminded: boolean;
  suspendRequest:
    | { readonly reason: SuspendReason; readonly message: string | undefined; readonly ask?: ApprovalQuestion }
    | undefined;
  /** What people have said to decisions of hooks since the last answer, by the point of these: nobody is asked twice. */
  answers: Map<string, Answer> | undefined;
  /** Who takes over, once it has ended for that. */
  successor: ThreadId | undefined;
  cancelReason: string | undefined;
  /** How it ends once its children have ended (child policy `wait`). */
  heldEnd: EarlyEnd | undefined;
  /** The host has said that none of its children is left, and the end that was held is on its way. */
  joined: boolean;
  failure: Failure | undefined;
  ended: boolean;
};

/** What is needed to make a {@link Thread}. */
export type ThreadStart = {
  readonly lineage: Lineage;
  readonly spec: SplitSpec;
  readonly plan: ThreadPlan;
  readonly now: number;
};

/** Consecutive failures of the current call, as `max_retries` counts them. */
export function attemptOf({ attempt, refusals }: Thread): number {
  return attempt + refusals;
}

/** A thread that has done nothing yet: a copy of {@link BLANK}, since to add so many fields to an object takes long. */
export function createThread({ lineage, spec, plan, now }: ThreadStart): Thread {
  const send = (): void => undefined;
  return { ...BLANK, lineage, spec, plan, send, limits: spec.own.limits, startedAt: now, messages: [], inbox: [] };
}

type OwnField = 'lineage' | 'spec' | 'plan' | 'send' | 'limits' | 'startedAt' | 'messages' | 'inbox';

/** Every field of a thread; those that are each thread's own are only named. */
const BLANK: Omit<Thread, OwnField> & Record<OwnField, undefined> = {
  lineage: undefined,
  spec: undefined,
  plan: undefined,
  send: undefined,
  sink: undefined,
  limits: undefined,
  startedAt: undefined,
  turns: 0,
  inputTokens: 0,
  outputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  spend: 0,
  spawned: 0,
  system: '',
  messages: undefined,
  assembly: undefined,
  contextTokens: 0,
  knownTokens: undefined,
  addedTokens: 0,
  inherited: undefined,
  firstTurn: 0,
  handOverAsked: false,
  inbox: undefined,
  caughtUp: undefined,
  missed: undefined,
  announced: false,
  isResumed: false,
  sequence: 0,
  firstSequence: 1,
  lines: '',
  settlement: undefined,
  checkpointDue: false,
  startDue: true,
  reserving: false,
  reserved: 0,
  maxOutputTokens: 0,
  leftReserved: 0,
  call: undefined,
  response: undefined,
  modelFailure: undefined,
  abortedUsage: undefined,
  providerRound: undefined,
  attempt: 0,
  refusals: 0,
  retryAt: undefined,
  timer: undefined,
  deadline: undefined,
  toolRun: undefined,
  unheardCalls: undefined,
  cutOffs: 0,
  wasCutOff: false,
  hookActions: undefined,
  hookedChildren: undefined,
  childNews: undefined,
  pressedAt: -1,
  compacted: false,
  fullWaivedAt: -1,
  steppedAt: 0,
  waived: undefined,
  returnHeard: false,
  outputs: undefined,
  returnedAt: undefined,
  text: '',
  reminded: false,
  suspendRequest: undefined,
  answers: undefined,
  fallbacksUsed: 0,
  fellBackAt: -1,
  successor: undefined,
  cancelReason: undefined,
  heldEnd: undefined,
  joined: false,
  failure: undefined,
  ended: false,
};

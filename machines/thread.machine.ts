import { setup, type MachineContext } from 'xstate';
import type { ApprovalQuestion } from '../src/core/store-approvals.ts';
import type { SuspendReason } from '../src/core/events.ts';
import type { Failure } from '../src/core/errors.ts';
import type { LimitHit } from '../src/core/limits.ts';
import type { ThreadId } from '../src/core/ids.ts';
import type { Successor } from '../src/core/protocol.ts';
import { threadChart } from './thread.chart.ts';

/**
 * The life of one thread (S2 §3 and §6.9, contracts "Threads"). Pure: every effect is an entry or exit action named in
 * the chart and provided by `src/thread`; its result comes back as one of these events.
 */
export type ThreadMachineEvent =
  /** The host has assigned the thread to this worker. */
  | { readonly type: 'START' }
  /** The first messages are built. */
  | { readonly type: 'READY' }
  | { readonly type: 'WITHIN_LIMITS'; /** The next call repeats one that failed. */ readonly retrying: boolean }
  | { readonly type: 'LIMIT_HIT'; readonly hit: LimitHit }
  /** The conversation has passed `continuation.pressure_threshold`. */
  | { readonly type: 'CONTEXT_PRESSED' }
  /** The `context_window_pressure` hooks have run. */
  | { readonly type: 'PRESSURE_SEEN' }
  /** The conversation has reached `continuation.hard_threshold`, or the request as it is laid out the whole window. */
  | { readonly type: 'CONTEXT_FULL' }
  /** A `context_limit_reached` hook let the thread go on as it is. */
  | { readonly type: 'FULL_WAIVED' }
  /** A `limit` hook let the thread go on although the limit was hit. */
  | {
      readonly type: 'LIMIT_WAIVED';
      /** Its work was over by then. */
      readonly final: boolean;
      /** Calls of its last answer are open: the limit has cut them off. */
      readonly calls: boolean;
      /** The `after_step` hooks have not been told of its last turn. */
      readonly step: boolean;
      /** The next call repeats one that failed, and the wait before that is not over. */
      readonly wait: boolean;
    }
  | { readonly type: 'STEP_ALLOWED'; /** The thread's prompt stands in tiers. */ readonly assemble?: boolean }
  /** The next request is laid out. */
  | { readonly type: 'ASSEMBLED' }
  /** The call's worst case is reserved, and everything before it is on disk. */
  | { readonly type: 'RESERVED' }
  | { readonly type: 'BUDGET_REFUSED'; readonly hit: LimitHit }
  /** Back-off of the provider, which all threads share: no call may start now. */
  | { readonly type: 'PROVIDER_CLOSED' }
  | { readonly type: 'PROVIDER_OPEN' }
  | { readonly type: 'ANSWERED' }
  | { readonly type: 'CALL_FAILED' }
  | { readonly type: 'RETRY' }
  /** The call is made again, with another model. */
  | { readonly type: 'FALL_BACK' }
  | { readonly type: 'BACK_OFF_OVER' }
  | { readonly type: 'SETTLED'; readonly next: 'ask' | 'tools' | 'record' | 'end' }
  /** The `before_tool` hooks have seen every call. */
  | { readonly type: 'TOOLS_ALLOWED'; readonly next: 'tools' | 'record' }
  /** The starts of tool calls with side effects are on disk. */
  | { readonly type: 'RECORDED' }
  /** Every call that is left waits for child threads. */
  | { readonly type: 'ONLY_CHILDREN_LEFT' }
  | { readonly type: 'TOOLS_DONE' }
  | { readonly type: 'STEP_OVER' }
  | { readonly type: 'CHECKPOINTED'; readonly final: boolean }
  | { readonly type: 'CONCLUDED' }
  /** Outputs are declared but the model ended with text, or it was told something meanwhile: one more turn. */
  | { readonly type: 'REMINDED' }
  /** Child policy `wait`: children are still running. */
  | { readonly type: 'CHILDREN_LEFT' }
  | { readonly type: 'CHILDREN_ENDED'; /** Its hooks have heard of all of them. */ readonly heard: boolean }
  /** The hooks on its children have heard of all there is to hear. */
  | { readonly type: 'CHILDREN_HEARD' }
  /** The conversation can't go on here, or somebody has asked for a successor. */
  | { readonly type: 'SUCCESSOR_NEEDED' }
  | { readonly type: 'HAND_OVER'; readonly successor: Successor }
  | {
      readonly type: 'SUSPEND';
      readonly reason: SuspendReason;
      readonly message: string | undefined;
      /** A person has to decide this. */
      readonly ask?: ApprovalQuestion;
    }
  | {
      readonly type: 'RESUME';
      /** Calls of its last answer are open: they have not been let pass yet, or were cut off. */
      readonly calls: boolean;
      /** The `after_step` hooks have not been told of its last turn. */
      readonly step: boolean;
    }
  | EarlyEnd
  /** Child policy `wait`: this is how it ends once its children have ended. */
  | { readonly type: 'HOLD_END'; readonly end: EarlyEnd };

/** A thread fails or is cancelled. */
export type EarlyEnd =
  | { readonly type: 'FAIL'; readonly failure: Failure }
  | { readonly type: 'CANCEL'; readonly reason: string };

/** Names of the effects the chart asks for. Each is given by `src/thread`; an effect never throws. */
export const THREAD_ACTIONS = [
  'prepare',
  'checkLimits',
  'relievePressure',
  'decideFullContext',
  'askForSuccessor',
  'decideLimit',
  'runBeforeStep',
  'assemble',
  'reserveBudget',
  'callModel',
  'waitForProvider',
  'classifyFailure',
  'backOff',
  'settleCall',
  'askBeforeTools',
  'recordToolCalls',
  'runTools',
  'yieldSlot',
  'runAfterStep',
  'saveCheckpoint',
  'conclude',
  'awaitChildren',
  'holdEnding',
  'stopWork',
  'recordSuspension',
  'recordResumption',
  'recordCompletion',
  'recordError',
  'recordCancellation',
  'recordContinuation',
] as const;

/** Name of an effect of the thread machine. */
export type ThreadAction = (typeof THREAD_ACTIONS)[number];

/** The machine's context: who the thread is, and the worker's own data about it, opaque here and changed in place. */
export type ThreadMachineContext = { readonly threadId: ThreadId; readonly work: unknown } & MachineContext;

const effect = (): void => undefined;
const effects = Object.fromEntries(THREAD_ACTIONS.map((name) => [name, effect])) as Record<ThreadAction, () => void>;

/** The thread machine without effects: an actor of it moves only by the events it is sent. */
export const threadMachine = setup({
  types: {
    context: {} as ThreadMachineContext,
    events: {} as ThreadMachineEvent,
    input: {} as ThreadMachineContext,
  },
  actions: effects,
  guards: {
    isRetrying: ({ event }) => event.type === 'WITHIN_LIMITS' && event.retrying,
    mustAssemble: ({ event }) => event.type === 'STEP_ALLOWED' && event.assemble === true,
    hasOpenCalls: ({ event }) => (event.type === 'RESUME' || event.type === 'LIMIT_WAIVED') && event.calls,
    isStepDue: ({ event }) => (event.type === 'RESUME' || event.type === 'LIMIT_WAIVED') && event.step,
    mustWait: ({ event }) => event.type === 'LIMIT_WAIVED' && event.wait,
    mustAsk: ({ event }) => event.type === 'SETTLED' && event.next === 'ask',
    mustRecord: ({ event }) => (event.type === 'SETTLED' || event.type === 'TOOLS_ALLOWED') && event.next === 'record',
    hasToolCalls: ({ event }) => event.type === 'SETTLED' && event.next === 'tools',
    areHeard: ({ event }) => event.type === 'CHILDREN_ENDED' && event.heard,
    isFinal: ({ event }) => (event.type === 'CHECKPOINTED' || event.type === 'LIMIT_WAIVED') && event.final,
  },
}).createMachine({ ...threadChart, context: ({ input }) => input });

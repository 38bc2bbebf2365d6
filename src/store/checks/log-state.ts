import { isEnded, type ThreadStatus } from '../../core/ending.ts';
import type { EventPayloads, StoredEvent, SuspendReason } from '../../core/events.ts';
import type { ThreadId } from '../../core/ids.ts';
import type { Cost, LimitOverrides } from '../../core/limits.ts';
import { usdToNano } from '../../core/money.ts';

/**
 * A thread as its log tells it up to a sequence number. Its conversation is not in it: that is folded by the worker's own
 * code, which goes on with it.
 */
export type LogState = {
  /** Number of the last event; 0 before the first one. */
  sequence: number;
  status: ThreadStatus;
  suspendReason: SuspendReason | undefined;
  /** Its last event says that it goes on: no worker has written anything since. */
  isResumed: boolean;
  /** A worker has begun with it; it may have been suspended and resumed before that. */
  hasStarted: boolean;
  /** Counters, those of the threads it took over from included. */
  cost: Cost;
  /** With the seeds' names, `spend` in USD; undefined before it has started. */
  limits: LimitOverrides | undefined;
  /** False once it was resumed: early logs do not say with which limits. */
  limitsAreWhole: boolean;
  /** Names of tools by the calls that have no result yet. */
  readonly openCalls: Map<string, string>;
  /** What became of its children: `running` until their end is told. */
  readonly children: Map<ThreadId, string>;
  outputs: EventPayloads['directive_return']['outputs'] | undefined;
  /** The last text of its model. */
  text: string;
  error: EventPayloads['thread_error']['error'] | undefined;
};

/** A thread before its first event; `cost`: what it was admitted with, for one that takes over from another. */
export function beginLog(cost: Cost): LogState {
  return {
    sequence: 0,
    status: 'created',
    suspendReason: undefined,
    isResumed: false,
    hasStarted: false,
    cost,
    limits: undefined,
    limitsAreWhole: true,
    openCalls: new Map(),
    children: new Map(),
    outputs: undefined,
    text: '',
    error: undefined,
  };
}

/** Takes the next event into a state. */
export function takeEvent(state: LogState, event: StoredEvent): void {
  state.sequence = event.sequence;
  state.isResumed = event.event_type === 'thread_resumed';
  state.hasStarted ||= event.event_type === 'thread_started';
  const status = statusAfter(event);
  if (status !== undefined) {
    state.status = status;
    state.suspendReason = event.event_type === 'thread_suspended' ? event.payload.suspend_reason : undefined;
  }
  takeContent(state, event);
}

/** The state that an event leads to; undefined: it leaves the thread where it is. */
export function statusAfter({ event_type: type }: Pick<StoredEvent, 'event_type'>): ThreadStatus | undefined {
  switch (type) {
    case 'thread_started':
    case 'thread_resumed':
      return 'running';
    case 'thread_suspended':
      return 'suspended';
    case 'thread_completed':
    case 'thread_error':
    case 'thread_cancelled':
    case 'thread_continued':
      return TERMINAL[type];
    default:
      return undefined;
  }
}

const TERMINAL = {
  thread_completed: 'completed',
  thread_error: 'error',
  thread_cancelled: 'cancelled',
  thread_continued: 'continued',
} as const;

/** Whether nothing may follow an event. */
export function isTerminal(event: Pick<StoredEvent, 'event_type'>): boolean {
  const status = statusAfter(event);
  return status !== undefined && isEnded(status);
}

function takeContent(state: LogState, event: StoredEvent): void {
  switch (event.event_type) {
    case 'thread_started':
      state.limits = { ...state.limits, ...(event.payload.limits as LimitOverrides) };
      return;
    case 'thread_resumed':
      state.limitsAreWhole = false;
      return raise(state, event.payload.limits);
    case 'approval_resolved':
      return raise(state, event.payload.limits);
    case 'usage':
      return book(state, event.payload);
    case 'cognition_out':
      if (!event.payload.is_partial && !event.payload.carried) state.text = event.payload.text;
      return;
    case 'tool_call_start':
      state.openCalls.set(event.payload.call_id, event.payload.tool);
      return;
    case 'tool_call_result':
      state.openCalls.delete(event.payload.call_id);
      return;
    case 'directive_return':
      state.outputs = event.payload.outputs;
      return;
    case 'thread_error':
      state.error = event.payload.error;
      return;
    case 'thread_cancelled':
      state.error = { code: 'cancelled', message: event.payload.reason };
      return;
    case 'child_thread_started':
      state.children.set(event.payload.child_thread_id, 'running');
      return;
    case 'child_thread_ended':
      state.children.set(event.payload.child_thread_id, event.payload.status);
      return;
    default:
  }
}

function raise(state: LogState, limits: LimitOverrides | undefined): void {
  if (limits) state.limits = { ...state.limits, ...limits };
}

/** A turn is a call that succeeded; what an interrupted one used counts all the same. */
function book(state: LogState, usage: EventPayloads['usage']): void {
  const { turns, inputTokens, outputTokens, spend } = state.cost;
  state.cost = {
    turns: turns + (usage.interrupted ? 0 : 1),
    inputTokens: inputTokens + usage.input_tokens,
    outputTokens: outputTokens + usage.output_tokens,
    spend: spend + usdToNano(usage.spend),
  };
}
